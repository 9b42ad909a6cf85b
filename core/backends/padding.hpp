// Tensors enlarged at the ends of their last dimensions by what they hold.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// One dimension: which element of the tensor each place of the padded one holds.
struct PaddedDimension {
  int64_t size = 1, before = 0, after = 0;
  bool reflects = false;
  int64_t first = 0, last = 1;  // the places in between hold neighbours, from source(first) on

  PaddedDimension() = default;
  PaddedDimension(int64_t n, int64_t before, int64_t after, bool reflects)
      : size(n), before(before), after(after), reflects(reflects), first(std::max<int64_t>(before, 0)) {
    last = std::max(first, padded() - std::max<int64_t>(after, 0));
  }
  int64_t padded() const { return size + before + after; }
  int64_t source(int64_t place) const {
    const int64_t i = place - before, mirrored = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return reflects ? mirrored : std::clamp<int64_t>(i, 0, size - 1);
  }
};

struct RepeatedPadding {
  std::array<PaddedDimension, 3> along;  // depth, height, width
  int64_t planes = 1, lanes = 1;         // elements at each place: more than one where channels lie last
};

struct PaddingCopy {
  RepeatedPadding padding;
  DType dtype;
  const char* from;
  char* to;
};

struct PaddingKernels {
  Kernel<void(const PaddingCopy&)> repeat;
  Kernel<void(const PaddingCopy&)> repeat_gradient;  // its transpose, of dtypes that arithmetic runs in
};

}  // namespace chainrule
