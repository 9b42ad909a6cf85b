// x[i, j] with tensors: reading, and writing in a copy or in place.
#include "ops/indexing/index.hpp"

#include "autograd/inplace.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/indexing/nonzero.hpp"
#include "ops/indexing/slices.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/move.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"
#include "tensor/memory_order.hpp"

namespace chainrule {
namespace {

OpInfo kIndex{"index", "IndexBackward0", "zeros with g added at the indices"};
OpInfo kTranspose{"index_add_at", "IndexPutBackward0", "g at the indices"};
OpInfo kIndexPut{"index_put", "IndexPutBackward0", "self: g with zeros at the indices; values: g at the indices"};

bool is_mask(const Tensor& index) { return is_bool(index.dtype()) || index.dtype() == DType::UInt8; }

// An index of one dimension, or a mask of several that has become offsets.
struct Entry {
  Tensor index;
  int dim;
  bool is_offsets;
};

// Which dimensions are indexed, by what, and the shape of the broadcast indices.
struct Plan {
  Dims dims;  // ascending
  std::vector<Entry> entries;
  Dims shape;
};

void check_mask(const Tensor& x, int dim, const Tensor& mask) {
  for (int i = 0; i < mask.ndim(); ++i) {
    if (dim + i >= x.ndim() || mask.size(i) != x.size(dim + i)) {
      raise(PyExc_IndexError, "The shape of the mask ", mask.sizes(), " at index ", i,
            " does not match the shape of the indexed tensor ", x.sizes(), " at index ", dim + i);
    }
  }
}

void check_count(const Tensor& x, std::span<const Tensor> indices) {
  int used = 0;
  for (const Tensor& index : indices) used += index && is_mask(index) ? index.ndim() : 1;
  if (used <= x.ndim()) return;
  raise(PyExc_IndexError, "too many indices for tensor of dimension ", x.ndim(), " (got ", used, ")");
}

void broadcast_index_shapes(Plan& plan) {
  std::string shapes;
  for (const Entry& e : plan.entries) shapes += (shapes.empty() ? "" : ", ") + shape_text(e.index.sizes());
  try {
    for (const Entry& e : plan.entries) plan.shape = broadcast_shapes(plan.shape, e.index.sizes(), "index");
  } catch (const Error&) {
    raise(PyExc_IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes ", shapes);
  }
}

void check_not_empty(const Tensor& x, const Plan& plan) {
  if (plan.shape.contains(0)) return;
  for (int d : plan.dims) {
    if (x.size(d)) continue;
    raise(PyExc_IndexError, "index is out of bounds for dimension with size 0: dimension ", d, " of shape ", x.sizes(),
          " has no element to select");
  }
}

// Indices may be on the CPU where x is on a GPU, whose kernels cannot read them there.
Tensor beside(const Tensor& x, const Tensor& index) {
  const Device home = x->storage->device;
  const bool is_away = index && index->storage->device == Device::CPU && home.kind != DeviceKind::Meta;
  return is_away ? move_to(index, home) : index;
}

// The shapes alone: the positions are not looked at yet.
Plan make_plan(const Tensor& x, std::span<const Tensor> indices) {
  Plan plan;
  check_count(x, indices);
  int d = 0;
  for (const Tensor& given : indices) {
    const Tensor index = beside(x, given);
    if (index && is_mask(index)) {
      check_mask(x, d, index);
      plan.entries.push_back({mask_offsets(x, d, index), d, true});
      for (int i = 0; i < index.ndim(); ++i) plan.dims.push_back(d++);
      continue;
    }
    if (index) {
      if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32)
        raise(PyExc_IndexError, "tensors used as indices must be long, int, byte or bool tensors, not torch.",
              facts(index.dtype()).name);
      plan.entries.push_back({index, d, false});
      plan.dims.push_back(d);
    }
    ++d;
  }
  broadcast_index_shapes(plan);
  check_not_empty(x, plan);
  return plan;
}

// The dimensions that are not indexed. The result's index dimensions stand in the place of adjacent indexed ones, else
// in front.
void split_dims(const Tensor& x, const Plan& plan, Slices& s) {
  bool adjacent = true;
  for (int i = 1; i < plan.dims.size(); ++i) adjacent &= plan.dims[i] == plan.dims[i - 1] + 1;
  for (int d = 0; d < x.ndim(); ++d) {
    if (plan.dims.contains(d)) continue;
    bool before = adjacent && d < plan.dims[0];
    (before ? s.before_sizes : s.after_sizes).push_back(x.size(d));
    (before ? s.before_strides : s.after_strides).push_back(x.stride(d));
  }
}

Dims result_sizes(const Plan& plan, const Slices& s) {
  Dims sizes = s.before_sizes;
  for (int64_t n : plan.shape) sizes.push_back(n);
  for (int64_t n : s.after_sizes) sizes.push_back(n);
  return sizes;
}

// PyTorch reshapes an index to as many dimensions as the result has. That gives strides to those of size 1 before
// `first` and from `last` on, which count when dimensions are ordered.
void add_single_dims(Dims& strides, Span sizes, int first, int last) {
  if (first == last) return;
  int64_t base = strides[last - 1], count = 1;
  for (int d = last; d < strides.size(); ++d) strides[d] = sizes[d] == 1 ? base : 0;
  for (int d = last - 1; d >= first; --d) {
    count *= sizes[d];
    bool ends =
        d > first && sizes[d - 1] != 1 && strides[d - 1] != count * base;  // not one piece with what precedes it
    if (ends) base = strides[d - 1], count = 1;
  }
  for (int d = 0; d < first; ++d) strides[d] = sizes[d] == 1 ? count * base : 0;
}

// Strides of the result as PyTorch's: the order in memory of the dimensions that are not indexed, then of the indices.
Dims result_strides(const Plan& plan, const Slices& s, Span sizes) {
  int first = s.before_sizes.size(), count = static_cast<int>(sizes.size());
  std::vector<Dims> operands(1, Dims(count));
  for (int d = 0; d < count; ++d) operands[0][d] = 0;
  std::copy(s.before_strides.begin(), s.before_strides.end(), operands[0].begin());
  std::copy(s.after_strides.begin(), s.after_strides.end(), operands[0].begin() + first + plan.shape.size());
  for (const Entry& e : plan.entries) {
    Dims strides(count);
    for (int d = 0; d < count; ++d) strides[d] = 0;
    int at = first + plan.shape.size() - e.index.ndim();
    for (int d = 0; d < e.index.ndim(); ++d) strides[at + d] = e.index.size(d) == sizes[at + d] ? e.index.stride(d) : 0;
    add_single_dims(strides, sizes, first, first + plan.shape.size());
    operands.push_back(strides);
  }
  return dense_strides(sizes, operands);
}

void check_found(Bad bad, const Entry& e, const Tensor& x) {
  if (!bad) return;
  raise(PyExc_IndexError, "index ", *bad, " is out of bounds for dimension ", e.dim, " with size ", x.size(e.dim));
}

// The one index of a vector, for which there is a shorter way; else null.
const Entry* single_index(const Tensor& x, const Plan& plan) {
  if (plan.entries.size() != 1 || plan.entries[0].is_offsets || !is_vector(x, plan.entries[0].index)) return nullptr;
  return &plan.entries[0];
}

void locate(const Plan& plan, const Tensor& x, LocatedSlices& result) {
  result.offsets = zeros(plan.shape, DType::Int64);
  result.slices.offsets = result.offsets.data<int64_t>();
  result.slices.count = result.offsets.numel();
  for (const Entry& e : plan.entries) {
    if (e.is_offsets) {
      add_offsets(result.offsets, plan.shape, e.index, 1, INT64_MAX, false);
      continue;
    }
    check_found(add_offsets(result.offsets, plan.shape, e.index, x.stride(e.dim), x.size(e.dim), true), e, x);
  }
}

void combine_at(Combine combine, const Plan& plan, const Tensor& x, LocatedSlices& at, const Tensor& values) {
  if (const Entry* e = single_index(x, plan))
    return check_found(combine_vector(combine, x, e->index, true, values), *e, x);
  locate(plan, x, at);
  combine_slices(combine, at, x, values);
}

std::vector<const Tensor*> pointers(std::span<const Tensor> tensors) {
  std::vector<const Tensor*> result;
  for (const Tensor& t : tensors) result.push_back(&t);
  return result;
}

std::vector<Tensor> saved_indices(Backward& b) {
  std::vector<Tensor> indices;
  for (int i = 0; i < b.node()->saved_count; ++i) indices.push_back(has_saved(b.node(), i) ? b.saved(i) : Tensor());
  return indices;
}

// Zeros with g added at the indices: the transpose of index.
Tensor index_transpose(const Tensor& g, Span sizes, std::span<const Tensor> indices) {
  Tensor result = zeros(sizes, g.dtype());
  LocatedSlices at;
  Plan plan = make_plan(result, indices);
  split_dims(result, plan, at.slices);
  combine_at(Combine::Add, plan, result, at, g);
  const Tensor* input[] = {&g};
  return record_many(kTranspose, result, input, pointers(indices),
                     [](Backward& b) { b.give(0, index(b.g(), saved_indices(b))); });
}

bool broadcasts_to(Span sizes, Span wanted) {
  if (sizes.size() > wanted.size()) return false;
  for (size_t i = 1; i <= sizes.size(); ++i) {
    if (sizes[sizes.size() - i] != 1 && sizes[sizes.size() - i] != wanted[wanted.size() - i]) return false;
  }
  return true;
}

// Values of the result's shape, or one for all.
Tensor fitting_values(const Tensor& values, Span wanted) {
  if (!broadcasts_to(values.sizes(), wanted)) {
    raise(PyExc_RuntimeError, "shape mismatch: value tensor of shape ", values.sizes(),
          " cannot be broadcast to indexing result of shape ", wanted);
  }
  GradModeScope off(false);
  return values.numel() == 1 ? values : expand(values, wanted);
}

// Whether one mask is all there is, so that one value is converted, as masked_fill does it.
bool is_one_mask(std::span<const Tensor> indices) {
  const Tensor* only = nullptr;
  for (const Tensor& index : indices) {
    if (!index) continue;
    if (only || !is_mask(index)) return false;
    only = &index;
  }
  return only;
}

void check_dtype_of_values(const Tensor& x, const Tensor& values) {
  if (x.dtype() == values.dtype()) return;
  raise(PyExc_RuntimeError, "Index put requires the source and destination dtypes match, got ",
        facts(x.dtype()).tensor_name, " for the destination and ", facts(values.dtype()).tensor_name,
        " for the source.");
}

struct IndexPutGradient {
  bool accumulate;
  void operator()(Backward& b, Kept* kept) const {
    if (kept) return kept->add("accumulate", accumulate, "indices", SlotsFrom{0});
    std::vector<Tensor> at = saved_indices(b);
    if (b.needs(1)) b.give(1, index(b.g(), at));
    if (!b.needs(0)) return;
    b.give(0, accumulate ? b.g() : index_put(b.g(), at, zeros({}, b.g().dtype()), false, Place::Copy));
  }
};

}  // namespace

Tensor index(const Tensor& x, std::span<const Tensor> indices) {
  LocatedSlices at;
  Plan plan = make_plan(x, indices);
  if (plan.entries.empty()) return view_as_alias(x);
  split_dims(x, plan, at.slices);
  Tensor result = empty(result_sizes(plan, at.slices), x.dtype());
  const Entry* single = single_index(x, plan);
  if (single) {
    check_found(read_vector(x, single->index, true, result), *single, x);
  } else {
    locate(plan, x, at);
    read_slices(at, x, result);
  }
  if (!single || !single->index.is_contiguous()) {
    GradModeScope off(false);
    Dims strides = result_strides(plan, at.slices, result.sizes());
    if (!equal(strides, result.strides())) result = copy_strided(result, strides);
  }
  const Tensor* input[] = {&x};
  return record_many(kIndex, result, input, pointers(indices), [sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("indices", SlotsFrom{0}, "self_sym_sizes", sizes);
    b.give(0, index_transpose(b.g(), sizes, saved_indices(b)));
  });
}

Tensor index_put(const Tensor& x, std::span<const Tensor> indices, const Tensor& values, bool accumulate, Place place) {
  Tensor out = open_expanded_write("index_put", place, {&x, &values});
  bool fills = !accumulate && values.numel() == 1 && is_one_mask(indices);
  Tensor given = fills ? scalar_tensor(item(values), x.dtype()) : apart_from(out, values);
  for (const Tensor& index : indices) {
    if (index && !is_bool(index.dtype())) may_overlap(out, index);  // raises where both are one piece of memory
  }
  LocatedSlices at;
  Plan plan = make_plan(out, indices);
  if (plan.entries.empty()) raise(PyExc_RuntimeError, "index_put_: the list of indices is empty");
  split_dims(out, plan, at.slices);
  given = fitting_values(given, result_sizes(plan, at.slices));
  check_dtype_of_values(x, given);
  combine_at(accumulate ? Combine::Add : Combine::Replace, plan, out, at, given);
  const Tensor* inputs[] = {&x, &values};
  IndexPutGradient gradient{accumulate};
  if (place == Place::Copy) return record_many(kIndexPut, out, inputs, pointers(indices), gradient);
  return record_written(kIndexPut, inputs, pointers(indices), gradient);
}

}  // namespace chainrule
