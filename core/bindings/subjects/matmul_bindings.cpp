// Matrix products, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

using AddedProduct = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&);

// name(input, a, b, *, beta=1, alpha=1) and name_, which writes the result into input.
template <AddedProduct product>
void define_added(const std::string& name, const std::string& factors, Forms inplace = kMethod,
                  const char* out = "Tensor!? out=None") {
  std::string parameters = "(Tensor input, " + factors + ", *, Number beta=1, Number alpha=1";
  define(name + parameters + ", " + out + ")", kBoth, product);
  define(name + "_" + parameters + ")", inplace,
         [](const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta, const Scalar& alpha) {
           Tensor result = product(input, a, b, beta, alpha);
           if (!equal(input.sizes(), result.sizes())) {
             raise(PyExc_RuntimeError, "Bad in-place call: input tensor size ", input.sizes(),
                   " and output tensor size ", result.sizes(), " should match");
           }
           return write_result(input, result);
         });
}

}  // namespace

void bind_matmul() {
  define("mm(Tensor input, Tensor mat2, *, Tensor!? out=None)", kBoth, mm_later);
  define("bmm(Tensor input, Tensor mat2, *, Tensor!? out=None)", kBoth, bmm);
  define("mv(Tensor input, Tensor vec, *, Tensor!? out=None)", kBoth, mv);
  define("dot(Tensor input, Tensor tensor, *, Tensor!? out=None)", kBoth, dot);
  define("vdot(Tensor input, Tensor other, *, Tensor!? out=None)", kBoth, vdot);
  define("outer(Tensor input, Tensor vec2, *, Tensor? out=None)", kBoth, outer);
  define("inner(Tensor input, Tensor other, *, Tensor!? out=None)", kBoth, inner);
  define("matmul(Tensor input, Tensor other, *, Tensor!? out=None)", kBoth, matmul_later);
  define_alias("ger", "outer");
  define_added<addmm>("addmm", "Tensor mat1, Tensor mat2");
  define_added<addmv>("addmv", "Tensor mat, Tensor vec", kBoth);
  define_added<addr>("addr", "Tensor vec1, Tensor vec2", kMethod, "Tensor? out=None");
  define_added<addbmm>("addbmm", "Tensor batch1, Tensor batch2");
  define_added<baddbmm>("baddbmm", "Tensor batch1, Tensor batch2");
  define("linear(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor!? out=None)", kFunctional, linear_later);
}

}  // namespace chainrule
