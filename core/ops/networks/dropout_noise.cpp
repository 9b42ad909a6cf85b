// What dropout multiplies with.
#include "ops/networks/dropout_noise.hpp"

#include "backends/random.hpp"
#include "ops/create/create.hpp"
#include "ops/create/random.hpp"
#include "ops/elementwise/accumulate.hpp"

namespace chainrule {

Tensor dropout_noise(Span sizes, DType dtype, double p) {
  if (p >= 1) return zeros(sizes, dtype);
  Tensor noise = empty(sizes, dtype);
  if (backend().random->fused_dropout.run)
    return native_dropout(fill(noise, Scalar::of_int(1), Place::Itself), p, true).first;
  backend().random->dropout({chosen(nullptr), dtype, noise->data, noise.numel(), true, {}, {}}, p);
  return noise;
}

}  // namespace chainrule
