// Where the slices of a tensor begin that index tensors name, and moving them.
#include "ops/indexing/slices.hpp"

#include "autograd/record.hpp"
#include "backends/mask.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
Bad add_offsets(const Tensor& offsets, Span sizes, const Tensor& index, int64_t step, int64_t size, bool wraps) {
  Bad bad;
  backend().positions->add_offsets({sizes, offsets.data<int64_t>(), index.dtype(), index->data,
                                    broadcast_strides(index.get(), sizes), step, size, wraps, &bad});
  return bad;
}

Tensor mask_offsets(const Tensor& x, int dim, const Tensor& mask) {
  const auto* bits = mask.data<uint8_t>();
  int64_t found = 0;  // no kernel runs on meta
  backend().mask->count({mask.sizes(), bits, mask.strides(), &found});
  Tensor result = empty(Dims{found}, DType::Int64);
  backend().mask->offsets({mask.sizes(), bits, mask.strides(),
                           x.strides().subspan(static_cast<size_t>(dim), mask.sizes().size()), result.data<int64_t>()});
  return result;
}

Bad locate_along(const Tensor& x, int dim, const Tensor& index, bool wraps, LocatedSlices& result) {
  result.offsets = zeros(Dims{index.numel()}, DType::Int64);
  Slices& s = result.slices;
  s.offsets = result.offsets.data<int64_t>();
  s.count = index.numel();
  for (int d = 0; d < x.ndim(); ++d) {
    if (d == dim) continue;
    (d < dim ? s.before_sizes : s.after_sizes).push_back(x.size(d));
    (d < dim ? s.before_strides : s.after_strides).push_back(x.stride(d));
  }
  return add_offsets(result.offsets, result.offsets.sizes(), index, x.ndim() ? x.stride(dim) : 0,
                     x.ndim() ? x.size(dim) : 1, wraps);
}

namespace {

// The same elements as a vector; null if they do not lie so.
Tensor as_vector(const Tensor& x) {
  return x.is_contiguous() ? tensor_over(x->storage, Dims{x.numel()}, Dims{1}, x.offset(), x.dtype()) : Tensor();
}

Bad locate_elements(const Tensor& x, const Tensor& index, LocatedSlices& result) {
  result.offsets = zeros(index.sizes(), DType::Int64);
  result.slices = {result.offsets.data<int64_t>(), index.numel(), {}, {}, {}, {}};
  Bad bad = add_offsets(result.offsets, index.sizes(), index, 1, x.numel(), true);
  if (!bad)
    backend().positions->spread_offsets({result.offsets.data<int64_t>(), index.numel(), x.sizes(), x.strides()});
  return bad;
}

// Calls run(positions) for the elements beside the index.
template <class F>
Bad in_vector(const Tensor& x, const Tensor& index, bool wraps, const Tensor& beside, F run) {
  Bad bad;
  if (index.numel() == 0) return bad;
  Dims still(index.ndim());
  Span beside_strides = beside.numel() == 1 ? Span(still) : beside.strides();
  run(IndexedElements{index.sizes(), index.data<int64_t>(), index.strides(), still, x.stride(0), x.size(0),
                      beside_strides, wraps, x.dtype(), x->data, beside->data, &bad});
  return bad;
}

}  // namespace

Bad read_vector(const Tensor& x, const Tensor& index, bool wraps, const Tensor& out) {
  return in_vector(x, index, wraps, out, [](const auto& at) { backend().positions->read_elements(at); });
}

Bad combine_vector(Combine combine, const Tensor& x, const Tensor& index, bool wraps, const Tensor& values) {
  return in_vector(x, index, wraps, values,
                   [combine](const auto& at) { backend().positions->combine_elements(combine, at); });
}

Bad read_elements(const Tensor& x, const Tensor& index, const Tensor& out) {
  if (Tensor v = as_vector(x)) return read_vector(v, index, true, out);
  LocatedSlices at;
  Bad bad = locate_elements(x, index, at);
  if (!bad) read_slices(at, x, out);
  return bad;
}

Bad combine_elements(Combine combine, const Tensor& x, const Tensor& index, const Tensor& values) {
  Tensor v = as_vector(x);
  if (v && equal(index.sizes(), values.sizes())) return combine_vector(combine, v, index, true, values);
  LocatedSlices at;
  Bad bad = locate_elements(x, index, at);
  if (!bad) combine_slices(combine, at, x, values);
  return bad;
}

void read_slices(const LocatedSlices& at, const Tensor& x, const Tensor& packed) {
  if (packed.numel()) backend().positions->read_slices({at.slices, x.dtype(), x->data, packed->data, false});
}

void combine_slices(Combine combine, const LocatedSlices& at, const Tensor& x, const Tensor& values) {
  GradModeScope off(false);
  Tensor packed = contiguous(values);
  if (packed.numel())
    backend().positions->combine_slices(combine, {at.slices, x.dtype(), x->data, packed->data, packed.numel() == 1});
}

}  // namespace chainrule
