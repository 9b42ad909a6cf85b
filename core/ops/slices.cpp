// Where the slices of a tensor begin that index tensors name, and moving them.
#include "ops/slices.hpp"

#include "autograd/record.hpp"
#include "backends/cpu/rows.hpp"
#include "ops/copy.hpp"
#include "ops/promotion.hpp"

namespace chainrule {
namespace {

template <class I>
Bad add_typed(int64_t* offsets, Span sizes, const Tensor& index, int64_t step, int64_t size, bool wraps) {
  cpu::Rows<1> rows(sizes, {broadcast_strides(index.get(), sizes)});
  int64_t n = rows.length(), by = rows.step(0);
  Bad bad;
  rows.each([&](const std::array<int64_t, 1>& start) {
    const I* row = index.data<I>() + start[0];
    for (int64_t j = 0; j < n; ++j) {
      int64_t i = row[j * by], wrapped = wraps && i < 0 ? i + size : i;
      if (static_cast<uint64_t>(wrapped) >= static_cast<uint64_t>(size)) [[unlikely]] {
        bad = i;
        return false;
      }
      offsets[j] += step * wrapped;
    }
    offsets += n;
    return true;
  });
  return bad;
}

// Replaces places in the order of indices by offsets in memory.
void spread_offsets(const Tensor& offsets, const Tensor& x) {
  auto* at = offsets.data<int64_t>();
  for (int64_t i = 0; i < offsets.numel(); ++i) {
    int64_t left = at[i];
    at[i] = 0;
    for (int d = x.ndim(); d-- > 0; left /= x.size(d)) at[i] += left % x.size(d) * x.stride(d);
  }
}

}  // namespace

Bad add_offsets(const Tensor& offsets, Span sizes, const Tensor& index, int64_t step, int64_t size, bool wraps) {
  auto* add = index.dtype() == DType::Int32 ? add_typed<int32_t> : add_typed<int64_t>;
  return add(offsets.data<int64_t>(), sizes, index, step, size, wraps);
}

Tensor mask_offsets(const Tensor& x, int dim, const Tensor& mask) {
  cpu::Rows<2> rows(mask.sizes(), {mask.strides(), x.strides().subspan(static_cast<size_t>(dim), mask.sizes().size())});
  int64_t n = rows.length(), by = rows.step(0), step = rows.step(1), found = 0;
  const auto* bits = mask.data<uint8_t>();
  rows.each([&](const std::array<int64_t, 2>& start) {
    for (int64_t j = 0; j < n; ++j) found += bits[start[0] + j * by] != 0;
    return true;
  });
  Tensor result = empty(Dims{found}, DType::Int64);
  auto* out = result.data<int64_t>();
  rows.each([&](const std::array<int64_t, 2>& start) {
    for (int64_t j = 0; j < n; ++j) {
      if (bits[start[0] + j * by]) *out++ = start[1] + j * step;
    }
    return true;
  });
  return result;
}

Bad locate_along(const Tensor& x, int dim, const Tensor& index, bool wraps, LocatedSlices& result) {
  result.offsets = zeros(Dims{index.numel()}, DType::Int64);
  cpu::Slices& s = result.slices;
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
  if (!bad) spread_offsets(result.offsets, x);
  return bad;
}

// Calls run(positions) for the elements beside the index.
template <class F>
Bad in_vector(const Tensor& x, const Tensor& index, bool wraps, const Tensor& beside, F run) {
  if (index.numel() == 0) return std::nullopt;
  Dims still(index.ndim());
  Span beside_strides = beside.numel() == 1 ? Span(still) : beside.strides();
  return run(cpu::IndexedElements{index.sizes(), index.data<int64_t>(), index.strides(), still, x.stride(0), x.size(0),
                                  beside_strides, wraps});
}

}  // namespace

Bad read_vector(const Tensor& x, const Tensor& index, bool wraps, const Tensor& out) {
  return in_vector(x, index, wraps, out,
                   [&](const auto& at) { return cpu::read_elements(at, x.dtype(), x->data, out->data); });
}

Bad meet_vector(cpu::Meet meet, const Tensor& x, const Tensor& index, bool wraps, const Tensor& values) {
  return in_vector(x, index, wraps, values,
                   [&](const auto& at) { return cpu::meet_elements(meet, at, x.dtype(), x->data, values->data); });
}

Bad read_elements(const Tensor& x, const Tensor& index, const Tensor& out) {
  if (Tensor v = as_vector(x)) return read_vector(v, index, true, out);
  LocatedSlices at;
  Bad bad = locate_elements(x, index, at);
  if (!bad) read_slices(at, x, out);
  return bad;
}

Bad meet_elements(cpu::Meet meet, const Tensor& x, const Tensor& index, const Tensor& values) {
  Tensor v = as_vector(x);
  if (v && equal(index.sizes(), values.sizes())) return meet_vector(meet, v, index, true, values);
  LocatedSlices at;
  Bad bad = locate_elements(x, index, at);
  if (!bad) meet_slices(meet, at, x, values);
  return bad;
}

void read_slices(const LocatedSlices& at, const Tensor& x, const Tensor& packed) {
  if (packed.numel()) cpu::read_slices(at.slices, x.dtype(), x->data, packed->data);
}

void meet_slices(cpu::Meet meet, const LocatedSlices& at, const Tensor& x, const Tensor& values) {
  GradModeScope off(false);
  Tensor packed = contiguous(values);
  if (packed.numel()) cpu::meet_slices(meet, at.slices, x.dtype(), x->data, packed->data, packed.numel() == 1);
}

}  // namespace chainrule
