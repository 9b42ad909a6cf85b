#include "ops/views/move.hpp"

#include "autograd/record.hpp"
#include "backends/transfer.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

OpInfo kMove{"to", "ToCopyBackward0", "g moved back"};

// The same strides, where they leave no gaps.
Tensor dense(const Tensor& t) {
  DeviceScope there(t->storage->device);
  GradModeScope off(false);
  return is_dense(t.sizes(), t.strides()) && !t->bits() ? t : clone(resolved(t));
}

}  // namespace

Tensor move_to(const Tensor& t, Device device) {
  const Device home = t->storage->device;
  if (device == home) return t;
  const Tensor from = dense(t);
  DeviceScope there(device);
  Tensor result = empty_strided(from.sizes(), from.strides(), from.dtype());
  if (result.numel()) {
    DeviceScope worker(is_host_memory(device) ? home
                                              : device);  // a GPU reads and writes the host's memory, not vice versa
    backend().transfer->copy({from->data, result->data, from.numel() * static_cast<int64_t>(size_of(from.dtype()))});
  }
  if (!is_differentiable(t.dtype())) return result;
  return record(kMove, result, {&t}, {}, [home](Backward& b) { b.give(0, move_to(b.take_g(), home)); });
}

}  // namespace chainrule
