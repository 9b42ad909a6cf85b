// Reading and writing at positions, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/out_argument.hpp"
#include "bindings/calls/write_forms.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/indexing/index.hpp"
#include "ops/indexing/index_write.hpp"
#include "ops/indexing/nonzero.hpp"
#include "ops/indexing/scatter.hpp"
#include "ops/views/replace_part.hpp"

namespace chainrule {
namespace {

using T = const Tensor&;
using Text = const std::string&;
using MaybeInt = std::optional<int64_t>;
using List = std::vector<Tensor>;

constexpr const char *kOut = ", *, Tensor!? out=None", *kNamedOut = ", Tensor!? out=None";

Tensor gather_out(T x, int64_t dim, T index, bool sparse, T out) {
  return deliver_apart(gather(x, dim, index, sparse), out, {&x, &index});
}
Tensor index_select_out(T x, int64_t dim, T index, T out) {
  return deliver_apart(index_select(x, dim, index), out, {&x, &index});
}
Tensor take_out(T x, T index, T out) { return deliver_apart(take(x, index), out, {&x, &index}); }
Tensor take_along_dim_out(T x, T indices, MaybeInt dim, T out) {
  return deliver_apart(take_along_dim(x, indices, dim), out, {&x, &indices});
}

void bind_reads() {
  define("gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False, Tensor!? out=None)", kFunction,
         gather_out);
  define("gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False)", kMethod, gather);
  define("index_select(Tensor input, int dim, Tensor index, *, Tensor!? out=None)", kFunction, index_select_out);
  define("index_select(Tensor input, int dim, Tensor index)", kMethod, index_select);
  define("take(Tensor input, Tensor index, *, Tensor!? out=None)", kFunction, take_out);
  define("take(Tensor input, Tensor index)", kMethod, take);
  define("take_along_dim(Tensor input, Tensor indices, int? dim=None, *, Tensor!? out=None)", kFunction,
         take_along_dim_out);
  define("take_along_dim(Tensor input, Tensor indices, int? dim=None)", kMethod, take_along_dim);
}

void bind_scatters() {
  const std::string head = "Tensor input, int dim, Tensor index, ";
  define_write(
      "scatter", head + "Tensor src",
      [](Place p, T x, int64_t dim, T at, T src) { return scatter(x, dim, at, src, p); }, kOut);
  define_write(
      "scatter", head + "Tensor src, *, str reduce",
      [](Place p, T x, int64_t dim, T at, T src, Text reduce) { return scatter(x, dim, at, src, reduce, p); },
      kNamedOut);
  define_write(
      "scatter", head + "Number value",
      [](Place p, T x, int64_t dim, T at, const Scalar& value) { return scatter(x, dim, at, value, p); }, kOut);
  define_write(
      "scatter", head + "Number value, *, str reduce",
      [](Place p, T x, int64_t dim, T at, const Scalar& value, Text reduce) {
        return scatter(x, dim, at, value, reduce, p);
      },
      kNamedOut);
  define_write(
      "scatter_add", head + "Tensor src",
      [](Place p, T x, int64_t dim, T at, T src) { return scatter_add(x, dim, at, src, p); }, kOut);
  define_write(
      "scatter_reduce", head + "Tensor src, str reduce, *, bool include_self=True",
      [](Place p, T x, int64_t dim, T at, T src, Text reduce, bool include_self) {
        return scatter_reduce(x, dim, at, src, reduce, include_self, p);
      },
      kNamedOut);
}

void bind_slices() {
  const std::string head = "Tensor input, int dim, Tensor index, ";
  define_write(
      "index_add", head + "Tensor source, *, Number alpha=1",
      [](Place p, T x, int64_t dim, T at, T source, const Scalar& alpha) {
        return index_add(x, dim, at, source, alpha, p);
      },
      kNamedOut);
  define_write(
      "index_copy", head + "Tensor source",
      [](Place p, T x, int64_t dim, T at, T source) { return index_copy(x, dim, at, source, p); }, kOut);
  define_write("index_fill", head + "Tensor value",
               [](Place p, T x, int64_t dim, T at, T value) { return index_fill(x, dim, at, value, p); });
  define_write("index_fill", head + "Number value",
               [](Place p, T x, int64_t dim, T at, const Scalar& value) { return index_fill(x, dim, at, value, p); });
  define_write(
      "index_reduce", head + "Tensor source, str reduce, *, bool include_self=True",
      [](Place p, T x, int64_t dim, T at, T source, Text reduce, bool include_self) {
        return index_reduce(x, dim, at, source, reduce, include_self, p);
      },
      kNamedOut);
}

// As indexing itself warns (subscript.cpp).
void warn_of_byte_masks(const List& indices) {
  for (const Tensor& index : indices) {
    if (!index || index.dtype() != DType::UInt8 || !index.ndim()) continue;
    from_python(
        PyErr_WarnEx(PyExc_UserWarning,
                     "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.", 1));
  }
}

void bind_elements() {
  auto put_at = [](Place p, T x, T index, T source, bool accumulate) { return put(x, index, source, accumulate, p); };
  define_write("put", "Tensor input, Tensor index, Tensor source, bool accumulate=False", put_at);
  auto index_put_at = [](Place p, T x, const List& indices, T values, bool accumulate) {
    warn_of_byte_masks(indices);
    return index_put(x, indices, values, accumulate, p);
  };
  define_write("index_put", "Tensor input, Tensor[] indices, Tensor values, bool accumulate=False", index_put_at);
  define("index_put_(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False)", kFunction,
         [](T x, const List& indices, T values, bool accumulate) {
           warn_of_byte_masks(indices);
           return index_put(x, indices, values, accumulate, Place::Itself);
         });
}

void bind_parts() {
  define("select_scatter(Tensor input, Tensor src, int dim, int index)", kBoth, select_scatter);
  const std::string slice =
      "slice_scatter(Tensor input, Tensor src, int dim=0, int? start=None, int? end=None, int step=1";
  define(slice + ", *, Tensor!? out=None)", kFunction, slice_scatter);
  define(slice + ")", kMethod, slice_scatter);
  define("diagonal_scatter(Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1)", kBoth, diagonal_scatter);
  define("as_strided_scatter(Tensor input, Tensor src, int[] size, int[] stride, int? storage_offset=None)", kBoth,
         [](T x, T src, const Dims& size, const Dims& stride, MaybeInt offset) {
           return as_strided_scatter(x, src, size, stride, offset);
         });
}

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

void bind_indexing() {
  bind_reads();
  bind_nonzero();
  bind_scatters();
  bind_slices();
  bind_elements();
  bind_parts();
}

}  // namespace chainrule
