// Reading and writing elements at positions that an index gives.
#pragma once
#include <cstdint>
#include <optional>

#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

// What becomes of the element at a position when another one comes to it.
enum class Meet : uint8_t { Replace, Add, Multiply, Max, Min };

// One position for each element of an index: along one dimension of the whole the index says where, along the others
// the element's own place does. Strides in elements, one per dimension of the index.
struct IndexedElements {
  Span sizes;  // of the index
  const int64_t* index;
  Span index_strides;
  Span whole_strides;  // 0 along the indexed dimension
  int64_t step, size;  // the whole's stride and size along it
  Span beside_strides;
  bool wraps = false;  // negative indices count from the end
};

// Reads the elements from the whole into the tensor beside the index, or lets those beside it meet the whole's, in
// order. Both give the first index that is out of range, and stop there; no other memory is touched.
std::optional<int64_t> read_elements(const IndexedElements& at, DType dtype, const char* whole, char* beside);
std::optional<int64_t> meet_elements(Meet meet, const IndexedElements& at, DType dtype, char* whole,
                                     const char* beside);

// Slices of a whole. Each begins at an offset (in elements, checked already) and has the dimensions `after`; the
// dimensions `before` repeat them all. The packed tensor is contiguous: before, then one per offset, then after.
struct Slices {
  const int64_t* offsets;
  int64_t count;
  Dims before_sizes, before_strides, after_sizes, after_strides;  // strides of the whole
};

void read_slices(const Slices& at, DType dtype, const char* whole, char* packed);
// `single`: `packed` is one element that stands for all.
void meet_slices(Meet meet, const Slices& at, DType dtype, char* whole, const char* packed, bool single);

}  // namespace chainrule::cpu
