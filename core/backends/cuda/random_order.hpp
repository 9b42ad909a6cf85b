// In which order PyTorch's kernels visit a destination, and in which pieces: both decide who gets which number.
#pragma once
#include <array>
#include <vector>

#include "backends/cuda/strided.hpp"
#include "backends/philox.hpp"
#include "tensor/error.hpp"

namespace chainrule::cuda {

// Elements in the order of their linear index, the last dimension within the others; strides and `offset` are in
// elements. Dimensions that follow each other are one.
struct Visited {
  Dims sizes, strides;
  int64_t offset = 0;

  int64_t numel() const;
  bool is_contiguous() const { return sizes.size() == 1 && strides[0] == 1; }
};

// As elementwise kernels go: by the order of memory.
Visited in_order_of_memory(Span sizes, Span strides);
// PyTorch's kernels of that kind count with 32 bits. Larger destinations are halved, along the dimension that reaches
// farthest, until each piece can be counted so.
std::vector<Visited> counted_pieces(const Visited& whole, int64_t item_bytes);

// The order of dimensions in which kernels that walk over two tensors side by side go.
Dims order_of_pair(Span sizes, Span a, Span b);
Dims reordered(Span values, const Dims& order);

// How the elements of a call are dealt to threads (CUDA_SPEC's sections 2 and 6): each takes `each` values from four
// words, and the threads of a grid that is as large as the GPU, but no larger, take turns.
struct DealtOut {
  static constexpr int64_t kBlock = 256;
  int64_t blocks, increment;
  DealtOut(int64_t n, int64_t each, int64_t most_blocks)
      : blocks(std::min(most_blocks, (n + kBlock - 1) / kBlock)),
        increment(4 * ((n - 1) / (kBlock * blocks * each) + 1)) {}
};
// Of the current GPU.
int64_t most_blocks_of_stream();

// Where a kernel's streams begin.
struct StreamPlace {
  uint64_t seed, offset;
  StreamPlace(Philox& p, int64_t words) : seed(p.initial_seed()), offset(p.reserve(static_cast<uint64_t>(words))) {}
};

// Raises where the operands have more dimensions than a kernel can be told of.
template <int operands>
Strided<operands> strided_for_stream(Span sizes, const std::array<Span, operands>& strides) {
  const Layout layout(sizes, strides, true);
  check(layout.fits(), "random numbers on a GPU: the destination has more than ", Layout::kMostDimensions,
        " dimensions that do not follow each other in memory; make it contiguous first");
  return Strided<operands>(layout);
}

}  // namespace chainrule::cuda
