// Reading and writing at positions, bound.
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/index.hpp"
#include "ops/split.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

// One row of indices per element found, or one vector per dimension; a number has one dimension then.
PyObject* nonzero_as(const Tensor& x, bool as_tuple) {
  if (!as_tuple) return to_python(nonzero(x));
  return to_python(unbind(nonzero(x.ndim() ? x : view(x, Dims{1})), 1));
}

}  // namespace

void bind_indexing() {
  define("nonzero(Tensor input, *, Tensor? out=None, bool as_tuple=False) -> object", kFunction, nonzero_as);
  define("nonzero(Tensor input, *, bool as_tuple=False) -> object", kMethod, nonzero_as);
}

}  // namespace chainrule
