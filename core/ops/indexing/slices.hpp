// Where the slices of a tensor begin that index tensors name, and moving them.
#pragma once
#include "backends/positions.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Slices with the memory that their offsets lie in.
struct LocatedSlices {
  Tensor offsets;  // int64, contiguous; kept for `slices`
  Slices slices;
};

// offsets[i] += step * index[i], over `sizes`, to which the index (int32 or int64) is broadcast. Negative indices count
// from the end if `wraps`. Gives the first index outside [0, size), and stops there.
Bad add_offsets(const Tensor& offsets, Span sizes, const Tensor& index, int64_t step, int64_t size, bool wraps);
// The offsets of the elements of `x`, from dimension `dim` on, at which the mask is true: a vector.
Tensor mask_offsets(const Tensor& x, int dim, const Tensor& mask);

// The slices of `x` along `dim` that a vector names.
Bad locate_along(const Tensor& x, int dim, const Tensor& index, bool wraps, LocatedSlices& result);

// The elements of a vector that a tensor of any shape names, as int64: without offsets, which takes half the time.
Bad read_vector(const Tensor& x, const Tensor& index, bool wraps, const Tensor& out);
// `values` has the index's shape, or is one element for all.
Bad combine_vector(Combine combine, const Tensor& x, const Tensor& index, bool wraps, const Tensor& values);
// The same for the elements of any tensor, counted in the order of its indices; wraps.
Bad read_elements(const Tensor& x, const Tensor& index, const Tensor& out);
Bad combine_elements(Combine combine, const Tensor& x, const Tensor& index, const Tensor& values);
inline bool is_vector(const Tensor& x, const Tensor& index) { return x.ndim() == 1 && index.dtype() == DType::Int64; }

// Neither is recorded. `packed` has the elements in the order before, slices, after (see Slices).
void read_slices(const LocatedSlices& at, const Tensor& x, const Tensor& packed);
// `values` as well, in any layout, or one element for all; it has x's dtype.
void combine_slices(Combine combine, const LocatedSlices& at, const Tensor& x, const Tensor& values);

}  // namespace chainrule
