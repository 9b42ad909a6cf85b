// Copying elements between tensors: clone, contiguous, conversion, copy_.
#include "ops/views/copy.hpp"

#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "backends/copy.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/indexing/write.hpp"
#include "ops/views/move.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {
OpInfo kClone{"clone", "CloneBackward0", "g"};
OpInfo kTo{"to", "ToCopyBackward0", "g converted back"};
OpInfo kCopy{"copy_", "CopyBackwards", "self: 0, source: g"};

// What was copied as it lay, between tensors that show their memory differently.
void change_signs(const Tensor& to, DType from, uint16_t bits) {
  const SignChange signs{to.sizes(), to->data, to.strides(), to.dtype()};
  if (bits & kNeg) backend().copy->negate(signs);
  if (bits & kConj && holds_complex(to.dtype()) && holds_complex(from)) backend().copy->conjugate(signs);
}
}  // namespace

void copy_elements(const Tensor& to, const Tensor& from) {
  const Device there = to->storage->device;
  if (to.numel() == 0 || there == Device::Meta) return;
  if (from->storage->device != there) [[unlikely]] {
    GradModeScope off(false);
    DeviceScope scope(there);
    return copy_elements(to, move_to(from, there));
  }
  backend().copy->strided({to.sizes(), to->data, to.dtype(), to.strides(), from->data, from.dtype(),
                           broadcast_strides(from.get(), to.sizes())});
  if (uint16_t differing = to->bits() ^ from->bits()) [[unlikely]]
    change_signs(to, from.dtype(), differing);
}

Tensor clone(const Tensor& t) {
  bool dense = t.is_contiguous() || is_dense(t.sizes(), t.strides());
  Tensor result = empty_strided(t.sizes(), dense ? Dims(t.strides()) : dense_strides_like(t), t.dtype());
  copy_elements(result, t);
  return record(kClone, result, {&t}, {}, [](Backward& b) { b.give(0, b.take_g()); });
}

Tensor copy_strided(const Tensor& t, Span strides) {
  Tensor result = empty_strided(t.sizes(), strides, t.dtype());
  copy_elements(result, t);
  return record(kClone, result, {&t}, {}, [](Backward& b) { b.give(0, b.take_g()); });
}

Tensor contiguous(const Tensor& t) {
  if (t.is_contiguous()) return t;
  Tensor result = empty(t.sizes(), t.dtype());
  copy_elements(result, t);
  return record(kClone, result, {&t}, {}, [](Backward& b) { b.give(0, b.take_g()); });
}

Tensor convert_copy(const Tensor& t, DType dtype) {
  Tensor result = empty_strided(t.sizes(), dense_strides_like(t), dtype);
  copy_elements(result, t);
  if (!is_differentiable(dtype)) return result;
  // A leaf that takes gradients of any dtype gets it in its own, as in PyTorch.
  return record(kTo, result, {&t}, {}, [from = t.dtype()](Backward& b) { b.give(0, cast_gradient(b.take_g(), from)); });
}

Tensor to_dtype(const Tensor& t, DType dtype) { return t.dtype() == dtype ? t : convert_copy(t, dtype); }

Tensor& copy_(Tensor& self, const Tensor& source) {
  Dims shape = broadcast_shapes(self.sizes(), source.sizes(), "copy_");
  if (!equal(shape, self.sizes())) {
    raise(PyExc_RuntimeError, "output with shape ", self.sizes(), " doesn't match the broadcast shape ", Span(shape));
  }
  bool recorded = grad_enabled() && is_differentiable(self.dtype()) && (requires_grad(self) || requires_grad(source));
  check_inplace(self, recorded);
  check_no_overlap(self);
  Tensor from = source;
  if (self.same_storage(source) && self.get() != source.get()) {
    GradModeScope off(false);
    if (!show_the_same(self, source) && may_overlap(self, source)) from = clone(source);
  }
  if (self.get() != source.get()) copy_elements(self, from);
  mark_written(self);
  if (recorded) {
    Node* n = make_node(&kCopy, 2, 0, 1);
    set_edge(n, 0, gradient_edge(self));
    if (is_differentiable(source.dtype())) set_edge(n, 1, gradient_edge(source));
    set_function(n, [](Backward& b) {
      if (b.needs(0)) b.give(0, zeros(b.g().sizes(), b.g().dtype()));
      if (b.needs(1)) b.give(1, b.take_g());
    });
    n->outputs[0].describe(self);
    finish_node(n);
    rebase_history(self, n);
  }
  if (forward_mode::active() && (forward_mode::tangent(self) || forward_mode::tangent(source))) {
    forward_mode::WriteScope scope(self);
    forward_mode::PauseScope pause;
    Tensor t = forward_mode::tangent(source);
    forward_mode::set_tangent(self, t ? clone(fit_tangent(t, self)) : zeros(self.sizes(), self.dtype()));
  }
  return self;
}

Tensor write_result(const Tensor& self, const Tensor& result) {
  Node* made = result->node;
  bool of_self = made && made->edge_count && made->edges[0] == gradient_edge(self);
  Tensor target = self;
  if (!of_self || result.dtype() != self.dtype() || !equal(self.sizes(), result.sizes()) || forward_mode::active())
    return copy_(target, result);
  check_inplace(self, true);
  check_no_overlap(self);
  copy_elements(self, result);
  mark_written(self);
  rebase_history(self, std::exchange(result->node, nullptr));
  return self;
}

void copy_into(const Tensor& target, const Tensor& source) {
  Tensor t = target;
  copy_(t, source);
}

}  // namespace chainrule
