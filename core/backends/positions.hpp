// Reading and writing elements at positions that an index gives.
#pragma once
#include <cstdint>
#include <optional>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// What becomes of the element at a position when another one comes to it.
enum class Combine : uint8_t { Replace, Add, Multiply, Max, Min };

// The first index that is out of range. Work stops there; no other memory is touched.
using Bad = std::optional<int64_t>;

// One position for each element of an index: along one dimension of the whole the index says where, along the others
// the element's own place does. Strides in elements, one per dimension of the index.
struct IndexedElements {
  Span sizes;  // of the index
  const int64_t* index;
  Span index_strides;
  Span whole_strides;  // 0 along the indexed dimension
  int64_t step, size;  // the whole's stride and size along it
  Span beside_strides;
  bool wraps;  // negative indices count from the end
  DType dtype;
  char *whole, *beside;  // one of them is read
  Bad* bad;
};

// Slices of a whole. Each begins at an offset (in elements, checked already) and has the dimensions `after`; the
// dimensions `before` repeat them all.
struct Slices {
  const int64_t* offsets;
  int64_t count;
  Dims before_sizes, before_strides, after_sizes, after_strides;  // strides of the whole
};

// The packed tensor is contiguous: before, then one per offset, then after.
struct MovedSlices {
  const Slices& at;
  DType dtype;
  char *whole, *packed;  // one of them is read
  bool single;           // `packed` is one element that stands for all
};

// offsets[i] += step * index[i]. The index is int32 or int64, with 0 among its strides where it is broadcast.
struct AddedOffsets {
  Span sizes;
  int64_t* offsets;
  DType dtype;  // of the index
  const char* index;
  Span index_strides;
  int64_t step, size;
  bool wraps;
  Bad* bad;
};

// Places in the order of a tensor's indices that become offsets in its memory.
struct SpreadOffsets {
  int64_t* offsets;
  int64_t count;
  Span sizes, strides;
};

// Indices of which each is outside of [0, size), or not.
struct CheckedIndices {
  const int64_t* index;
  int64_t count, size;
  Bad* bad;
};

// 0 as often as the first number says, 1 as often as the second, and so on.
struct RepeatedIndices {
  const int64_t* times;
  int64_t count;
  int64_t* to;
};
// How many that makes; nothing where a number is negative.
struct RepeatedTotal {
  const int64_t* times;
  int64_t count;
  std::optional<int64_t>* total;
};

struct PositionsKernels {
  // From the whole into the tensor beside the index, or the other way, in order.
  Kernel<void(const IndexedElements&)> read_elements;
  Kernel<void(Combine, const IndexedElements&)> combine_elements;
  Kernel<void(const MovedSlices&)> read_slices;
  Kernel<void(Combine, const MovedSlices&)> combine_slices;
  Kernel<void(const AddedOffsets&)> add_offsets;
  Kernel<void(const SpreadOffsets&)> spread_offsets;
  Kernel<void(const CheckedIndices&)> check;
  Kernel<void(const RepeatedTotal&)> total;
  Kernel<void(const RepeatedIndices&)> repeat;
};

}  // namespace chainrule
