// Reading and writing at positions, bound.
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/nonzero.hpp"

namespace chainrule {
namespace {

void bind_nonzero() {
  define("nonzero(Tensor input, *, Tensor!? out=None)", kBoth, nonzero);
  define_call(
      Signature::parse("nonzero(Tensor input, *, bool as_tuple, Tensor!? out=None) -> Tensor | Tensor[]"), kBoth,
      [](const BoundArguments& a) {
        Tensor x = Tensor::borrow(a[0]);
        if (a[1] != Py_True) return to_python(nonzero(x));
        check(a[2] == Py_None, "nonzero does not support the out kwarg when as_tuple is True");
        return to_python(nonzero_by_dimension(x));
      },
      true);
  define("nonzero_static(Tensor input, *, int size, int fill_value=-1, Tensor!? out=None)", kBoth, nonzero_static);
  define("argwhere(Tensor input)", kBoth, nonzero);
}

}  // namespace

void bind_indexing() { bind_nonzero(); }

}  // namespace chainrule
