// Products of the matrices inside tensors, without history: dtypes, folding, batches, and the call of the backend.
#include "ops/product.hpp"

#include <cstring>

#include "autograd/record.hpp"
#include "backends/cpu/gemm.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/elementwise.hpp"
#include "ops/pending.hpp"
#include "ops/view.hpp"
#include "tensor/element_type.hpp"

namespace chainrule {
namespace {

struct Matrix {
  char* data;
  int64_t rows, columns, row_stride, column_stride;
};

Matrix turn(Matrix m, bool turned) {
  if (turned) {
    std::swap(m.rows, m.columns);
    std::swap(m.row_stride, m.column_stride);
  }
  return m;
}

// A vector's other stride is never used; 1 lets the kernels take the row, or the column, as it lies.
Matrix row_matrix(const TensorObject* t) {
  if (t->ndim == 0) return {t->data, 1, 1, 1, 1};
  return {t->data, 1, t->sizes()[0], 1, t->strides()[0]};
}

Matrix last_matrix(const Factor& f) {
  const TensorObject* t = f.tensor->get();
  int n = t->ndim;
  if (n < 2) return turn(row_matrix(t), f.turned);
  return turn({t->data, t->sizes()[n - 2], t->sizes()[n - 1], t->strides()[n - 2], t->strides()[n - 1]}, f.turned);
}

Matrix folded_matrix(const Factor& f) {
  const TensorObject* t = f.tensor->get();
  int n = t->ndim;
  if (n <= 2) return last_matrix(f);
  int row = n - 2;
  while (row > 0 && t->sizes()[row] == 1) --row;
  int64_t rows = 1;
  for (int i = 0; i < n - 1; ++i) rows *= t->sizes()[i];
  return turn({t->data, rows, t->sizes()[n - 1], t->strides()[row], t->strides()[n - 1]}, f.turned);
}

// The dtype that products are added up in.
DType sum_type(DType t) {
  if (t == DType::Float16 || t == DType::BFloat16) return DType::Float32;
  return t < DType::Int64 ? DType::Int64 : t;
}

// The dtype that factors are brought to.
DType factor_type(DType t) { return t == DType::BFloat16 && cpu::has_bfloat16_products() ? t : sum_type(t); }

// Calls f with a null pointer to the type of factors of that dtype.
template <class F>
void with_factor_type(DType t, F&& f) {
  if (t == DType::BFloat16) return f(static_cast<cpu::BFloat16Bits*>(nullptr));
  with_arithmetic_type(t, f);
}

// The factor as the backend takes it; `keep` holds a converted or copied tensor.
Factor prepare(Factor f, bool fold, Tensor& keep) {
  const Tensor& t = *f.tensor;
  DType type = factor_type(t.dtype());
  bool copies = fold && !folds(t);
  if (type == t.dtype() && !copies) return f;
  GradModeScope off(false);
  keep = to_dtype(t, type);
  if (fold && !folds(keep)) keep = contiguous(keep);
  return {keep, f.turned};
}

template <class T>
T number(Complex<double> w) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(w.re);
  else
    return {static_cast<decltype(T::re)>(w.re), static_cast<decltype(T::im)>(w.im)};
}

template <class T>
cpu::MatrixView<const T> input_view(const Matrix& m) {
  return {reinterpret_cast<const T*>(m.data), m.row_stride, m.column_stride};
}
template <class T>
cpu::MatrixView<T> output_view(const Matrix& m) {
  return {reinterpret_cast<T*>(m.data), m.row_stride, m.column_stride};
}

// A bias: one row, added to each row of the output.
bool is_bias(const Addend& add, Span sizes, DType dtype) {
  const Tensor* input = add.input;
  return input && input->ndim() == 1 && !sizes.empty() && input->dtype() == dtype && input->is_contiguous() &&
         input->size(0) == sizes.back() && add.beta != 0.0;
}

// A fresh output of that dtype; returns the weight of what it holds.
Complex<double> start_output(Tensor& out, Span sizes, DType type, const Addend& add) {
  out = empty(sizes, type);
  if (!add.input) return 0;
  if (!equal(add.input->sizes(), sizes)) {
    GradModeScope off(false);
    expand(*add.input, sizes);  // raises when it does not broadcast
  }
  if (add.beta == 0.0) return 0;
  copy_elements(out, *add.input);
  return add.beta;
}

Tensor finish(Tensor out, DType dtype) {
  if (out.dtype() == dtype) return out;
  GradModeScope off(false);
  return to_dtype(out, dtype);
}

// The batch dimensions of both factors, cut into an inner run that has one stride in each and the dimensions around it.
struct Batch {
  Dims sizes, a, b;  // the outer dimensions
  int64_t count = 1, a_step = 0, b_step = 0;
};

Dims batch_strides(const Tensor& t, Span batch) {
  auto n = static_cast<int>(batch.size());
  Dims strides(n);
  int own = std::max(0, t.ndim() - 2);
  for (int i = n - own; i < n; ++i) strides[i] = t.size(i - (n - own)) == 1 ? 0 : t.stride(i - (n - own));
  return strides;
}

Batch plan_batch(const Tensor& a, const Tensor& b, Span batch) {
  Batch plan{Dims(), batch_strides(a, batch), batch_strides(b, batch)};
  auto at = static_cast<int>(batch.size());
  for (; at > 0; --at) {
    int64_t size = batch[static_cast<size_t>(at - 1)], sa = plan.a[at - 1], sb = plan.b[at - 1];
    if (size == 1) continue;
    if (plan.count == 1) {
      plan.a_step = sa;
      plan.b_step = sb;
    } else if (sa != plan.a_step * plan.count || sb != plan.b_step * plan.count) {
      break;
    }
    plan.count *= size;
  }
  plan.sizes = Dims(batch.subspan(0, static_cast<size_t>(at)));
  plan.a.resize(at);
  plan.b.resize(at);
  return plan;
}

// Calls f with the offsets of a and b at each index of the outer dimensions, in order.
template <class F>
void for_each_outer(const Batch& plan, F f) {
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

}  // namespace

void check_multipliable(const Tensor& a, const Tensor& b, const char* kernel) {
  if (!is_bool(a.dtype()) || a.numel() == 0 || b.numel() == 0) return;
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for 'Bool'\n",
        "  What to do: convert first, with .float() for a product of numbers or .int() to count.");
}

bool folds(const Tensor& t) {
  if (t.ndim() <= 2 || t.is_contiguous()) return true;
  int64_t expected = -1;
  for (int i = t.ndim() - 1; i-- > 0;) {
    if (t.size(i) == 1) continue;
    if (expected >= 0 && t.stride(i) != expected) return t.numel() == 0;
    expected = t.stride(i) * t.size(i);
  }
  return true;
}

Addend addend(const Tensor& input, const Scalar& beta, const Scalar& alpha) {
  for (const Scalar* s : {&beta, &alpha}) {
    bool is_half = is_floating(input.dtype()) && size_of(input.dtype()) == 2;  // scaled in float
    if (s->kind == Scalar::kComplex || !is_differentiable(input.dtype()))
      check_fits(*s, is_half ? DType::Float32 : input.dtype());
  }
  return {&input, {beta.real, beta.imaginary}, {alpha.real, alpha.imaginary}};
}

Tensor scaled(const Tensor& t, Complex<double> w) {
  if (w == 1.0) return t;
  return elementwise(OpId::mul, {t, w.im == 0 ? Scalar(w.re) : Scalar::of_complex(w.re, w.im)});
}

Tensor product(Factor a, Factor b, Span sizes, const Addend& add) {
  DType dtype = a.tensor->dtype();
  Tensor keep_a, keep_b, out;
  a = prepare(a, true, keep_a);
  b = prepare(b, true, keep_b);
  Matrix x = folded_matrix(a), y = folded_matrix(b);
  DType type = sum_type(dtype);
  bool bias = is_bias(add, sizes, type) && y.columns == sizes.back();  // a matrix times a vector has a column
  if (bias) out = empty(sizes, type);
  Complex<double> beta = bias ? add.beta : start_output(out, sizes, type, add);
  Matrix z{out->data, x.rows, y.columns, y.columns, 1};
  with_factor_type(a.tensor->dtype(), [&]<class T>(T*) {
    using S = cpu::Sum<T>;
    if (bias) {
      return cpu::gemm_plus_row<T>(x.rows, y.columns, x.columns, number<S>(add.alpha), input_view<T>(x),
                                   input_view<T>(y), number<S>(beta), reinterpret_cast<const S*>((*add.input)->data),
                                   reinterpret_cast<S*>(out->data));
    }
    cpu::gemm<T>(x.rows, y.columns, x.columns, number<S>(add.alpha), input_view<T>(x), input_view<T>(y),
                 number<S>(beta), output_view<S>(z));
  });
  return finish(std::move(out), dtype);
}

namespace {

bool comes_in_blocks(const Tensor& a, Factor b, Span sizes, const Addend& add) {
  bool is_float = a.dtype() == DType::Float32 || a.dtype() == DType::Float64;
  bool plain = !add.input || (is_bias(add, sizes, a.dtype()) && add.beta == 1.0);
  if (!is_float || !plain || add.alpha != 1.0 || b.tensor->ndim() != 2 || !folds(a)) return false;
  Matrix x = folded_matrix(a), y = folded_matrix(b);
  bool shallow = x.columns > 0 && x.columns * static_cast<int64_t>(size_of(a.dtype())) <= cpu::kFinishedDepth;
  return shallow && x.rows > 1 && y.columns > 1;
}

template <class T>
void make_product(const Tensor& a, Factor b, const Tensor& bias, char* out, const cpu::GemmFinish* finish) {
  Matrix x = folded_matrix(a), y = folded_matrix(b);
  const T* row = bias ? reinterpret_cast<const T*>(bias->data) : nullptr;
  cpu::gemm_in_blocks<T>(x.rows, y.columns, x.columns, input_view<T>(x), input_view<T>(y), row,
                         reinterpret_cast<T*>(out), finish);
}

}  // namespace

Tensor waiting_product(const Tensor& a, Factor b, Span sizes, const Addend& add) {
  if (!comes_in_blocks(a, b, sizes, add)) return Tensor();
  Tensor bias = add.input ? *add.input : Tensor();
  auto make = a.dtype() == DType::Float32 ? make_product<float> : make_product<double>;
  return defer_blocks(sizes, a.dtype(), sizes.back(), {&a, b.tensor, &bias},
                      [make, a = alias(a), b = alias(*b.tensor), turned = b.turned, bias = bias ? alias(bias) : bias](
                          char* out, const cpu::GemmFinish* finish) { make(a, {b, turned}, bias, out, finish); });
}

Tensor batched_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add) {
  DType dtype = a.tensor->dtype();
  Tensor keep_a, keep_b, out;
  a = prepare(a, false, keep_a);
  b = prepare(b, false, keep_b);
  Complex<double> beta = start_output(out, sizes, sum_type(dtype), add);
  if (out.numel() == 0) return finish(std::move(out), dtype);
  Matrix x = last_matrix(a), y = last_matrix(b), z{out->data, x.rows, y.columns, y.columns, 1};
  Batch plan = plan_batch(*a.tensor, *b.tensor, batch);
  with_factor_type(a.tensor->dtype(), [&]<class T>(T*) {
    using S = cpu::Sum<T>;
    auto from = input_view<T>(x), with = input_view<T>(y);
    auto to = output_view<S>(z);
    for_each_outer(plan, [&](int64_t oa, int64_t ob) {
      cpu::gemm_batched<T>(plan.count, x.rows, y.columns, x.columns, number<S>(add.alpha),
                           {from.data + oa, from.row_stride, from.column_stride}, plan.a_step,
                           {with.data + ob, with.row_stride, with.column_stride}, plan.b_step, number<S>(beta), to,
                           x.rows * y.columns);
      to.data += plan.count * x.rows * y.columns;
    });
  });
  return finish(std::move(out), dtype);
}

Tensor summed_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add) {
  DType dtype = a.tensor->dtype();
  Tensor keep_a, keep_b, out;
  a = prepare(a, false, keep_a);
  b = prepare(b, false, keep_b);
  Complex<double> beta = start_output(out, sizes, sum_type(dtype), add);
  Matrix x = last_matrix(a), y = last_matrix(b), z{out->data, x.rows, y.columns, y.columns, 1};
  Batch plan = plan_batch(*a.tensor, *b.tensor, batch);
  bool none = count(batch) == 0;
  with_factor_type(a.tensor->dtype(), [&]<class T>(T*) {
    using S = cpu::Sum<T>;
    auto from = input_view<T>(x), with = input_view<T>(y);
    S held = number<S>(beta);
    if (none) return cpu::gemm<T>(x.rows, y.columns, 0, S(1), from, with, held, output_view<S>(z));
    for_each_outer(plan, [&](int64_t oa, int64_t ob) {
      for (int64_t i = 0; i < plan.count; ++i) {
        cpu::gemm<T>(x.rows, y.columns, x.columns, number<S>(add.alpha),
                     {from.data + oa + i * plan.a_step, from.row_stride, from.column_stride},
                     {with.data + ob + i * plan.b_step, with.row_stride, with.column_stride}, held, output_view<S>(z));
        held = S(1);
      }
    });
  });
  return finish(std::move(out), dtype);
}

}  // namespace chainrule
