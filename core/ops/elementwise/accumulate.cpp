// The few operations that the engine itself calls: adding gradients and undoing broadcasting.
#include "ops/elementwise/accumulate.hpp"

#include "autograd/inplace.hpp"
#include "autograd/private_buffer.hpp"
#include "ops/elementwise/chain_parts.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"
#include "tensor/python_call.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

bool same_kind(const Tensor& a, const Tensor& b) { return a.dtype() == b.dtype() && equal(a.sizes(), b.sizes()); }

// target += source on bare memory: no history, no version. False, and nothing done, unless both are contiguous floats
// of one dtype and shape.
bool add_in_memory(const Tensor& target, const Tensor& source) {
  if (!has_line_kernels(target.dtype()) || !target.is_contiguous() || !matches(source.get(), target.get()))
    return false;
  const int64_t numel = target.numel(), next = 1;
  if (numel <= thresholds.sweep && target->storage->device == Device::CPU) {
    const void* pointers[2] = {target->data, source->data};
    const LineKernel kernel = line_kernels_of(OpId::add).value[line_kernel_index(target.dtype())];
    run_line(kernel, {OpId::add, target.dtype(), target->data, pointers, numel, nullptr, 2});
    return true;
  }
  const ChainInput inputs[2] = {{target->data, target.dtype(), Dims{1}}, {source->data, target.dtype(), Dims{1}}};
  const ChainStep add{.op = OpId::add, .operands = {ChainOperand::input(0), ChainOperand::input(1)}};
  const ChainOutput sum{ChainOperand::step(0), target->data, target.dtype(), {&next, 1}};
  backend().chain->run({{&numel, 1}, target.dtype(), inputs, {&add, 1}, {&sum, 1}});
  return true;
}

}  // namespace

Tensor add_gradients(Tensor a, Tensor b) {
  if (is_kept_by_python(a) || is_kept_by_python(b)) [[unlikely]]
    return call_sparse("sum_of", a, b);
  if (!grad_enabled() && same_kind(a, b)) {
    // Addition commutes to the last bit, so either buffer may take the sum.
    if (!has_one_owner(a.get()) && has_one_owner(b.get())) std::swap(a, b);
    if (has_one_owner(a.get())) {
      if (!thresholds.reuse) a = copy_strided(a, Dims(a.strides()));
      add_into(a, b);
      return a;
    }
  }
  return elementwise(OpId::add, {a, b});
}

void add_into(const Tensor& target, const Tensor& gradient) {
  const bool plain = !target->bits() && target->storage->device != Device::Meta;
  if (!requires_grad(target) && plain && add_in_memory(target, gradient)) {
    ++target->storage->version;
    return;
  }
  GradModeScope off(false);
  if (target->bits()) return copy_into(target, elementwise(OpId::add, {resolved(target), gradient}));
  elementwise_inplace(OpId::add, {target, gradient});
}

Tensor sum_to(const Tensor& gradient, Span sizes) {
  if (is_sparse(gradient)) return sum_to(call_sparse("dense", gradient), sizes);
  Dims over;
  int extra = gradient.ndim() - static_cast<int>(sizes.size());
  for (int i = 0; i < gradient.ndim(); ++i) {
    if (i < extra || (sizes[static_cast<size_t>(i - extra)] == 1 && gradient.size(i) != 1)) over.push_back(i);
  }
  Tensor result = over.empty() ? gradient : sum(gradient, over, true, {});
  if (!equal(result.sizes(), sizes)) result = extra > 0 ? view(result, sizes) : expand(result, sizes);
  return result;
}

Tensor cast_gradient(const Tensor& gradient, DType dtype) {
  if (is_kept_by_python(gradient)) return call_sparse("cast_like", gradient, empty(Dims{0}, dtype));
  Tensor g = holds_complex(gradient.dtype()) && !holds_complex(dtype) ? real(gradient) : gradient;
  return to_dtype(g, dtype);
}

Tensor own_gradient(Tensor gradient, const Tensor& leaf) {
  if (is_kept_by_python(gradient)) return call_sparse("owned", gradient);
  if (is_sparse(leaf)) return has_one_owner(gradient.get()) ? gradient : clone(gradient);
  bool both_plain = leaf.is_contiguous() && gradient.is_contiguous();
  if (both_plain && has_one_owner(gradient.get())) return gradient;
  if (!grad_layout_enforced && has_one_owner(gradient.get()) && is_dense(gradient.sizes(), gradient.strides()))
    return gradient;
  Dims wanted = is_dense(leaf.sizes(), leaf.strides()) ? Dims(leaf.strides()) : contiguous_strides(leaf.sizes());
  bool fits = true;
  for (int d = 0; d < leaf.ndim(); ++d) fits &= leaf.size(d) == 1 || gradient.stride(d) == wanted[d];
  if (fits && has_one_owner(gradient.get())) return gradient;
  GradModeScope off(false);
  return copy_strided(gradient, wanted);
}

Tensor recorded_copy(const Tensor& gradient, const Tensor& leaf) {
  if (is_kept_by_python(gradient)) return call_sparse("copied", gradient);
  if (is_sparse(leaf)) return clone(gradient);
  if (!requires_grad(gradient)) return own_gradient(gradient, leaf);
  Dims wanted = is_dense(leaf.sizes(), leaf.strides()) ? Dims(leaf.strides()) : contiguous_strides(leaf.sizes());
  Tensor made = empty_strided(gradient.sizes(), wanted, gradient.dtype());
  return copy_(made, gradient);
}

Tensor fit_tangent(const Tensor& tangent, const Tensor& like) {
  Tensor t = to_dtype(tangent, like.dtype());
  return equal(t.sizes(), like.sizes()) ? t : expand(t, like.sizes());
}

void prepare_out(const Tensor& out, Span sizes) {
  if (equal(out.sizes(), sizes)) return;
  if (out.numel() != 0) {
    std::string text =
        "An output with one or more elements was resized since it had shape " + shape_text(out.sizes()) +
        ", which does not match the required output shape " + shape_text(sizes) +
        ". This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless "
        "they have zero elements.";
    from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
  }
  resize(out, sizes);
}

bool has_nan(const Tensor& t) {
  GradModeScope off(false);
  Operand operand[1] = {Operand(t)};
  Tensor found = any(elementwise(OpId::isnan, std::span<const Operand>(operand, 1)), Dims(), false);
  return item(found).integer != 0;
}

}  // namespace chainrule
