// Views and copies, bound.
#include "autograd/leaf.hpp"
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/complex.hpp"
#include "ops/copy.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

Tensor squeeze_dims(const Tensor& t, const std::optional<Dims>& dims) { return squeeze(t, dims ? &*dims : nullptr); }

// The same bytes as another dtype; elements of another size change the last dimension.
Tensor view_dtype(const Tensor& t, DType dtype) {
  auto old_size = static_cast<int64_t>(size_of(t.dtype())), new_size = static_cast<int64_t>(size_of(dtype));
  Dims sizes(t.sizes()), strides(t.strides());
  if (old_size != new_size) {
    if (t.ndim() == 0)
      raise(PyExc_RuntimeError, "self.dim() cannot be 0 to view ", facts(t.dtype()).tensor_name, " as ",
            facts(dtype).tensor_name, " (different element sizes)");
    if (t.stride(t.ndim() - 1) != 1)
      raise(PyExc_RuntimeError, "self.stride(-1) must be 1 to view ", facts(t.dtype()).tensor_name, " as ",
            facts(dtype).tensor_name, " (different element sizes), but got ", t.stride(t.ndim() - 1));
    auto rescaled = [&](int64_t count, const char* what) {
      if (count * old_size % new_size)
        raise(PyExc_RuntimeError, what, " must be divisible by ", new_size / old_size, " to view ",
              facts(t.dtype()).tensor_name, " as ", facts(dtype).tensor_name, " (different element sizes), but got ",
              count);
      return count * old_size / new_size;
    };
    sizes.back() = rescaled(sizes.back(), "self.size(-1)");
    for (int i = 0; i + 1 < strides.size(); ++i) strides[i] = rescaled(strides[i], "self.stride()");
    rescaled(t.offset(), "self.storage_offset()");
  }
  Tensor result = tensor_over(t->storage, sizes, strides, 0, dtype);
  result->data = t->data;
  return result;
}

Tensor expand_as(const Tensor& t, const Tensor& other) { return expand(t, other.sizes()); }
Tensor view_as(const Tensor& t, const Tensor& other) { return view(t, other.sizes()); }
Tensor reshape_as(const Tensor& t, const Tensor& other) { return reshape(t, other.sizes()); }

Tensor as_strided_at(const Tensor& t, const Dims& size, const Dims& stride, std::optional<int64_t> offset) {
  return as_strided(t, size, stride, offset ? *offset - t.offset() : 0);
}

using MaybeFormat = std::optional<MemoryFormat>;

Tensor clone_with(const Tensor& t, MaybeFormat format) { return clone_in(format.value_or(MemoryFormat::Preserve), t); }
Tensor contiguous_with(const Tensor& t, MaybeFormat format) {
  return contiguous_in(format.value_or(MemoryFormat::Contiguous), t);
}

}  // namespace

void bind_views() {
  define("view(Tensor input, int[*] size)", kMethod, [](const Tensor& t, const Dims& size) { return view(t, size); });
  define("view(Tensor input, dtype dtype)", kMethod, view_dtype);
  define("view_as(Tensor input, Tensor other)", kMethod, view_as);
  define("reshape(Tensor input, int[*] shape)", kMethod,
         [](const Tensor& t, const Dims& shape) { return reshape(t, shape); });
  define("reshape(Tensor input, int[] shape)", kFunction,
         [](const Tensor& t, const Dims& shape) { return reshape(t, shape); });
  define("reshape_as(Tensor input, Tensor other)", kMethod, reshape_as);
  define("expand(Tensor input, int[*] size)", kMethod,
         [](const Tensor& t, const Dims& size) { return expand(t, size); });
  define("expand_as(Tensor input, Tensor other)", kMethod, expand_as);
  define("broadcast_to(Tensor input, int[] size)", kBoth,
         [](const Tensor& t, const Dims& size) { return expand(t, size); });
  define("permute(Tensor input, int[*] dims)", kMethod,
         [](const Tensor& t, const Dims& dims) { return permute(t, dims); });
  define("permute(Tensor input, int[] dims)", kFunction,
         [](const Tensor& t, const Dims& dims) { return permute(t, dims); });
  define("transpose(Tensor input, int dim0, int dim1)", kBoth, transpose);
  define("t(Tensor input)", kBoth, [](const Tensor& x) { return t(x); });
  define("squeeze(Tensor input, int[]? dim=None)", kBoth, squeeze_dims);
  define("unsqueeze(Tensor input, int dim)", kBoth, unsqueeze);
  define("flatten(Tensor input, int start_dim=0, int end_dim=-1)", kBoth, flatten);
  define("ravel(Tensor input)", kBoth, [](const Tensor& t) { return reshape(t, Dims{-1}); });
  define("select(Tensor input, int dim, int index)", kBoth,
         [](const Tensor& t, int64_t dim, int64_t index) { return select(t, dim, index); });
  define("narrow(Tensor input, int dim, int start, int length)", kBoth, narrow);
  define("as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None)", kBoth, as_strided_at);
  define("detach(Tensor input)", kBoth, detach);
  define("detach_(Tensor input)", kBoth, [](const Tensor& t) {
    detach_inplace(t);
    return t;
  });
  define("contiguous(Tensor input, *, memory_format? memory_format=None)", kMethod, contiguous_with);
  define("clone(Tensor input, *, memory_format? memory_format=None)", kBoth, clone_with);
  define("copy_(Tensor input, Tensor src, bool non_blocking=False)", kMethod,
         [](const Tensor& t, const Tensor& source, bool) {
           Tensor self = t;
           return copy_(self, source);
         });
  define("view_as_real(Tensor input)", kFunction, view_as_real);
  define("view_as_complex(Tensor input)", kFunction, view_as_complex);
  define("real(Tensor input)", kFunction, [](const Tensor& t) { return real(t); });
  define("imag(Tensor input)", kFunction, [](const Tensor& t) { return imag(t); });
  define("complex(Tensor real, Tensor imag, *, Tensor!? out=None)", kFunction, complex_of_parts);
  define("polar(Tensor abs, Tensor angle, *, Tensor!? out=None)", kFunction, polar);
  define("conj(Tensor input)", kBoth, [](const Tensor& t) { return conj(t); });
  define("conj_physical(Tensor input, *, Tensor? out=None)", kBoth, [](const Tensor& t) { return conj(t); });
  define("resolve_conj(Tensor input)", kBoth, [](const Tensor& t) { return t; });
  define("resolve_neg(Tensor input)", kBoth, [](const Tensor& t) { return t; });
  define("adjoint(Tensor input)", kBoth, [](const Tensor& t) { return conj(adjoint_matrix(t)); });
}

}  // namespace chainrule
