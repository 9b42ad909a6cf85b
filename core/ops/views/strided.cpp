// as_strided, windows, and their transpose: any arrangement of elements, and adding a gradient back at them.
#include <algorithm>

#include "autograd/record.hpp"
#include "backends/reduce.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kAsStrided{"as_strided", "AsStridedBackward0", "g added at the elements that the view shows"};
OpInfo kUnfold{"unfold", "UnfoldBackward0", "g added up over the windows"};
OpInfo kScatter{"as_strided_scatter", "AsStridedScatterBackward0", "g at the elements that the view shows"};

struct Region {
  Dims base_sizes, base_strides, sizes, strides;
  int64_t offset;
};

void check_bounds(const Tensor& t, Span sizes, Span strides, int64_t offset) {
  auto item = static_cast<int64_t>(size_of(t.dtype()));
  int64_t first, end = 1, reach, bytes;
  bool overflows = __builtin_add_overflow(t.offset(), offset, &first);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] < 0) {
      raise(PyExc_RuntimeError, "as_strided: Negative strides are not supported at the moment, got strides: ", strides);
    }
    if (sizes[i] == 0) return;
    overflows |= __builtin_sub_overflow(sizes[i], int64_t{1}, &reach) ||
                 __builtin_mul_overflow(reach, strides[i], &reach) || __builtin_add_overflow(end, reach, &end);
  }
  overflows |= __builtin_add_overflow(first, end, &end) || __builtin_mul_overflow(end, item, &bytes);
  if (overflows) {
    raise(PyExc_RuntimeError, "Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  }
  if (first < 0) raise(PyExc_RuntimeError, "Tensor: invalid storage offset ", first);
  if (bytes > t->storage->bytes) {
    raise(PyExc_RuntimeError, "setStorage: sizes ", sizes, ", strides ", strides, ", storage offset ", first,
          ", and itemsize ", item, " requiring a storage size of ", bytes, " are out of bounds for storage of size ",
          t->storage->bytes);
  }
}

// Whether several elements may lie at one place (exact for dimensions that nest).
bool may_overlap(Span sizes, Span strides) {
  Dims order;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) order.push_back(static_cast<int64_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t reach = 0;
  for (int64_t d : order) {
    if (strides[d] <= reach) return true;
    reach += (sizes[d] - 1) * strides[d];
  }
  return false;
}

// How far the last element lies from the first; -1 when there is none.
int64_t reach_of(Span sizes, Span strides) {
  int64_t reach = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return -1;
    reach += (sizes[i] - 1) * strides[i];
  }
  return reach;
}

// Every element of the input shows the gradient of its place; elements that share one share it equally.
Tensor share_out(const Tensor& scattered, const Region& r) {
  if (!may_overlap(r.base_sizes, r.base_strides)) return scattered;
  Tensor each = ones(r.base_sizes, scattered.dtype());
  Tensor sharing = scatter_strided(each, r.base_sizes, r.base_strides, r.base_sizes, r.base_strides, 0);
  return elementwise(OpId::div, {scattered, sharing});
}

}  // namespace

Tensor as_strided(const Tensor& t, Span sizes, Span strides, int64_t offset) {
  if (sizes.size() != strides.size()) {
    raise(PyExc_RuntimeError, "mismatch in length of strides and shape: ", sizes.size(), " sizes, ", strides.size(),
          " strides");
  }
  check_bounds(t, sizes, strides, offset);
  Tensor result = tensor_over(t->storage, sizes, strides, t.offset() + offset, t.dtype());
  Region r{Dims(t.sizes()), Dims(t.strides()), Dims(sizes), Dims(strides), offset};
  return record_view(kAsStrided, result, t, [r](Backward& b, Kept* kept) {
    if (kept) return kept->add("size", r.sizes, "stride", r.strides, "storage_offset", r.offset);
    b.give(0, share_out(scatter_strided(b.g(), r.base_sizes, r.base_strides, r.sizes, r.strides, r.offset), r));
  });
}

namespace {

// The windows over a tensor of this shape and these strides.
std::pair<Dims, Dims> windows(Span whole, Span whole_strides, int dim, int64_t size, int64_t step) {
  Dims sizes(whole), strides(whole_strides);
  strides.push_back(sizes.empty() ? 1 : strides[dim]);
  if (!sizes.empty()) {
    sizes[dim] = (sizes[dim] - size) / step + 1;
    // A single window may have a step beyond all numbers; its stride is never used then.
    strides[dim] = static_cast<int64_t>(static_cast<uint64_t>(strides[dim]) * static_cast<uint64_t>(step));
  }
  sizes.push_back(size);
  return {sizes, strides};
}

}  // namespace

Tensor unfold(const Tensor& t, int64_t dim, int64_t size, int64_t step) {
  int d = wrap_dim(dim, t.ndim());
  int64_t longest = t.ndim() ? t.size(d) : 1;
  if (size < 0) raise(PyExc_RuntimeError, "size is ", size, " but must be >= 0");
  if (size > longest) {
    raise(PyExc_RuntimeError, "maximum size for tensor at dimension ", d, " is ", longest, " but size is ", size);
  }
  if (step <= 0) raise(PyExc_RuntimeError, "step is ", step, " but must be > 0");
  auto [sizes, strides] = windows(t.sizes(), t.strides(), d, size, step);
  Tensor result = tensor_over(t->storage, sizes, strides, t.offset(), t.dtype());
  return record_view(kUnfold, result, t, [whole = Dims(t.sizes()), d, size, step](Backward& b, Kept* kept) {
    if (kept) return kept->add("self_sym_sizes", whole, "dimension", d, "size", size, "step", step);
    Dims dense = contiguous_strides(whole);
    b.give(0, scatter_strided(b.g(), whole, dense, b.g().sizes(), windows(whole, dense, d, size, step).second, 0));
  });
}

Tensor scatter_strided(const Tensor& g, Span base_sizes, Span base_strides, Span sizes, Span strides, int64_t offset) {
  // Memory for both: a view of a part of its storage may have shown more than that part, before it and after it.
  // A view of no elements may stand anywhere.
  int64_t reach = reach_of(sizes, strides), base_reach = reach_of(base_sizes, base_strides);
  if (reach < 0 || base_reach < 0) offset = 0;
  int64_t start = std::max<int64_t>(-offset, 0), end = start + std::max(base_reach, offset + reach) + 1;
  Tensor window = zeros(Dims{std::max<int64_t>(end, 0)}, g.dtype());
  if (g.numel() > 0) {
    char* first = window->data + (start + offset) * static_cast<int64_t>(size_of(g.dtype()));
    backend().reduce->accumulate({sizes, first, strides, g->data, g.strides(), g.dtype()});
  }
  Tensor result = tensor_over(window->storage, base_sizes, base_strides, start, g.dtype());
  Region r{Dims(base_sizes), Dims(base_strides), Dims(sizes), Dims(strides), offset};
  // Adding at the view's places and reading at the base's, transposed: the same with the two exchanged.
  return record(kScatter, result, {&g}, {}, [r](Backward& b) {
    b.give(0, scatter_strided(b.g(), r.sizes, r.strides, r.base_sizes, r.base_strides, -r.offset));
  });
}

}  // namespace chainrule
