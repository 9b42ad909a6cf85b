// What dropout multiplies with.
#include "ops/networks/dropout_noise.hpp"

#include "backends/random.hpp"
#include "ops/create/random.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

Tensor dropout_noise(Span sizes, DType dtype, double p) {
  if (p >= 1) return zeros(sizes, dtype);
  Tensor noise = empty(sizes, dtype);
  backend().random->dropout({default_generator(), dtype, noise->data, noise.numel(), true, {}, {}}, p);
  return noise;
}

}  // namespace chainrule
