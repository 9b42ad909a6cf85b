// Reading and writing at positions, bound.
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/index.hpp"

namespace chainrule {

void bind_indexing() { define("nonzero(Tensor input, *, Tensor? out=None)", kBoth, nonzero); }

}  // namespace chainrule
