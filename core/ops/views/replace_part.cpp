// A copy of a tensor with a part of it, which a view could show, replaced.
#include "ops/views/replace_part.hpp"

#include "autograd/forward_mode.hpp"
#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/triangular.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

constexpr const char* kFormula = "self: g with zeros in the part, src: that part of g";
OpInfo kSelectScatter{"select_scatter", "SelectScatterBackward0", kFormula};
OpInfo kSliceScatter{"slice_scatter", "SliceScatterBackward0", kFormula};
OpInfo kDiagonalScatter{"diagonal_scatter", "DiagonalScatterBackward0", kFormula};
OpInfo kAsStridedScatter{"as_strided_scatter", "AsStridedScatterBackward0", kFormula};

void put_part(const Tensor& part, const Tensor& src) {
  if (!equal(part.sizes(), src.sizes())) {
    raise(PyExc_RuntimeError, "expected src to have a size equal to the slice of self. src size = ", src.sizes(),
          ", slice size = ", part.sizes());
  }
  copy_elements(part, src);
}

// The gradients: `rest` is a copy of g, in a layout that `part` can be shown of.
template <class F>
void split_gradient(Backward& b, const Tensor& rest, const F& part) {
  if (b.needs(1)) b.give(1, clone(part(rest)));
  if (!b.needs(0)) return;
  zero_(part(rest));
  b.give(0, rest);
}

// A copy of all the memory that a tensor has elements in, with the same strides; of an expanded tensor a plain one.
// `whole`: of the rest of its storage, too.
Tensor copy_of_storage(const Tensor& t, bool whole = false) {
  if (!whole && is_dense(t.sizes(), t.strides())) return clone(t);
  for (int d = 0; d < t.ndim(); ++d) {
    if (t.stride(d) == 0 && t.size(d) > 1) return contiguous(clone(t));
  }
  int64_t items = t->storage->bytes / static_cast<int64_t>(size_of(t.dtype()));
  Tensor all = clone(tensor_over(t->storage, Dims{items}, Dims{1}, 0, t.dtype()));
  return tensor_over(all->storage, t.sizes(), t.strides(), t.offset(), t.dtype());
}

// `part` shows the part of a tensor that is replaced, `show` tells what it is called by.
template <class F, class Show>
Tensor replace_part(OpInfo& op, const Tensor& x, const Tensor& src, F part, Show show) {
  Tensor out;
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    out = copy_of_storage(x);
    put_part(part(out), src);
  }
  return record(op, out, {&x, &src}, {}, [part, show](Backward& b, Kept* kept) {
    if (kept) return show(*kept);
    split_gradient(b, clone(b.g()), part);
  });
}

// What as_strided shows, counted from a tensor's first element.
struct Part {
  Dims size, stride;
  int64_t first;
  Tensor operator()(const Tensor& t) const { return as_strided(t, size, stride, first); }
};

}  // namespace

Tensor select_scatter(const Tensor& x, const Tensor& src, int64_t dim, int64_t index) {
  return replace_part(
      kSelectScatter, x, src, [=](const Tensor& t) { return select(t, dim, index); },
      [=](Kept& kept) { kept.add("dim", dim, "index", index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  return replace_part(
      kSliceScatter, x, src, [=](const Tensor& t) { return slice_between(t, dim, start, end, step); },
      [=](Kept& kept) { kept.add("dim", dim, "start", start, "end", end, "step", step); });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  return replace_part(
      kDiagonalScatter, x, src, [=](const Tensor& t) { return diagonal(t, offset, dim1, dim2); },
      [=](Kept& kept) { kept.add("offset", offset, "dim1", dim1, "dim2", dim2); });
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& src, Span size, Span stride, std::optional<int64_t> offset) {
  Tensor out;
  if (offset && *offset < 0) raise(PyExc_RuntimeError, "Tensor: invalid storage offset ", *offset);
  Part part{Dims(size), Dims(stride), 0};
  {
    GradModeScope off(false);
    forward_mode::PauseScope pause;
    out = copy_of_storage(x, offset.has_value());  // an offset counts from the storage's first element
    part.first = offset ? *offset - out.offset() : 0;
    put_part(part(out), src);
  }
  return record(kAsStridedScatter, out, {&x, &src}, {},
                [part, offset, layout = Dims(out.strides())](Backward& b, Kept* kept) {
                  if (kept) return kept->add("size", part.size, "stride", part.stride, "storage_offset", offset);
                  split_gradient(b, copy_strided(b.g(), layout), part);
                });
}

}  // namespace chainrule
