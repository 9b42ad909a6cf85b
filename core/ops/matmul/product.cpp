// Products of the matrices inside tensors, without history: dtypes, folding, batches, and the call of the backend.
#include "ops/matmul/product.hpp"

#include "autograd/record.hpp"
#include "backends/matmul.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

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

// The factor as the backend takes it; `keep` holds a converted or copied tensor.
Factor prepare(Factor f, bool fold, Tensor& keep) {
  const Tensor& t = *f.tensor;
  DType type = backend().matmul->factor_type(t.dtype());
  bool copies = fold && !folds(t);
  if (type == t.dtype() && !copies) return f;
  GradModeScope off(false);
  keep = to_dtype(t, type);
  if (fold && !folds(keep)) keep = contiguous(keep);
  return {keep, f.turned};
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

Dims batch_strides(const Tensor& t, Span batch) {
  auto n = static_cast<int>(batch.size());
  Dims strides(n);
  int own = std::max(0, t.ndim() - 2);
  for (int i = n - own; i < n; ++i) strides[i] = t.size(i - (n - own)) == 1 ? 0 : t.stride(i - (n - own));
  return strides;
}

// Cuts the batch dimensions into the inner run and those around it.
MatrixBatch plan_batch(const Tensor& a, const Tensor& b, Span batch) {
  MatrixBatch plan{Dims(), batch_strides(a, batch), batch_strides(b, batch)};
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

double multiplications(const MatrixProduct& p) {
  return static_cast<double>(p.a.rows) * static_cast<double>(p.a.columns) * static_cast<double>(p.b.columns);
}

}  // namespace

void check_multipliable(const Tensor& a, const Tensor& b, const char* kernel) {
  if (is_stored_only(a.dtype())) refuse_limited(kernel, a.dtype());
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
    expected = wrapped(t.stride(i), t.size(i));
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
  DType type = backend().matmul->result_type(dtype);
  bool bias = is_bias(add, sizes, type) && y.columns == sizes.back();  // a matrix times a vector has a column
  if (bias) out = empty(sizes, type);
  Complex<double> beta = bias ? add.beta : start_output(out, sizes, type, add);
  const MatrixProduct task{a.tensor->dtype(), type, x, y, out->data, add.alpha, beta};
  if (bias)
    backend().matmul->multiply_plus_row.unlocked(multiplications(task), task, (*add.input)->data);
  else
    backend().matmul->multiply.unlocked(multiplications(task), task);
  return finish(std::move(out), dtype);
}

namespace {

bool comes_in_blocks(const Tensor& a, Factor b, Span sizes, const Addend& add) {
  if (!is_host_memory(a->storage->device)) return false;
  bool is_float = a.dtype() == DType::Float32 || a.dtype() == DType::Float64;
  bool plain = !add.input || (is_bias(add, sizes, a.dtype()) && add.beta == 1.0);
  if (!is_float || !plain || add.alpha != 1.0 || b.tensor->ndim() != 2 || !folds(a)) return false;
  Matrix x = folded_matrix(a), y = folded_matrix(b);
  bool shallow = x.columns > 0 && x.columns * static_cast<int64_t>(size_of(a.dtype())) <= kFinishedDepth;
  return shallow && x.rows > 1 && y.columns > 1;
}

void make_product(const Tensor& a, Factor b, const Tensor& bias, char* out, const GemmFinish* finish) {
  const MatrixProduct task{a.dtype(), sum_type(a.dtype()), folded_matrix(a), folded_matrix(b), out, 1, 0};
  backend().matmul->multiply_in_blocks.run(task, bias ? bias->data : nullptr, finish);  // inside of a kernel
}

}  // namespace

Tensor waiting_product(const Tensor& a, Factor b, Span sizes, const Addend& add) {
  if (!comes_in_blocks(a, b, sizes, add)) return Tensor();
  Tensor bias = add.input ? *add.input : Tensor();
  return defer_blocks(sizes, a.dtype(), sizes.back(), {&a, b.tensor, &bias},
                      [a = alias(a), b = alias(*b.tensor), turned = b.turned, bias = bias ? alias(bias) : bias](
                          char* out, const GemmFinish* finish) { make_product(a, {b, turned}, bias, out, finish); });
}

Tensor batched_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add) {
  DType dtype = a.tensor->dtype();
  Tensor keep_a, keep_b, out;
  a = prepare(a, false, keep_a);
  b = prepare(b, false, keep_b);
  Complex<double> beta = start_output(out, sizes, backend().matmul->result_type(dtype), add);
  if (out.numel() == 0) return finish(std::move(out), dtype);
  const MatrixProduct task{a.tensor->dtype(), out.dtype(), last_matrix(a), last_matrix(b), out->data, add.alpha, beta};
  const MatrixBatch plan = plan_batch(*a.tensor, *b.tensor, batch);
  backend().matmul->multiply_each.unlocked(work_on(count(batch), multiplications(task)), task, plan);
  return finish(std::move(out), dtype);
}

Tensor summed_product(Factor a, Factor b, Span batch, Span sizes, const Addend& add) {
  DType dtype = a.tensor->dtype();
  Tensor keep_a, keep_b, out;
  a = prepare(a, false, keep_a);
  b = prepare(b, false, keep_b);
  Complex<double> beta = start_output(out, sizes, sum_type(dtype), add);
  MatrixProduct task{a.tensor->dtype(), out.dtype(), last_matrix(a), last_matrix(b), out->data, add.alpha, beta};
  if (count(batch) == 0) {
    task.a.columns = 0;  // nothing is added to what is held
    backend().matmul->multiply(task);
  } else {
    const MatrixBatch plan = plan_batch(*a.tensor, *b.tensor, batch);
    backend().matmul->multiply_and_add.unlocked(work_on(count(batch), multiplications(task)), task, plan);
  }
  return finish(std::move(out), dtype);
}

}  // namespace chainrule
