// Forward mode of an autograd.Function with a jvp: what its result has to be, and where it goes.
#include "bindings/types/function_tangents.hpp"

#include <algorithm>

namespace chainrule {
namespace {

const TensorObject* root_of(const Tensor& t) { return t->base ? t->base : t.get(); }

void check_view(const Tensor& tangent, const Tensor& of_input) {
  if (!tangent->base) {
    raise(PyExc_RuntimeError,
          "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view.");
  }
  if (of_input->base && of_input->base != tangent->base) {
    raise(PyExc_RuntimeError,
          "A custom Function is returning a view but the jvp is not returning a view of the same base as the given "
          "grad input.");
  }
  if (!of_input->base && tangent->base != of_input.get()) {
    raise(PyExc_RuntimeError,
          "A custom Function is returning a view but the jvp is not returning a view of the given grad input.");
  }
}

}  // namespace

GivenTangents::GivenTangents(std::span<PyObject* const> inputs) : inputs_(inputs) {
  for (PyObject* o : inputs) {
    tangents_.push_back(is_tensor(o) ? forward_mode::kept_tangent(Tensor::borrow(o)) : Tensor());
    versions_.push_back(tangents_.back() ? tangents_.back()->storage->version : 0);
  }
}

void GivenTangents::place_written(const Tensor& output, const Tensor& tangent) const {
  size_t i = static_cast<size_t>(std::ranges::find(inputs_, output.py()) - inputs_.begin());
  const Tensor& before = tangents_[i];
  if (!before) {
    if (!tangent) return;
    forward_mode::WriteScope scope(output);
    return forward_mode::set_tangent(output, tangent);
  }
  if (tangent && tangent->storage->version == versions_[i]) {
    raise(PyExc_RuntimeError,
          "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
          "an input inplace, then the jvp function must modify the corresponding gradient inplace.");
  }
  if (tangent.get() != before.get()) {
    raise(PyExc_RuntimeError,
          "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying "
          "an input inplace, then the jvp function must modify the gradient inplace and return it as-is.");
  }
}

void GivenTangents::place(const Tensor& output, const Tensor& tangent) const {
  std::vector<Tensor> inputs;
  std::vector<const Tensor*> pointers;
  for (PyObject* o : inputs_) inputs.push_back(is_tensor(o) ? Tensor::borrow(o) : Tensor());
  for (const Tensor& t : inputs) pointers.push_back(&t);
  for (size_t i = 0; i < inputs.size() && output->base; ++i) {
    if (!inputs[i] || !output.same_storage(inputs[i]) || root_of(output) != root_of(inputs[i])) continue;
    forward_mode::follow_base(output, inputs[i]);
    if (tangents_[i]) {
      check_view(tangent, tangents_[i]);
      return forward_mode::set_tangent(output, tangent);
    }
    forward_mode::WriteScope scope(output);
    return forward_mode::set_tangent(output, tangent);
  }
  forward_mode::set_tangent(output, forward_mode::tangent_apart(output, tangent, pointers));
}

}  // namespace chainrule
