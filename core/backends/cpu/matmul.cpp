// Products of matrices: from their description to the kernels of one type.
#include "backends/matmul.hpp"

#include "backends/cpu/gemm.hpp"
#include "backends/cpu/kernels.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

DType factor_type(DType t) { return t == DType::BFloat16 && has_bfloat16_products() ? t : sum_type(t); }

template <class T>
T number(Complex<double> w) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(w.re);
  else
    return {static_cast<decltype(T::re)>(w.re), static_cast<decltype(T::im)>(w.im)};
}

// A product of one type; the matrices may be moved on from one of a batch to the next.
template <class T>
struct Typed {
  using S = Sum<T>;
  int64_t m, n, k;
  S alpha, beta;
  MatrixView<const T> a, b;
  S* out;

  explicit Typed(const MatrixProduct& p)
      : m(p.a.rows),
        n(p.b.columns),
        k(p.a.columns),
        alpha(number<S>(p.alpha)),
        beta(number<S>(p.beta)),
        a{reinterpret_cast<const T*>(p.a.data), p.a.row_stride, p.a.column_stride},
        b{reinterpret_cast<const T*>(p.b.data), p.b.row_stride, p.b.column_stride},
        out(reinterpret_cast<S*>(p.out)) {}
  MatrixView<const T> a_at(int64_t offset) const { return {a.data + offset, a.row_stride, a.column_stride}; }
  MatrixView<const T> b_at(int64_t offset) const { return {b.data + offset, b.row_stride, b.column_stride}; }
};

// Calls f with the product in the type of its factors.
template <class F>
void with_factors(const MatrixProduct& p, F&& f) {
  if (p.factors == DType::BFloat16) return f(Typed<BFloat16Bits>(p));
  with_arithmetic_type(p.factors, [&]<class T>(T*) { f(Typed<T>(p)); });
}

// Calls f with the offsets of a and b at each index of the outer dimensions, in order.
template <class F>
void for_each_outer(const MatrixBatch& plan, F f) {
  int n = plan.sizes.size();
  Dims index(n);
  int64_t a = 0, b = 0;
  while (true) {
    f(a, b);
    int d = n - 1;
    for (; d >= 0; --d) {
      a += plan.a[d];
      b += plan.b[d];
      if (++index[d] < plan.sizes[d]) break;
      a -= plan.a[d] * plan.sizes[d];
      b -= plan.b[d] * plan.sizes[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

void multiply(const MatrixProduct& product) {
  with_factors(product,
               []<class T>(Typed<T> p) { gemm<T>(p.m, p.n, p.k, p.alpha, p.a, p.b, p.beta, {p.out, p.n, 1}); });
}

void multiply_plus_row(const MatrixProduct& product, const char* row) {
  with_factors(product, [&]<class T>(Typed<T> p) {
    gemm_plus_row<T>(p.m, p.n, p.k, p.alpha, p.a, p.b, p.beta, reinterpret_cast<const Sum<T>*>(row), p.out);
  });
}

void multiply_each(const MatrixProduct& product, const MatrixBatch& batch) {
  with_factors(product, [&]<class T>(Typed<T> p) {
    for_each_outer(batch, [&](int64_t oa, int64_t ob) {
      gemm_batched<T>(batch.count, p.m, p.n, p.k, p.alpha, p.a_at(oa), batch.a_step, p.b_at(ob), batch.b_step, p.beta,
                      {p.out, p.n, 1}, p.m * p.n);
      p.out += batch.count * p.m * p.n;
    });
  });
}

void multiply_and_add(const MatrixProduct& product, const MatrixBatch& batch) {
  with_factors(product, [&]<class T>(Typed<T> p) {
    for_each_outer(batch, [&](int64_t oa, int64_t ob) {
      for (int64_t i = 0; i < batch.count; ++i) {
        gemm<T>(p.m, p.n, p.k, p.alpha, p.a_at(oa + i * batch.a_step), p.b_at(ob + i * batch.b_step), p.beta,
                {p.out, p.n, 1});
        p.beta = Sum<T>(1);
      }
    });
  });
}

template <class T>
void in_blocks(const Typed<T>& p, const char* row, const GemmFinish* finish) {
  gemm_in_blocks<T>(p.m, p.n, p.k, p.a, p.b, reinterpret_cast<const T*>(row), p.out, finish);
}

void multiply_in_blocks(const MatrixProduct& product, const char* row, const GemmFinish* finish) {
  if (product.factors == DType::Float32)
    in_blocks(Typed<float>(product), row, finish);
  else
    in_blocks(Typed<double>(product), row, finish);
}

}  // namespace

constinit const MatmulKernels matmul_kernels{
    factor_type, sum_type, {multiply}, {multiply_plus_row}, {multiply_each}, {multiply_and_add}, {multiply_in_blocks}};

}  // namespace chainrule::cpu
