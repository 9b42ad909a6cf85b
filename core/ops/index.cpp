// Reading and writing at positions given by tensors.
#include "ops/index.hpp"

#include <cstring>

#include "autograd/inplace.hpp"
#include "backends/cpu/reduce.hpp"
#include "backends/cpu/tile_loop.hpp"
#include "ops/accumulate.hpp"
#include "ops/copy.hpp"
#include "ops/elementwise.hpp"
#include "ops/promotion.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

OpInfo kIndex{"index", "IndexBackward0", "zeros with g added at the indices"};
OpInfo kScatter{"index_add_at", "IndexPutBackward0", "g at the indices"};
OpInfo kIndexPut{"index_put_", "IndexPutBackward0", "self: g with zeros at the indices; values: g at the indices"};

// Which dimensions are indexed, by what, and where the result's index dimensions go.
struct Plan {
  Dims dims;                    // indexed dimensions, ascending
  std::vector<Tensor> indices;  // int64, contiguous, all of `shape`
  Dims shape;                   // of the broadcast indices
  bool adjacent = true;
};

void check_mask(const Tensor& x, int dim, const Tensor& mask) {
  for (int i = 0; i < mask.ndim(); ++i) {
    if (dim + i >= x.ndim() || mask.size(i) != x.size(dim + i)) {
      raise(PyExc_IndexError, "The shape of the mask ", mask.sizes(), " at index ", i,
            " does not match the shape of the indexed tensor ", x.sizes(), " at index ", dim + i);
    }
  }
}

void add_mask(Plan& plan, const Tensor& x, int dim, const Tensor& mask) {
  check_mask(x, dim, mask);
  Tensor where = nonzero(mask);
  for (int i = 0; i < mask.ndim(); ++i) {
    plan.dims.push_back(dim + i);
    plan.indices.push_back(contiguous(select(where, 1, i)));
  }
}

// Negative indices count from the end; anything outside raises before memory is touched.
Tensor checked_index(const Tensor& index, int dim, int64_t size) {
  Tensor result = index.dtype() == DType::Int64 ? index : to_dtype(index, DType::Int64);
  result = clone(contiguous(result));
  auto* values = result.data<int64_t>();
  for (int64_t i = 0; i < result.numel(); ++i) {
    if (values[i] < -size || values[i] >= size) {
      raise(PyExc_IndexError, "index ", values[i], " is out of bounds for dimension ", dim, " with size ", size);
    }
    if (values[i] < 0) values[i] += size;
  }
  return result;
}

void broadcast_index_shapes(Plan& plan) {
  std::string shapes;
  for (const Tensor& t : plan.indices) shapes += (shapes.empty() ? "" : ", ") + shape_text(t.sizes());
  try {
    for (const Tensor& t : plan.indices) plan.shape = broadcast_shapes(plan.shape, t.sizes(), "index");
  } catch (const Error&) {
    raise(PyExc_IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes ", shapes);
  }
}

// The shapes alone: the positions are not looked at yet.
Plan make_plan(const Tensor& x, std::span<const Tensor> indices) {
  GradModeScope off(false);
  Plan plan;
  if (static_cast<int>(indices.size()) > x.ndim()) {
    raise(PyExc_IndexError, "too many indices for tensor of dimension ", x.ndim(), " (got ", indices.size(), ")");
  }
  for (int d = 0; d < static_cast<int>(indices.size()); ++d) {
    const Tensor& index = indices[static_cast<size_t>(d)];
    if (!index) continue;
    if (is_bool(index.dtype()) || index.dtype() == DType::UInt8) {
      add_mask(plan, x, d, index);
    } else {
      plan.dims.push_back(d);
      plan.indices.push_back(index);
    }
  }
  for (int i = 1; i < plan.dims.size(); ++i) plan.adjacent &= plan.dims[i] == plan.dims[i - 1] + 1;
  broadcast_index_shapes(plan);
  return plan;
}

void locate(Plan& plan, const Tensor& x) {
  GradModeScope off(false);
  for (int i = 0; i < plan.dims.size(); ++i) {
    auto d = static_cast<int>(plan.dims[i]);
    Tensor& index = plan.indices[static_cast<size_t>(i)];
    index = contiguous(expand(checked_index(index, d, x.size(d)), plan.shape));
  }
}

Plan make_located_plan(const Tensor& x, std::span<const Tensor> indices) {
  Plan plan = make_plan(x, indices);
  locate(plan, x);
  return plan;
}

// Where the index dimensions stand in the result: in place of adjacent indexed dimensions, else in front.
struct Geometry {
  Dims result_sizes;
  Dims rest_sizes, rest_strides;  // of the dimensions that are not indexed, in x
  Dims order;                     // permutation from (index dims, rest) to the result
};

Geometry geometry(const Tensor& x, const Plan& plan) {
  Geometry g;
  int before = 0;
  for (int d = 0; d < x.ndim(); ++d) {
    if (plan.dims.contains(d)) continue;
    g.rest_sizes.push_back(x.size(d));
    g.rest_strides.push_back(x.stride(d));
    before += d < plan.dims[0];
  }
  if (!plan.adjacent) before = 0;
  int k = plan.shape.size();
  for (int i = 0; i < before; ++i) g.order.push_back(k + i);
  for (int i = 0; i < k; ++i) g.order.push_back(i);
  for (int i = before; i < g.rest_sizes.size(); ++i) g.order.push_back(k + i);
  for (int64_t d : g.order)
    g.result_sizes.push_back(d < k ? plan.shape[static_cast<int>(d)] : g.rest_sizes[static_cast<int>(d) - k]);
  return g;
}

Dims inverse(const Dims& order) {
  Dims result(order.size());
  for (int i = 0; i < order.size(); ++i) result[static_cast<int>(order[i])] = i;
  return result;
}

// Calls f(slice of x, slice of packed) for each position; packed is contiguous (index dims, rest).
template <class F>
void each_slice(const Tensor& x, const Plan& plan, int64_t rest, char* packed, F f) {
  int64_t n = 1;
  for (int64_t s : plan.shape) n *= s;
  auto item = static_cast<int64_t>(size_of(x.dtype()));
  std::vector<const int64_t*> at;
  Dims strides;
  for (int i = 0; i < plan.dims.size(); ++i) {
    at.push_back(plan.indices[static_cast<size_t>(i)].data<int64_t>());
    strides.push_back(x.stride(static_cast<int>(plan.dims[i])) * item);
  }
  for (int64_t j = 0; j < n; ++j) {
    int64_t offset = 0;
    for (int i = 0; i < strides.size(); ++i) offset += at[static_cast<size_t>(i)][j] * strides[i];
    f(x->data + offset, packed + j * rest * item);
  }
}

Tensor gather(const Tensor& x, const Plan& plan) {
  Geometry g = geometry(x, plan);
  Dims packed_sizes = plan.shape;
  for (int64_t s : g.rest_sizes) packed_sizes.push_back(s);
  Tensor packed = empty(packed_sizes, x.dtype());
  int64_t rest = count(g.rest_sizes);
  auto item = size_of(x.dtype());
  if (packed.numel() > 0) {
    Dims contiguous_rest = contiguous_strides(g.rest_sizes);
    bool dense = rest == 1 || equal(contiguous_rest, g.rest_strides);
    each_slice(x, plan, rest, packed->data, [&](char* from, char* to) {
      if (dense)
        std::memcpy(to, from, static_cast<size_t>(rest) * item);
      else
        cpu::copy_strided(g.rest_sizes, to, x.dtype(), contiguous_rest, from, x.dtype(), g.rest_strides);
    });
  }
  return contiguous(permute(packed, g.order));
}

// Writes or adds `values` (of the result's shape) at the positions.
void scatter(const Tensor& x, const Plan& plan, const Tensor& values, bool accumulate) {
  Geometry g = geometry(x, plan);
  Tensor packed = contiguous(permute(values, inverse(g.order)));
  if (packed.numel() == 0) return;
  Dims contiguous_rest = contiguous_strides(g.rest_sizes);
  each_slice(x, plan, count(g.rest_sizes), packed->data, [&](char* to, char* from) {
    if (accumulate)
      cpu::accumulate_strided(g.rest_sizes, to, g.rest_strides, from, contiguous_rest, x.dtype());
    else
      cpu::copy_strided(g.rest_sizes, to, x.dtype(), g.rest_strides, from, x.dtype(), contiguous_rest);
  });
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
  {
    GradModeScope off(false);
    scatter(result, make_located_plan(result, indices), g, true);
  }
  const Tensor* input[] = {&g};
  return record_many(kScatter, result, input, pointers(indices),
                     [](Backward& b) { b.give(0, index(b.g(), saved_indices(b))); });
}

}  // namespace

Tensor nonzero(const Tensor& x) {
  GradModeScope off(false);
  Tensor flags = contiguous(to_dtype(x, DType::Bool));
  auto* bits = flags.data<uint8_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < flags.numel(); ++i) found += bits[i] != 0;
  Tensor result = empty(Dims{found, x.ndim()}, DType::Int64);
  auto* out = result.data<int64_t>();
  for (int64_t i = 0; i < flags.numel(); ++i) {
    if (!bits[i]) continue;
    int64_t left = i;
    for (int d = x.ndim(); d-- > 0; left /= x.size(d)) out[d] = left % x.size(d);
    out += x.ndim();
  }
  return result;
}

Tensor index(const Tensor& x, std::span<const Tensor> indices) {
  Tensor result;
  {
    GradModeScope off(false);
    Plan plan = make_located_plan(x, indices);
    if (plan.dims.empty()) return view_as_alias(x);
    result = alias(gather(x, plan));
  }
  const Tensor* input[] = {&x};
  return record_many(kIndex, result, input, pointers(indices), [sizes = Dims(x.sizes())](Backward& b) {
    b.give(0, index_transpose(b.g(), sizes, saved_indices(b)));
  });
}

Tensor index_put_(const Tensor& x, std::span<const Tensor> indices, const Tensor& values, bool accumulate) {
  bool recorded = grad_enabled() && is_differentiable(x.dtype()) && (requires_grad(x) || requires_grad(values));
  check_inplace(x, recorded);
  check_no_overlap(x);
  if (is_complex(values.dtype()) && !is_complex(x.dtype())) {
    raise(PyExc_RuntimeError, "Index put requires the source and destination dtypes match, got ",
          facts(x.dtype()).tensor_name, " for the destination and ", facts(values.dtype()).tensor_name,
          " for the source.");
  }
  {
    GradModeScope off(false);
    Plan plan = make_plan(x, indices);
    Dims wanted = geometry(x, plan).result_sizes;
    Dims shape = values.numel() == 1 ? wanted : broadcast_shapes(wanted, values.sizes(), "index_put_");
    if (!equal(shape, wanted)) {
      raise(PyExc_RuntimeError, "shape mismatch: value tensor of shape ", values.sizes(),
            " cannot be broadcast to indexing result of shape ", Span(wanted));
    }
    locate(plan, x);
    Tensor v = values.numel() == 1 ? reshape(values, {}) : values;
    scatter(x, plan, expand(to_dtype(v, x.dtype()), wanted), accumulate);
  }
  mark_written(x);
  if (!recorded) return x;
  auto saved = static_cast<int>(indices.size());
  Node* n = make_node(&kIndexPut, 2, saved, 1);
  set_edge(n, 0, gradient_edge(x));
  if (is_differentiable(values.dtype())) set_edge(n, 1, gradient_edge(values));
  for (int i = 0; i < saved; ++i) {
    if (indices[static_cast<size_t>(i)]) save_input(n, i, indices[static_cast<size_t>(i)]);
  }
  set_function(n, [accumulate](Backward& b) {
    std::vector<Tensor> at = saved_indices(b);
    if (b.needs(1)) b.give(1, index(b.g(), at));
    if (!b.needs(0)) return;
    if (accumulate) return b.give(0, b.g());
    Tensor rest = clone(b.g());
    index_put_(rest, at, zeros({}, rest.dtype()), false);
    b.give(0, rest);
  });
  n->outputs[0].describe(x);
  finish_node(n);
  rebase_history(x, n);
  return x;
}

}  // namespace chainrule
