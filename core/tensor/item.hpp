// One value on the host. Nowhere else does an operation look at an element, or write one.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Of the tensor's first element.
inline Scalar item(const Tensor& t) {
  if (!is_host_memory(t->storage->device)) [[unlikely]] {
    alignas(16) char bytes[16];
    cuda::read(bytes, t->data, size_of(t.dtype()));
    return load(t.dtype(), bytes);
  }
  ElementScope open;
  return load(t.dtype(), t->data);
}
inline void set_item(const Tensor& t, const Scalar& value) {
  if (!is_host_memory(t->storage->device)) [[unlikely]] {
    alignas(16) char bytes[16];
    store(value, t.dtype(), bytes);
    return cuda::write(t->data, bytes, size_of(t.dtype()));
  }
  if (recorder) [[unlikely]]
    return set_recorded(t->data, t.dtype(), value);
  ElementScope open;
  store(value, t.dtype(), t->data);
}

}  // namespace chainrule
