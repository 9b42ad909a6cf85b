// The copying forms of views, bound: each is the view, copied.
#include "autograd/record.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/split.hpp"
#include "ops/views/triangular.hpp"
#include "ops/views/view.hpp"
#include "ops/views/view_copy.hpp"

namespace chainrule {
namespace {

using T = const Tensor&;
using MaybeInt = std::optional<int64_t>;
using List = std::vector<Tensor>;

// `f` gives the view or the views.
template <class F>
struct Copying;
template <class R, class... A>
struct Copying<R (*)(A...)> {
  template <class F>
  static R call(A... arguments) {
    if constexpr (std::is_same_v<R, Tensor>)
      return view_copy(F()(arguments...));
    else
      return view_copies(F()(arguments...));
  }
};

template <class F>
void define_copy(const std::string& name, const std::string& arguments, F f) {
  using Form = Copying<decltype(+f)>;
  bool many = untyped(+f).returns_many, named = arguments.find("*, ") != arguments.npos;
  std::string out = std::string(named ? ", " : ", *, ") + (many ? "Tensor[]? out=None)" : "Tensor!? out=None)");
  define(name + "_copy(Tensor input" + arguments + out, kFunction, &Form::template call<F>);
}

// A copy can be made even where there is no such view.
Tensor view_of_any(T t, const Dims& size) {
  Dims strides;
  bool shown = view_strides(t.sizes(), t.strides(), infer_sizes(size, t.numel()), t.numel(), strides);
  return view(shown ? t : contiguous(t), size);
}

}  // namespace

void bind_view_copies() {
  define_copy("alias", "", [](T t) { return view_as_alias(t); });
  define_copy("as_strided", ", int[] size, int[] stride, int? storage_offset=None",
              [](T t, const Dims& size, const Dims& stride, MaybeInt offset) {
                return as_strided(t, size, stride, offset ? *offset - t.offset() : 0);
              });
  define_copy("detach", "", [](T t) { return detach(t); });
  define_copy("diagonal", ", int offset=0, int dim1=0, int dim2=1",
              [](T t, int64_t offset, int64_t a, int64_t b) { return diagonal(t, offset, a, b); });
  define_copy("expand", ", int[] size, *, bool implicit=False",
              [](T t, const Dims& size, bool) { return expand(t, size); });
  define_copy("permute", ", int[] dims", [](T t, const Dims& dims) { return permute(t, dims); });
  define_copy("select", ", int dim, int index", [](T t, int64_t dim, int64_t index) { return select(t, dim, index); });
  define_copy("slice", ", int dim=0, int? start=None, int? end=None, int step=1",
              [](T t, int64_t dim, MaybeInt start, MaybeInt end, int64_t step) {
                return slice_between(t, dim, start, end, step);
              });
  define_copy("split", ", int split_size, int dim=0",
              [](T t, int64_t size, int64_t dim) { return split(t, size, dim); });
  define_copy("split_with_sizes", ", int[] split_sizes, int dim=0",
              [](T t, const Dims& sizes, int64_t dim) { return split_with_sizes(t, sizes, dim); });
  define_copy("squeeze", ", int[]? dim=None",
              [](T t, const std::optional<Dims>& dims) { return squeeze(t, dims ? &*dims : nullptr); });
  define_copy("t", "", [](T x) { return t(x); });
  define_copy("transpose", ", int dim0, int dim1", [](T t, int64_t a, int64_t b) { return transpose(t, a, b); });
  define_copy("unbind", ", int dim=0", [](T t, int64_t dim) { return unbind(t, dim); });
  define_copy("unfold", ", int dimension, int size, int step",
              [](T t, int64_t dim, int64_t size, int64_t step) { return unfold(t, dim, size, step); });
  define_copy("unsqueeze", ", int dim", [](T t, int64_t dim) { return unsqueeze(t, dim); });
  define_copy("view", ", int[] size", [](T t, const Dims& size) { return view_of_any(t, size); });
  define_copy("view", ", dtype dtype", [](T t, DType dtype) { return view_dtype(t, dtype); });
  define_copy("view_as_complex", "", [](T t) { return view_as_complex(t); });
  define_copy("view_as_real", "", [](T t) { return view_as_real(t); });

  define("narrow_copy(Tensor input, int dim, int start, int length, *, Tensor!? out=None)", kFunction, narrow_copy);
  define("narrow_copy(Tensor input, int dim, int start, int length)", kMethod, narrow_copy);
  define("unsafe_chunk(Tensor input, int chunks, int dim=0)", kBoth,
         [](T t, int64_t chunks, int64_t dim) { return unsafe_pieces(chunk(t, chunks, dim)); });
  define("unsafe_split(Tensor input, int split_size, int dim=0)", kBoth,
         [](T t, int64_t size, int64_t dim) { return unsafe_pieces(split(t, size, dim)); });
  define("unsafe_split_with_sizes(Tensor input, int[] split_sizes, int dim=0)", kBoth,
         [](T t, const Dims& sizes, int64_t dim) { return unsafe_pieces(split_with_sizes(t, sizes, dim)); });
}

}  // namespace chainrule
