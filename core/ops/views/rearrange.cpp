// The same elements in another order, or several times.
#include "ops/views/rearrange.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "backends/copy.hpp"
#include "backends/positions.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kFlip{"flip", "FlipBackward0", "g flipped back"};
OpInfo kRoll{"roll", "RollBackward0", "g rolled back"};
OpInfo kRepeat{"repeat", "RepeatBackward0", "g summed over the repetitions"};

int64_t bytes(const Tensor& t, int64_t elements) { return elements * static_cast<int64_t>(size_of(t.dtype())); }

// A copy of `t` whose first `shift` slices along `dim` are the last ones. PyTorch joins two parts, and if one is empty
// the layout is lost; see Note [Layouts of results].
Tensor rolled(const Tensor& t, int64_t shift, int dim) {
  if (t.numel() == 0 || t.ndim() == 0) {
    Tensor same = empty(t.sizes(), t.dtype());
    copy_elements(same, t);
    return same;
  }
  int64_t n = t.size(dim), back = ((shift % n) + n) % n;
  const MemoryFormat format = back ? suggested_format(t) : MemoryFormat::Contiguous;
  Tensor out = empty_in(format, t.sizes(), t.dtype());
  auto copy = [&](int64_t to, int64_t from, int64_t length) {
    Dims sizes(t.sizes());
    sizes[dim] = length;
    backend().copy->strided({sizes, out->data + bytes(out, to * out.stride(dim)), out.dtype(), out.strides(),
                             t->data + bytes(t, from * t.stride(dim)), t.dtype(), t.strides()});
  };
  if (back) copy(0, n - back, back);
  copy(back, 0, n - back);
  return out;
}

// The elements in the order of their indices, rolled as one row.
Tensor flat_roll(const Tensor& t, int64_t shift) {
  GradModeScope off(false);
  Tensor out = rolled(reshape(t, Dims{t.numel()}), shift, 0);
  set_layout(out.get(), t.sizes(), contiguous_strides(t.sizes()));
  return out;
}

Tensor flipped_rows(const Tensor& t, const Dims& flipped) {
  Tensor out = empty(t.sizes(), t.dtype());
  if (t.numel() == 0) return out;
  int d = t.ndim() - 1;
  FlippedRows f{{}, {}, 0, 1, flipped.contains(d), bytes(t, 1), t->data, out->data};
  for (; d >= 0 && flipped.contains(d) == f.reversed; --d) f.length *= t.size(d);
  for (int i = 0; i <= d; ++i) {
    f.outer.push_back(t.size(i));
    f.flips.push_back(flipped.contains(i));
  }
  f.rows = t.numel() / f.length;
  backend().copy->flip(f);
  return out;
}

// The shifts that undo others; shifts of a whole turn are none, so that the smallest number can be negated too.
Dims turned_back(const Tensor& t, Span shifts, Span dims) {
  Dims result(shifts);
  for (int i = 0; i < result.size(); ++i) {
    int64_t turn = dims.empty() ? t.numel() : t.size(wrap_dim(dims[static_cast<size_t>(i)], t.ndim()));
    result[i] = turn ? -(result[i] % turn) : 0;
  }
  return result;
}

// g of shape (r0 * s0, r1 * s1, ...) summed over the repetitions r; of none, zeros that depend on nothing.
Tensor sum_repetitions(const Tensor& g, Span repeats, Span sizes) {
  if (std::find(repeats.begin(), repeats.end(), 0) != repeats.end()) return zeros(sizes, g.dtype());
  Dims apart, over;
  int added = static_cast<int>(repeats.size() - sizes.size());
  for (int i = 0; i < static_cast<int>(repeats.size()); ++i) {
    over.push_back(apart.size());
    apart.push_back(repeats[static_cast<size_t>(i)]);
    if (i >= added) apart.push_back(sizes[static_cast<size_t>(i - added)]);
  }
  return over.empty() ? g : sum(reshape(g, apart), over, false, {});
}

// Without a dimension the tensor is flattened and its only one taken.
int64_t choose_dim(Tensor& t, std::optional<int64_t> dim) {
  if (!dim || t.ndim() == 0) t = reshape(t, Dims{t.numel()});
  return dim ? wrap_dim(*dim, t.ndim()) : 0;
}

}  // namespace

Tensor flip(const Tensor& t, Span dims) {
  Dims strides(t.strides()), flipped;
  int64_t start = 0;
  for (int64_t dim : dims) {
    int d = wrap_dim(dim, t.ndim());
    if (flipped.contains(d)) raise(PyExc_RuntimeError, "dim ", d, " appears multiple times in the list of dims");
    flipped.push_back(d);
    if (t.ndim() == 0) continue;
    start += (t.size(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  Tensor out;
  if (t.ndim() && t.is_contiguous()) {
    out = flipped_rows(t, flipped);
  } else {
    out = empty_strided(t.sizes(), dense_strides_like(t), t.dtype());
    if (t.numel()) {
      backend().copy->strided(
          {t.sizes(), out->data, out.dtype(), out.strides(), t->data + bytes(t, start), t.dtype(), strides});
    }
  }
  return record(kFlip, out, {&t}, {}, [flipped](Backward& b, Kept* kept) {
    if (kept) return kept->add("dims", flipped);
    b.give(0, flip(b.g(), flipped));
  });
}

Tensor roll(const Tensor& t, Span shifts, Span dims) {
  if (shifts.empty()) raise(PyExc_RuntimeError, "`shifts` required");
  if (!(dims.empty() && shifts.size() == 1) && shifts.size() != dims.size()) {
    raise(PyExc_RuntimeError, "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  }
  if (!dims.empty() && t.ndim() == 0) {
    raise(PyExc_IndexError, "Dimension specified as ", dims[0], " but tensor has no dimensions");
  }
  Tensor out = dims.empty() ? flat_roll(t, shifts[0]) : t;
  for (size_t i = 0; i < dims.size(); ++i) {
    int d = wrap_dim(dims[i], t.ndim());
    out = rolled(out, shifts[i], d);
  }
  return record(kRoll, out, {&t}, {}, [shifts = Dims(shifts), dims = Dims(dims)](Backward& b, Kept* kept) {
    if (kept) return kept->add("shifts", shifts, "dims", dims);
    b.give(0, roll(b.g(), turned_back(b.g(), shifts, dims), dims));
  });
}

Tensor repeat(const Tensor& t, Span repeats) {
  auto n = static_cast<int>(repeats.size());
  int added = n - t.ndim();
  if (added < 0) {
    raise(PyExc_RuntimeError,
          "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: ", n, " and ",
          t.ndim());
  }
  Dims sizes(n), apart, strides;
  for (int i = 0; i < n; ++i) {
    int64_t own = i < added ? 1 : t.size(i - added), times = repeats[static_cast<size_t>(i)];
    sizes[i] = (CheckedSize(times) * own).value();
    apart.push_back(times);
    strides.push_back(0);
    apart.push_back(own);
    strides.push_back(i < added ? 0 : t.stride(i - added));
  }
  for (int i = 0; i < n; ++i) {
    if (sizes[i] >= 0) continue;
    raise(PyExc_RuntimeError, "Trying to create tensor with negative dimension ", sizes[i], ": ", Span(sizes));
  }
  Tensor out = empty(sizes, t.dtype());
  if (out.numel()) {
    backend().copy->strided({apart, out->data, out.dtype(), contiguous_strides(apart), t->data, t.dtype(), strides});
  }
  return record(kRepeat, out, {&t}, {}, [times = Dims(repeats), old = Dims(t.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("repeats", times, "self_sym_sizes", old);
    b.give(0, sum_repetitions(b.g(), times, old));
  });
}

Tensor tile(const Tensor& t, Span repeats) {
  Dims all(repeats);
  while (all.size() < t.ndim()) all.insert(0, 1);
  return repeat(t, all);
}

Tensor repeat_interleave(const Tensor& t, int64_t repeats, std::optional<int64_t> dim) {
  if (repeats < 0) raise(PyExc_RuntimeError, "Repeats must be non-negative");
  Tensor source = t;
  int64_t d = choose_dim(source, dim);
  Tensor apart = unsqueeze(source, d + 1);
  Dims sizes(apart.sizes());
  sizes[static_cast<int>(d) + 1] = repeats;
  Tensor copies = copy_strided(expand(apart, sizes), contiguous_strides(sizes));
  return flatten(copies, d, d + 1);
}

Tensor repeat_interleave(const Tensor& t, const Tensor& repeats, std::optional<int64_t> dim) {
  if (repeats.ndim() > 1) raise(PyExc_RuntimeError, "repeats must be 0-dim or 1-dim tensor");
  Tensor source = t, times = repeats;
  auto d = static_cast<int>(choose_dim(source, dim));
  int64_t n = source.size(d);
  if (repeats.numel() == 1) {
    times = expand(reshape(repeats, Dims{1}), Dims{n});
  } else if (repeats.numel() != n) {
    raise(PyExc_RuntimeError,
          "repeats must have the same size as input along dim, but got repeats.size(0) = ", repeats.numel(),
          " and input.size(", d, ") = ", n);
  }
  return index_select(source, d, repeated_indices(times));
}

Tensor repeated_indices(const Tensor& repeats) {
  if (repeats.ndim() != 1) raise(PyExc_RuntimeError, "repeat_interleave only accept 1D vector as repeat");
  if (repeats.dtype() != DType::Int64 && repeats.dtype() != DType::Int32) {
    raise(PyExc_NotImplementedError, "\"repeat_interleave_cpu\" not implemented for '",
          facts(repeats.dtype()).tensor_name, "': repeats must be int32 or int64");
  }
  Tensor times = contiguous(to_dtype(repeats, DType::Int64));
  std::optional<int64_t> total;
  backend().positions->total({times.data<int64_t>(), times.numel(), &total});
  if (!total) raise(PyExc_RuntimeError, "repeats can not be negative");
  Tensor result = empty(Dims{*total}, DType::Int64);
  backend().positions->repeat({times.data<int64_t>(), times.numel(), result.data<int64_t>()});
  return result;
}

Tensor movedim(const Tensor& t, Span source, Span destination) {
  if (source.size() != destination.size()) {
    raise(PyExc_RuntimeError, "movedim: Invalid source or destination dims: source (", source,
          " dims) should contain the same number of dims as destination (", destination, " dims)");
  }
  Dims order(t.ndim(), -1), moved;
  for (size_t i = 0; i < source.size(); ++i) {
    int from = wrap_dim(source[i], t.ndim()), to = wrap_dim(destination[i], t.ndim());
    if (moved.contains(from)) raise(PyExc_RuntimeError, "movedim: repeated dim in `source` (", source, ")");
    moved.push_back(from);
    if (t.ndim() == 0) return t;
    if (order[to] >= 0) raise(PyExc_RuntimeError, "movedim: repeated dim in `destination` (", destination, ")");
    order[to] = from;
  }
  int next = 0;
  for (int i = 0; i < t.ndim(); ++i) {
    if (order[i] >= 0) continue;
    while (moved.contains(next)) ++next;
    order[i] = next++;
  }
  return permute(t, order);
}

Tensor unflatten(const Tensor& t, int64_t dim, Span wanted) {
  int d = wrap_dim(dim, t.ndim());
  if (wanted.empty()) raise(PyExc_RuntimeError, "unflatten: sizes must be non-empty");
  if (t.ndim() == 0) raise(PyExc_RuntimeError, "unflatten: the tensor has no dimensions");
  CheckedSize known = 1;
  int64_t unknown = 0;
  for (int64_t s : wanted) {
    if (s == -1)
      ++unknown;
    else
      known *= s;
  }
  int64_t product = known.value();
  if (unknown > 1) raise(PyExc_RuntimeError, "unflatten got an unexpected error:\nonly one dimension can be inferred");
  bool fits = unknown ? product > 0 && t.size(d) % product == 0 : product == t.size(d);
  if (!fits) {
    raise(PyExc_RuntimeError, "unflatten: Provided sizes ", wanted, " don't multiply up to the size of dim ", d, " (",
          t.size(d), ") in the input tensor");
  }
  Dims sizes(t.sizes().first(static_cast<size_t>(d)));
  for (int64_t s : wanted) sizes.push_back(s == -1 ? t.size(d) / product : s);
  for (int i = d + 1; i < t.ndim(); ++i) sizes.push_back(t.size(i));
  return view(t, sizes);
}

}  // namespace chainrule
