// Joining, taking apart and rearranging, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/out_argument.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/join.hpp"
#include "ops/views/rearrange.hpp"
#include "ops/views/split.hpp"
#include "ops/views/triangular.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

using List = std::vector<Tensor>;
using MaybeInt = std::optional<int64_t>;

Tensor deliver_joined(const Tensor& result, const Tensor& out, const List& tensors) {
  if (out && !can_cast(result.dtype(), out.dtype())) {
    raise(PyExc_TypeError, "torch.cat(): input types can't be cast to the desired output type ",
          facts(out.dtype()).tensor_name);
  }
  std::vector<const Tensor*> inputs;
  for (const Tensor& t : tensors) inputs.push_back(&t);
  return deliver_apart(result, out, inputs, false);
}

template <Tensor (*f)(Tensors)>
void define_stack(const std::string& name) {
  define(name + "(Tensor[] tensors, *, Tensor? out=None)", kFunction,
         [](const List& tensors, const Tensor& out) { return deliver_joined(f(tensors), out, tensors); });
}

void bind_joins() {
  define("cat(Tensor[] tensors, int dim=0, *, Tensor? out=None)", kFunction,
         [](const List& t, int64_t dim, const Tensor& out) { return deliver_joined(cat(t, dim), out, t); });
  define("stack(Tensor[] tensors, int dim=0, *, Tensor? out=None)", kFunction,
         [](const List& t, int64_t dim, const Tensor& out) { return deliver_joined(stack(t, dim), out, t); });
  define_stack<hstack>("hstack");
  define_stack<vstack>("vstack");
  define_stack<dstack>("dstack");
  define_stack<column_stack>("column_stack");
  define("block_diag(Tensor[*] tensors=())", kFunction, [](const List& t) { return block_diag(t); });
  define("broadcast_tensors(Tensor[*] tensors)", kFunction, [](const List& t) { return broadcast_tensors(t); });
  define_alias("concat", "cat");
  define_alias("concatenate", "cat");
  define_alias("row_stack", "vstack");
}

// One tensor gives a tensor, several give a tuple.
template <Tensor (*f)(const Tensor&)>
void define_atleast(const std::string& name) {
  define(name + "(Tensor input)", kFunction, f);
  define(name + "(Tensor[*] tensors)", kFunction, [](const List& tensors) {
    List result;
    for (const Tensor& t : tensors) result.push_back(f(t));
    return result;
  });
}

std::vector<Tensor> tensor_split_by(const Tensor& t, const Tensor& where, int64_t dim) {
  if (const Device there = where->storage->device; there.kind != DeviceKind::CPU && there != Device::Meta) {
    raise(PyExc_RuntimeError, "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on ",
          there.name());
  }
  if (where.dtype() != DType::Int64) {
    raise(PyExc_RuntimeError, "tensor_split expected tensor_indices_or_sections to have dtype of long, but got ",
          facts(where.dtype()).tensor_name);
  }
  if (where.ndim() > 1) {
    raise(PyExc_RuntimeError,
          "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
          "got a tensor with ",
          where.ndim(), " dims");
  }
  Tensor values = contiguous(where);
  if (where.ndim() == 0) return tensor_split(t, *values.data<int64_t>(), dim);
  return tensor_split_at(t, Span(values.data<int64_t>(), static_cast<size_t>(values.numel())), dim);
}

template <int least>
void define_axis_split(const std::string& name) {
  define(name + "(Tensor input, int sections)", kBoth,
         [](const Tensor& t, int64_t sections) { return split_axis(least, t, sections); });
  define(name + "(Tensor input, int[] indices)", kBoth,
         [](const Tensor& t, const Dims& indices) { return split_axis_at(least, t, indices); });
}

void bind_splits() {
  for (auto [text, forms] :
       {std::pair("split(Tensor tensor, int", kFunction), std::pair("split(Tensor input, int", kMethod)}) {
    std::string head = text,
                tail = forms == kFunction ? " split_size_or_sections, int dim=0)" : " split_size, int dim=0)";
    define(head + tail, forms, split);
    define(head + "[]" + tail, forms,
           [](const Tensor& t, const Dims& sizes, int64_t dim) { return split_with_sizes(t, sizes, dim); });
  }
  define("split_with_sizes(Tensor input, int[] split_sizes, int dim=0)", kBoth,
         [](const Tensor& t, const Dims& sizes, int64_t dim) { return split_with_sizes(t, sizes, dim); });
  define("chunk(Tensor input, int chunks, int dim=0)", kBoth, chunk);
  define("tensor_split(Tensor input, Tensor tensor_indices_or_sections, int dim=0)", kBoth, tensor_split_by);
  define("tensor_split(Tensor input, int sections, int dim=0)", kBoth, tensor_split);
  define("tensor_split(Tensor input, int[] indices, int dim=0)", kBoth,
         [](const Tensor& t, const Dims& indices, int64_t dim) { return tensor_split_at(t, indices, dim); });
  define_axis_split<1>("hsplit");
  define_axis_split<2>("vsplit");
  define_axis_split<3>("dsplit");
  define("unbind(Tensor input, int dim=0)", kBoth, unbind);
}

Tensor checked_interleave(Tensor result, std::optional<int64_t> dim, MaybeInt size) {
  int64_t own = result.size(dim ? wrap_dim(*dim, result.ndim()) : 0);
  if (!size || *size == own) return result;
  raise(PyExc_RuntimeError, "repeat_interleave: Invalid output_size, expected ", own, " but got ", *size);
}

void bind_repeats() {
  define("repeat(Tensor input, int[*] repeats)", kMethod, [](const Tensor& t, const Dims& r) { return repeat(t, r); });
  define("tile(Tensor input, int[*] dims)", kMethod, [](const Tensor& t, const Dims& dims) { return tile(t, dims); });
  define("tile(Tensor input, int[]! dims)", kFunction, [](const Tensor& t, const Dims& dims) { return tile(t, dims); });
  define("repeat_interleave(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None)", kBoth,
         [](const Tensor& t, const Tensor& repeats, MaybeInt dim, MaybeInt size) {
           return checked_interleave(repeat_interleave(t, repeats, dim), dim, size);
         });
  define("repeat_interleave(Tensor input, int repeats, int? dim=None, *, int? output_size=None)", kBoth,
         [](const Tensor& t, int64_t repeats, MaybeInt dim, MaybeInt size) {
           return checked_interleave(repeat_interleave(t, repeats, dim), dim, size);
         });
  define("repeat_interleave(Tensor repeats, *, int? output_size=None)", kFunction,
         [](const Tensor& repeats, MaybeInt size) { return checked_interleave(repeated_indices(repeats), 0, size); });
}

void bind_orders() {
  define("flip(Tensor input, int[*] dims)", kMethod, [](const Tensor& t, const Dims& dims) { return flip(t, dims); });
  define("flip(Tensor input, int[]! dims)", kFunction, [](const Tensor& t, const Dims& dims) { return flip(t, dims); });
  define("roll(Tensor input, int[] shifts, int[]? dims=())", kBoth,
         [](const Tensor& t, const Dims& shifts, const std::optional<Dims>& dims) {
           return roll(t, shifts, dims.value_or(Dims()));
         });
  define("movedim(Tensor input, int[] source, int[] destination)", kBoth,
         [](const Tensor& t, const Dims& source, const Dims& destination) { return movedim(t, source, destination); });
  define("unflatten(Tensor input, int dim, int[]! sizes)", kBoth,
         [](const Tensor& t, int64_t dim, const Dims& sizes) { return unflatten(t, dim, sizes); });
  define("swapaxes(Tensor input, int axis0, int axis1)", kBoth, transpose);
  define("swapdims(Tensor input, int dim0, int dim1)", kBoth, transpose);
  define_alias("moveaxis", "movedim");
}

template <Tensor (*triangle)(const Tensor&, int64_t)>
void define_triangle(const std::string& name) {
  define(name + "(Tensor input, int diagonal=0, *, Tensor!? out=None)", kBoth, triangle);
  define(name + "_(Tensor input, int diagonal=0)", kMethod,
         [](const Tensor& t, int64_t diagonal) { return write_result(t, triangle(t, diagonal)); });
}

void bind_triangles() {
  define("diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1)", kBoth, diagonal);
  define("diag(Tensor input, int diagonal=0, *, Tensor!? out=None)", kBoth, diag);
  define("diagflat(Tensor input, int offset=0)", kBoth, diagflat);
  define("trace(Tensor input)", kBoth, trace);
  define("diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1)", kBoth, diag_embed);
  define_triangle<tril>("tril");
  define_triangle<triu>("triu");
}

}  // namespace

void bind_joining() {
  bind_joins();
  define_atleast<atleast_1d>("atleast_1d");
  define_atleast<atleast_2d>("atleast_2d");
  define_atleast<atleast_3d>("atleast_3d");
  bind_splits();
  bind_repeats();
  bind_orders();
  bind_triangles();
}

}  // namespace chainrule
