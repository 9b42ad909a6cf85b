// The argument out=: a result is copied into the tensors that the user gave.
#pragma once
#include "bindings/calls/callable.hpp"

namespace chainrule {

// Raises if `out` is not a sequence of tensors.
void check_several(const Callable& c, PyObject* out);
// The result's tensors in the tensors of `out`; all are checked before one is written. Takes over the result.
PyObject* serve_out(const Callable& c, const Overload& o, PyObject* result, PyObject* out);
// Raises where `out` is memory that a function reads which PyTorch does not let write there.
void refuse_shared_out(const Callable& c, const Overload& o, const BoundArguments& bound);
// zeros(3, out=x): no tensor among the arguments decides the dtype, so `out` does.
bool creates(const Overload& o);
// What is created into `out` has no history: a gradient that was asked for is out's own.
PyObject* create_into(const Callable& c, const Overload& o, BoundArguments& bound);

// For functions that take `out` themselves: the result, or `out` with the result in it. Raises where `out` shares
// memory with what was read. `out` must have the result's dtype if `exact`.
Tensor deliver_apart(const Tensor& result, const Tensor& out, std::span<const Tensor* const> inputs, bool exact = true);
inline Tensor deliver_apart(const Tensor& result, const Tensor& out, std::initializer_list<const Tensor*> inputs) {
  return deliver_apart(result, out, std::span(inputs.begin(), inputs.size()));
}

}  // namespace chainrule
