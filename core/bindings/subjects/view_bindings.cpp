// Views and copies, bound.
#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "backends/cuda/pinned.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/resolve.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

Tensor squeeze_dims(const Tensor& t, PyObject* dim) {
  auto dims = FromPython<std::optional<Dims>>::from(dim);
  return squeeze(t, dims ? &*dims : nullptr, !is_index(dim));
}

Tensor expand_as(const Tensor& t, const Tensor& other) { return expand(t, other.sizes()); }
Tensor view_as(const Tensor& t, const Tensor& other) { return view(t, other.sizes()); }
Tensor reshape_as(const Tensor& t, const Tensor& other) { return reshape(t, other.sizes()); }

Tensor as_strided_at(const Tensor& t, const Dims& size, const Dims& stride, std::optional<int64_t> offset) {
  if (offset && *offset < 0) raise(PyExc_RuntimeError, "Tensor: invalid storage offset ", *offset);
  return as_strided(t, size, stride, offset ? *offset - t.offset() : 0);
}

Tensor narrow_from(const Tensor& t, int64_t dim, const Tensor& start, int64_t length) {
  check(start.ndim() == 0 && is_integral(start.dtype()) && !is_bool(start.dtype()),
        "start must be an 0-dim integral Tensor.");
  return narrow(t, dim, item(start).integer, length);
}

// ---- in place: the tensor itself becomes the view

OpInfo kT{"t_", "TBackward1", "the transpose of g"};
OpInfo kTranspose{"transpose_", "TransposeBackward1", "g with the two dimensions swapped back"};
OpInfo kSqueeze{"squeeze_", "SqueezeBackward3", "g with the input's shape"};
OpInfo kSqueezeDim{"squeeze_", "SqueezeBackward4", "g with the input's shape"};
OpInfo kSqueezeDims{"squeeze_", "SqueezeBackward5", "g with the input's shape"};
OpInfo kUnsqueeze{"unsqueeze_", "UnsqueezeBackward1", "g without the added dimension"};
OpInfo kAsStrided{"as_strided_", "AsStridedBackward1", "g added at the elements that the view shows"};

template <class View>
Tensor in_place(const Tensor& self, OpInfo& op, View view) {
  check_inplace(self, grad_enabled() && requires_grad(self));
  become_view(self, view(self), op);
  return self;
}

Tensor transpose_inplace(const Tensor& self, int64_t dim0, int64_t dim1) {
  return in_place(self, kTranspose, [&](const Tensor& x) { return transpose(x, dim0, dim1); });
}
Tensor squeeze_inplace(const Tensor& self, PyObject* dim) {
  OpInfo& op = dim == Py_None ? kSqueeze : is_index(dim) ? kSqueezeDim : kSqueezeDims;
  return in_place(self, op, [&](const Tensor& x) { return squeeze_dims(x, dim); });
}

void bind_inplace_views() {
  define("t_(Tensor input)", kMethod,
         [](const Tensor& self) { return in_place(self, kT, [](const Tensor& x) { return t(x); }); });
  define("transpose_(Tensor input, int dim0, int dim1)", kMethod, transpose_inplace);
  define("swapaxes_(Tensor input, int axis0, int axis1)", kMethod, transpose_inplace);
  define("swapdims_(Tensor input, int dim0, int dim1)", kMethod, transpose_inplace);
  define("squeeze_(Tensor input, int[]? dim=None)", kMethod, squeeze_inplace);
  define("unsqueeze_(Tensor input, int dim)", kMethod, [](const Tensor& self, int64_t dim) {
    return in_place(self, kUnsqueeze, [&](const Tensor& x) { return unsqueeze(x, dim); });
  });
  define("as_strided_(Tensor input, int[] size, int[] stride, int? storage_offset=None)", kBoth,
         [](const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> offset) {
           return in_place(self, kAsStrided, [&](const Tensor& x) { return as_strided_at(x, size, stride, offset); });
         });
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
  define("reshape(Tensor input, int[]! shape)", kFunction,
         [](const Tensor& t, const Dims& shape) { return reshape(t, shape); });
  define("_unsafe_view(Tensor input, int[] size)", kFunction,
         [](const Tensor& t, const Dims& size) { return unsafe_view(t, size); });
  define("reshape_as(Tensor input, Tensor other)", kMethod, reshape_as);
  define("expand(Tensor input, int[*] size)", kMethod,
         [](const Tensor& t, const Dims& size) { return expand(t, size); });
  define("expand_as(Tensor input, Tensor other)", kMethod, expand_as);
  define("broadcast_to(Tensor input, int[*] size)", kMethod,
         [](const Tensor& t, const Dims& size) { return expand(t, size); });
  define("broadcast_to(Tensor input, int[]! size)", kFunction,
         [](const Tensor& t, const Dims& size) { return expand(t, size); });
  define("permute(Tensor input, int[*] dims)", kMethod,
         [](const Tensor& t, const Dims& dims) { return permute(t, dims); });
  define("permute(Tensor input, int[]! dims)", kFunction,
         [](const Tensor& t, const Dims& dims) { return permute(t, dims); });
  define("transpose(Tensor input, int dim0, int dim1)", kBoth, transpose);
  define("t(Tensor input)", kBoth, [](const Tensor& x) { return t(x); });
  define("squeeze(Tensor input, int[]? dim=None)", kBoth, squeeze_dims);
  define("unsqueeze(Tensor input, int dim)", kBoth, unsqueeze);
  define("flatten(Tensor input, int start_dim=0, int end_dim=-1)", kBoth, flatten);
  define("ravel(Tensor input)", kBoth, [](const Tensor& t) { return reshape(contiguous(t), Dims{-1}); });
  define("unfold(Tensor input, int dimension, int size, int step)", kMethod, unfold);
  define("select(Tensor input, int dim, int index)", kBoth,
         [](const Tensor& t, int64_t dim, int64_t index) { return select(t, dim, index); });
  define("narrow(Tensor input, int dim, Tensor start, int length)", kBoth, narrow_from);
  define("narrow(Tensor input, int dim, int start, int length)", kBoth, narrow);
  define("as_strided(Tensor input, int[]! size, int[]! stride, int? storage_offset=None)", kBoth, as_strided_at);
  define("detach(Tensor input)", kBoth, detach);
  define("detach_(Tensor input)", kBoth, [](const Tensor& t) {
    detach_inplace(t);
    return t;
  });
  bind_inplace_views();
  define("contiguous(Tensor input, *, memory_format? memory_format=None)", kMethod, contiguous_with);
  define("clone(Tensor input, *, memory_format? memory_format=None)", kBoth, clone_with);
  define("copy_(Tensor input, Tensor src, bool non_blocking=False)", kMethod,
         [](const Tensor& t, const Tensor& source, bool non_blocking) {
           cuda::NonBlockingScope waits(non_blocking);
           Tensor self = t;
           return copy_(self, source);
         });
  define("view_as_real(Tensor input)", kFunction, view_as_real);
  define("view_as_complex(Tensor input)", kFunction, view_as_complex);
  define("real(Tensor input)", kFunction, [](const Tensor& t) { return real(t); });
  define("imag(Tensor input)", kFunction, [](const Tensor& t) { return imag(t); });
  define("complex(Tensor real, Tensor imag, *, Tensor!? out=None)", kFunction, complex_of_parts);
  define("polar(Tensor abs, Tensor angle, *, Tensor!? out=None)", kFunction, polar);
  define("conj(Tensor input)", kBoth, conj_view);
  define("_conj(Tensor input)", kFunction, conj_view);
  define("_neg_view(Tensor input)", kBoth, neg_view);
  define("conj_physical(Tensor input, *, Tensor? out=None)", kBoth, [](const Tensor& t) { return conj(t); });
  define("conj_physical_(Tensor input)", kBoth, [](const Tensor& t) {
    Tensor self = t;
    return holds_complex(t.dtype()) ? copy_(self, conj(t)) : self;
  });
  define("resolve_conj(Tensor input)", kBoth, resolve_conj);
  define("resolve_neg(Tensor input)", kBoth, resolve_neg);
  define("adjoint(Tensor input)", kBoth, [](const Tensor& t) { return conj_view(adjoint_matrix(t, "adjoint()")); });
}

}  // namespace chainrule
