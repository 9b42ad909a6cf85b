// What dropout multiplies with.
#include "ops/dropout_noise.hpp"

#include "backends/cpu/random/random.hpp"
#include "ops/accumulate.hpp"
#include "ops/kernel_input.hpp"
#include "ops/random.hpp"

namespace chainrule {

Tensor dropout_noise(Span sizes, DType dtype, double p) {
  if (p >= 1) return zeros(sizes, dtype);
  Tensor noise = empty(sizes, dtype);
  auto draw = [&]<class T>(T) {
    cpu::random::dropout_noise(default_generator(), reinterpret_cast<T*>(noise->data), noise.numel(), p);
  };
  switch (dtype) {
    case DType::Float16:
      draw(Half{});
      break;
    case DType::BFloat16:
      draw(BFloat16{});
      break;
    default:
      with_kernel_type(dtype, draw);
  }
  return noise;
}

}  // namespace chainrule
