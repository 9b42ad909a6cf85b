// Reading and writing under masks, filling and padding, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/out_argument.hpp"
#include "bindings/calls/write_forms.hpp"
#include "ops/create/create.hpp"
#include "ops/indexing/masked.hpp"
#include "ops/networks/pad.hpp"

namespace chainrule {
namespace { using T = const Tensor&; }  // namespace

void bind_masked() {
  define_write("masked_fill", "Tensor input, Tensor mask, Tensor value",
               [](Place p, T x, T mask, T value) { return masked_fill(x, mask, value, p); });
  define_write("masked_fill", "Tensor input, Tensor mask, Number value",
               [](Place p, T x, T mask, const Scalar& value) { return masked_fill(x, mask, value, p); });
  define_write("masked_scatter", "Tensor input, Tensor mask, Tensor source",
               [](Place p, T x, T mask, T source) { return masked_scatter(x, mask, source, p); });
  define("masked_select(Tensor input, Tensor mask, *, Tensor!? out=None)", kFunction,
         [](T x, T mask, T out) { return deliver_apart(masked_select(x, mask), out, {&x, &mask}); });
  define("masked_select(Tensor input, Tensor mask)", kMethod, masked_select);
  for (bool inplace : {false, true}) {
    std::string name = inplace ? "fill_" : "fill";
    Forms forms = inplace ? kBoth : kFunction;
    define(
        name + "(Tensor input, Tensor value)", forms,
        inplace ? [](T x, T value) { return fill(x, value, Place::Itself); }
                : [](T x, T value) { return fill(x, value, Place::Copy); });
    define(
        name + "(Tensor input, Number value)", forms,
        inplace ? [](T x, const Scalar& value) { return fill(x, value, Place::Itself); }
                : [](T x, const Scalar& value) { return fill(x, value, Place::Copy); });
  }
  define("constant_pad_nd(Tensor input, int[] pad, Number value=0)", kFunction,
         [](T x, const Dims& pad, const Scalar& value) { return constant_pad_nd(x, pad, value); });
  define("_repeated_pad(Tensor input, int[] pad, bool reflects)", kFunction,
         [](T x, const Dims& pad, bool reflects) { return repeated_pad(x, pad, reflects); });
}

}  // namespace chainrule
