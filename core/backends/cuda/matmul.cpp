// Products of matrices: by cuBLASLt where it can, and by a kernel of our own for integers and odd layouts.
#include "backends/matmul.hpp"

#include <optional>

#include "backends/cuda/blas.hpp"
#include "backends/cuda/chain_run.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "tensor/error.hpp"
#include "tensor/scalar.hpp"

namespace chainrule::cuda {
namespace {

// Halves are multiplied as they are, added up in float, and rounded once.
DType factor_type(DType t) { return size_of(t) == 2 && is_floating(t) ? t : sum_type(t); }

int64_t item(DType t) { return static_cast<int64_t>(size_of(t)); }

// So many products of matrices that lie one step apart.
struct Batch {
  int64_t count = 1, a_step = 0, b_step = 0;
};

// A row-major matrix is its own transpose to the library. Nothing where neither its rows nor its columns are in one
// piece.
std::optional<BlasMatrix> blas_matrix(const Matrix& m, int64_t step) {
  const bool one_row = m.rows == 1, one_column = m.columns == 1;
  if ((m.column_stride == 1 || one_column) && (one_row || m.row_stride >= m.columns))
    return BlasMatrix{m.data, one_row ? m.columns : m.row_stride, false, step};
  if ((m.row_stride == 1 || one_row) && (one_column || m.column_stride >= m.rows))
    return BlasMatrix{m.data, one_column ? m.rows : m.column_stride, true, step};
  return {};
}

bool by_library(const MatrixProduct& p, const Batch& batch, const char* row) {
  if (!is_floating(p.factors) && !is_complex(p.factors)) return false;
  // What the library calls a result is ours transposed: b comes first.
  const std::optional<BlasMatrix> a = blas_matrix(p.b, batch.b_step), b = blas_matrix(p.a, batch.a_step);
  if (!a || !b) return false;
  const int64_t m = p.a.rows, n = p.b.columns;
  return blas_product(
      {n, m, p.a.columns, batch.count, p.factors, p.result, *a, *b, p.out, n, m * n, p.alpha, p.beta, row});
}

struct PlainProduct {
  const char *a, *b;
  char* out;
  int64_t m, n, k, batch;
  int64_t a_row, a_column, a_step, b_row, b_column, b_step;
  alignas(8) char alpha[16] = {}, beta[16] = {};
};

void by_hand(const MatrixProduct& p, const Batch& batch) {
  constexpr int64_t kTile = 16, kMostBlocks = 65535;
  const int64_t rows = divide_up(p.a.rows, kTile), columns = divide_up(p.b.columns, kTile);
  const DType sum = sum_type(p.factors);
  for (int64_t first = 0; first < batch.count; first += kMostBlocks) {
    const int64_t count = std::min(batch.count - first, kMostBlocks);
    PlainProduct task{p.a.data + first * batch.a_step * item(p.factors),
                      p.b.data + first * batch.b_step * item(p.factors),
                      p.out + first * p.a.rows * p.b.columns * item(p.result),
                      p.a.rows,
                      p.b.columns,
                      p.a.columns,
                      count,
                      p.a.row_stride,
                      p.a.column_stride,
                      batch.a_step,
                      p.b.row_stride,
                      p.b.column_stride,
                      batch.b_step};
    store(Scalar::of_complex(p.alpha.re, p.alpha.im), sum, task.alpha);
    store(Scalar::of_complex(p.beta.re, p.beta.im), sum, task.beta);
    KernelText("matmul.cuh", "multiply")
        .type("S", storage_type(p.factors))
        .type("T", storage_type(sum))
        .type("Out", storage_type(p.result))
        .run({rows * columns, count}, kTile * kTile, task);
  }
}

void multiply_some(const MatrixProduct& p, const Batch& batch = {}) {
  if (p.a.rows == 0 || p.b.columns == 0 || batch.count == 0) return;
  if (p.a.columns == 0 || !by_library(p, batch, nullptr)) by_hand(p, batch);
}

void multiply(const MatrixProduct& p) { multiply_some(p); }

// Every row of the output begins as this one.
void repeat_row(const MatrixProduct& p, const char* row) {
  const DType dtype = p.result;
  const Dims sizes{p.a.rows, p.b.columns}, strides{p.b.columns, 1};
  const ChainInput in{.data = row, .dtype = dtype, .strides = Dims{0, 1}};
  const ChainOutput out{ChainOperand::input(0), p.out, dtype, strides};
  run_chain({sizes, dtype, {&in, 1}, {}, {&out, 1}});
}

void multiply_plus_row(const MatrixProduct& p, const char* row) {
  if (p.a.rows == 0 || p.b.columns == 0) return;
  MatrixProduct plain = p;
  plain.beta = 0;
  if (p.beta == 1.0 && p.a.columns > 0 && by_library(plain, {}, row)) return;
  repeat_row(p, row);
  multiply(p);
}

// Calls f with the offsets of a and b, in elements, at each index of the outer dimensions, in order.
template <class F>
void for_each_outer(const MatrixBatch& plan, F f) {
  const int n = plan.sizes.size();
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

MatrixProduct moved(MatrixProduct p, int64_t a, int64_t b) {
  p.a.data += a * item(p.factors);
  p.b.data += b * item(p.factors);
  return p;
}

void multiply_each(const MatrixProduct& product, const MatrixBatch& batch) {
  MatrixProduct p = product;
  for_each_outer(batch, [&](int64_t a, int64_t b) {
    multiply_some(moved(p, a, b), {batch.count, batch.a_step, batch.b_step});
    p.out += batch.count * p.a.rows * p.b.columns * item(p.result);
  });
}

void multiply_and_add(const MatrixProduct& product, const MatrixBatch& batch) {
  MatrixProduct p = product;
  for_each_outer(batch, [&](int64_t a, int64_t b) {
    for (int64_t i = 0; i < batch.count; ++i) {
      multiply_some(moved(p, a + i * batch.a_step, b + i * batch.b_step));
      p.beta = 1;
    }
  });
}

// Nothing waits for blocks of a product on a GPU.
void multiply_in_blocks(const MatrixProduct& p, const char* row, const GemmFinish* finish) {
  check(!finish, "a product on a GPU does not come in blocks");
  MatrixProduct whole = p;
  whole.beta = row ? 1 : 0;
  if (row)
    multiply_plus_row(whole, row);
  else
    multiply(whole);
}

}  // namespace

const MatmulKernels matmul_kernels{
    .factor_type = factor_type,
    .result_type = factor_type,
    .multiply = {multiply},
    .multiply_plus_row = {multiply_plus_row},
    .multiply_each = {multiply_each},
    .multiply_and_add = {multiply_and_add},
    .multiply_in_blocks = {multiply_in_blocks},
};

}  // namespace chainrule::cuda
