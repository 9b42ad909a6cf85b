// One value on the host. Nowhere else does an operation look at an element, or write one.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Of the tensor's first element.
inline Scalar item(const Tensor& t) {
  ElementScope open;
  return load(t.dtype(), t->data);
}
inline void set_item(const Tensor& t, const Scalar& value) {
  ElementScope open;
  store(value, t.dtype(), t->data);
}

}  // namespace chainrule
