// Matrix products: brings a product into the form the kernels take and cuts it for the threads. A complex product is
// four real ones.
#include "backends/cpu/gemm.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "backends/cpu/gemm_kernel.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/complex.hpp"

namespace chainrule::cpu {

void* gemm_scratch(size_t bytes, GemmScratch purpose) {
  constexpr size_t kPage = 4096, kHugePage = size_t(2) << 20;
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  struct Memory {
    std::unique_ptr<void, Free> data;
    size_t size = 0;
  };
  thread_local Memory memories[3];
  auto& [data, size] = memories[static_cast<int>(purpose)];
  if (bytes <= size) return data.get();
  const size_t page = bytes >= kHugePage / 4 ? kHugePage : kPage;
  size = 0;
  data.reset(std::aligned_alloc(page, (bytes + page - 1) / page * page));
  if (!data) throw std::bad_alloc();
  size = (bytes + page - 1) / page * page;
#ifdef MADV_HUGEPAGE
  // Packed blocks are walked over and over; on small pages those walks would miss the address cache.
  if (page == kHugePage) madvise(data.get(), size, MADV_HUGEPAGE);
#endif
  return data.get();
}

namespace {

constexpr int64_t kWorkPerThread = 1 << 20;  // multiplications that are worth waking a thread for
// Cuts fall on multiples of the largest tile, so that they do not make more odd ones.
constexpr int64_t kRowUnit = 8, kColumnUnit = 48;

// ---- types with kernels

template <class T>
constexpr bool kHasKernels = !std::is_same_v<T, Complex<float>> && !std::is_same_v<T, Complex<double>>;

// Where part `index` of `parts` begins. No part is shorter than the unit: a single row or column left over would be
// summed in another order, by the kernel for vectors.
int64_t cut(int64_t size, int64_t unit, int64_t index, int64_t parts) {
  return index == parts ? size : (size * index / parts + unit / 2) / unit * unit;
}

template <class T>
GemmProblem<T> part_of(const GemmProblem<T>& g, int64_t row, int64_t row_end, int64_t column, int64_t column_end) {
  GemmProblem<T> part = g;
  part.m = row_end - row;
  part.n = column_end - column;
  part.a.data += row * g.a.row_stride;
  part.b.data += column * g.b.column_stride;
  part.c += row * g.c_row_stride + column;
  if (g.row) part.row += column;
  part.first_row += row;
  part.first_column += column;
  return part;
}

// Cuts the product into a grid of about square parts, as many as can be of use. An element's value does not depend on
// the part it is in.
template <class T>
void multiply_in_parallel(const GemmProblem<T>& g) {
  const bool vector = g.m == 1 || g.n == 1;  // bound by memory: a multiplication takes ten times as long
  const int64_t useful = g.m * g.n * g.k / (vector ? kWorkPerThread / 8 : kWorkPerThread);
  const int64_t wanted = std::min<int64_t>(num_threads(), useful);
  int64_t row_parts = 1, column_parts = 1;
  while (row_parts * column_parts < wanted) {
    const int64_t rows = g.m / row_parts, columns = g.n / column_parts;
    const bool rows_can = rows >= 4 * kRowUnit, columns_can = columns >= 4 * kColumnUnit;
    if (!rows_can && !columns_can) break;
    (rows_can && (rows >= columns || !columns_can) ? row_parts : column_parts) *= 2;
  }
  if (row_parts * column_parts == 1) return multiply_here(g);
  parallel_for(row_parts * column_parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t i = part / column_parts, j = part % column_parts;
      multiply_here(part_of(g, cut(g.m, kRowUnit, i, row_parts), cut(g.m, kRowUnit, i + 1, row_parts),
                            cut(g.n, kColumnUnit, j, column_parts), cut(g.n, kColumnUnit, j + 1, column_parts)));
    }
  });
}

template <class T>
void scale(int64_t m, int64_t n, T beta, MatrixView<T> c) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T& target = c.data[i * c.row_stride + j * c.column_stride];
      target = beta == T(0) ? T(0) : beta * target;
    }
  }
}

// For a c without contiguous rows or columns.
template <class T, class Multiply>
void multiply_through_copy(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b,
                           Sum<T> beta, MatrixView<Sum<T>> c, Multiply multiply_rows) {
  std::vector<Sum<T>> product(m * n);
  multiply_rows(GemmProblem<T>{m, n, k, alpha, 0, a, b, product.data(), n});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Sum<T>& target = c.data[i * c.row_stride + j * c.column_stride];
      target = beta == 0 ? product[i * n + j] : product[i * n + j] + beta * target;
    }
  }
}

// Hands the product to multiply_rows with the rows of c contiguous.
template <class T, class Multiply>
void vector_gemm(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b,
                 Sum<T> beta, MatrixView<Sum<T>> c, Multiply multiply_rows) {
  if (m == 0 || n == 0) return;
  if (k == 0) return scale(m, n, beta, c);
  if (c.column_stride == 1 || n == 1) {
    multiply_rows(GemmProblem<T>{m, n, k, alpha, beta, a, b, c.data, c.row_stride});
  } else if (c.row_stride == 1 || m == 1) {
    multiply_rows(GemmProblem<T>{n, m, k, alpha, beta, transposed(b), transposed(a), c.data, c.column_stride});
  } else {
    multiply_through_copy<T>(m, n, k, alpha, a, b, beta, c, multiply_rows);
  }
}

// ---- complex types

constexpr int64_t kSmallComplex =
    16 * 16 * 16;                       // multiplications that are done before the factors would be taken apart
constexpr int64_t kComplexRows = 1024;  // of a and c that are taken apart together

template <class T>
void multiply_small_complex(int64_t m, int64_t n, int64_t k, T alpha, MatrixView<const T> a, MatrixView<const T> b,
                            T beta, MatrixView<T> c) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum(0);
      for (int64_t p = 0; p < k; ++p) {
        sum = sum + a.data[i * a.row_stride + p * a.column_stride] * b.data[p * b.row_stride + j * b.column_stride];
      }
      T& target = c.data[i * c.row_stride + j * c.column_stride];
      target = beta == T(0) ? alpha * sum : alpha * sum + beta * target;
    }
  }
}

// The real and the imaginary parts of a matrix, with rows or columns contiguous as they are in the whole.
template <class R>
struct ComplexParts {
  MatrixView<const R> real, imaginary;

  // Writes 2 * rows * columns elements to `data`.
  ComplexParts(int64_t rows, int64_t columns, MatrixView<const Complex<R>> v, R* data) {
    const bool turned = v.column_stride != 1 && v.row_stride == 1;
    if (turned) {
      std::swap(rows, columns);
      v = transposed(v);
    }
    R* beyond = data + rows * columns;
    for (int64_t i = 0; i < rows; ++i) {
      take_apart(columns, v.data + i * v.row_stride, v.column_stride, data + i * columns, beyond + i * columns);
    }
    real = {data, turned ? 1 : columns, turned ? columns : 1};
    imaginary = {beyond, real.row_stride, real.column_stride};
  }

  static void take_apart(int64_t n, const Complex<R>* from, int64_t stride, R* re, R* im) {
    if (stride == 1) {  // apart, so that the compiler knows it
      for (int64_t j = 0; j < n; ++j) {
        re[j] = from[j].re;
        im[j] = from[j].im;
      }
      return;
    }
    for (int64_t j = 0; j < n; ++j) {
      re[j] = from[j * stride].re;
      im[j] = from[j * stride].im;
    }
  }
};

template <class R>
void multiply_complex_rows(int64_t m, int64_t n, int64_t k, Complex<R> alpha, const ComplexParts<R>& a,
                           const ComplexParts<R>& b, Complex<R> beta, MatrixView<Complex<R>> c, R* sums) {
  R *re = sums, *im = sums + m * n;
  gemm<R>(m, n, k, 1, a.real, b.real, 0, {re, n, 1});
  gemm<R>(m, n, k, -1, a.imaginary, b.imaginary, 1, {re, n, 1});
  gemm<R>(m, n, k, 1, a.real, b.imaginary, 0, {im, n, 1});
  gemm<R>(m, n, k, 1, a.imaginary, b.real, 1, {im, n, 1});
  const bool plain = alpha == Complex<R>(1) && beta == Complex<R>(0);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Complex<R> sum{re[i * n + j], im[i * n + j]};
      Complex<R>& target = c.data[i * c.row_stride + j * c.column_stride];
      target = plain ? sum : beta == Complex<R>(0) ? alpha * sum : alpha * sum + beta * target;
    }
  }
}

template <class R>
void complex_gemm(int64_t m, int64_t n, int64_t k, Complex<R> alpha, MatrixView<const Complex<R>> a,
                  MatrixView<const Complex<R>> b, Complex<R> beta, MatrixView<Complex<R>> c) {
  if (m * n * k <= kSmallComplex) return multiply_small_complex(m, n, k, alpha, a, b, beta, c);
  const int64_t rows = std::min(m, kComplexRows);
  R* parts_of_b = (R*)gemm_scratch(2 * (k * n + rows * k + rows * n) * sizeof(R), GemmScratch::parts);
  R *parts_of_a = parts_of_b + 2 * k * n, *sums = parts_of_a + 2 * rows * k;
  const ComplexParts<R> with(k, n, b, parts_of_b);
  for (int64_t i = 0; i < m; i += rows) {
    const int64_t here = std::min(rows, m - i);
    const ComplexParts<R> from(here, k, {a.data + i * a.row_stride, a.row_stride, a.column_stride}, parts_of_a);
    multiply_complex_rows<R>(here, n, k, alpha, from, with, beta,
                             {c.data + i * c.row_stride, c.row_stride, c.column_stride}, sums);
  }
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b, Sum<T> beta,
          MatrixView<Sum<T>> c) {
  if constexpr (kHasKernels<T>) {
    vector_gemm<T>(m, n, k, alpha, a, b, beta, c, [](const GemmProblem<T>& g) {
      if (g.m * g.n * g.k < kWorkPerThread / 8) return multiply_here(g);
      multiply_in_parallel(g);
    });
  } else {
    complex_gemm(m, n, k, alpha, a, b, beta, c);
  }
}

template <class T>
void gemm_plus_row(int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a, MatrixView<const T> b,
                   Sum<T> beta, const Sum<T>* row, Sum<T>* c) {
  if constexpr (kHasKernels<T>) {
    if (m > 1 && n > 1 && k > 0) return multiply_in_parallel(GemmProblem<T>{m, n, k, alpha, beta, a, b, c, n, row});
  }
  for (int64_t i = 0; i < m; ++i) std::copy_n(row, n, c + i * n);
  gemm<T>(m, n, k, alpha, a, b, beta, {c, n, 1});
}

template <class T>
void gemm_in_blocks(int64_t m, int64_t n, int64_t k, MatrixView<const T> a, MatrixView<const T> b, const T* row, T* c,
                    const GemmFinish* finish) {
  multiply_in_parallel(GemmProblem<T>{m, n, k, 1, row ? T(1) : T(0), a, b, c, n, row, finish});
}

template <class T>
void gemm_batched(int64_t batch, int64_t m, int64_t n, int64_t k, Sum<T> alpha, MatrixView<const T> a,
                  int64_t a_batch_stride, MatrixView<const T> b, int64_t b_batch_stride, Sum<T> beta,
                  MatrixView<Sum<T>> c, int64_t c_batch_stride) {
  // Rows stacked in a and c, one b for all: a single tall product.
  if (b_batch_stride == 0 && a_batch_stride == m * a.row_stride && c_batch_stride == m * c.row_stride) {
    return gemm<T>(batch * m, n, k, alpha, a, b, beta, c);
  }
  const auto product = [&](int64_t i, auto&& run) {
    run(MatrixView<const T>{a.data + i * a_batch_stride, a.row_stride, a.column_stride},
        MatrixView<const T>{b.data + i * b_batch_stride, b.row_stride, b.column_stride},
        MatrixView<Sum<T>>{c.data + i * c_batch_stride, c.row_stride, c.column_stride});
  };
  const int64_t work = std::max<int64_t>(1, m * n * k);
  if (batch < num_threads() && work > kWorkPerThread) {
    for (int64_t i = 0; i < batch; ++i) {
      product(i, [&](auto ai, auto bi, auto ci) { gemm<T>(m, n, k, alpha, ai, bi, beta, ci); });
    }
    return;
  }
  parallel_for(batch, std::max<int64_t>(1, kWorkPerThread / work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      product(i, [&](auto ai, auto bi, auto ci) {
        if constexpr (kHasKernels<T>) {
          vector_gemm<T>(m, n, k, alpha, ai, bi, beta, ci, [](const GemmProblem<T>& g) { multiply_here(g); });
        } else {
          complex_gemm(m, n, k, alpha, ai, bi, beta, ci);
        }
      });
    }
  });
}

bool has_bfloat16_products() { return CR_DISPATCH(has_bfloat16_kernel)(); }

#define CR_INSTANTIATE(T)                                                                                             \
  template void gemm_plus_row<T>(int64_t, int64_t, int64_t, Sum<T>, MatrixView<const T>, MatrixView<const T>, Sum<T>, \
                                 const Sum<T>*, Sum<T>*);                                                             \
  template void gemm<T>(int64_t, int64_t, int64_t, Sum<T>, MatrixView<const T>, MatrixView<const T>, Sum<T>,          \
                        MatrixView<Sum<T>>);                                                                          \
  template void gemm_batched<T>(int64_t, int64_t, int64_t, int64_t, Sum<T>, MatrixView<const T>, int64_t,             \
                                MatrixView<const T>, int64_t, Sum<T>, MatrixView<Sum<T>>, int64_t);

CR_INSTANTIATE(float)
CR_INSTANTIATE(double)
CR_INSTANTIATE(BFloat16Bits)
CR_INSTANTIATE(int64_t)
CR_INSTANTIATE(Complex<float>)
CR_INSTANTIATE(Complex<double>)
#undef CR_INSTANTIATE

template void gemm_in_blocks(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>, const float*,
                             float*, const GemmFinish*);
template void gemm_in_blocks(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                             const double*, double*, const GemmFinish*);

}  // namespace chainrule::cpu
