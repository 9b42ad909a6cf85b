// Operands of one shape as a kernel visits them: as few dimensions as describe all of them.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/dims.hpp"

namespace chainrule::cuda {

// Sorted by the first operand's strides, the largest first (or `in_order`, as they are), and those that follow each
// other in all operands are one. Strides are in elements. There is one dimension at least.
class Layout {
 public:
  static constexpr int kMostDimensions = 12;
  Layout(Span sizes, std::span<const Span> strides, bool in_order = false);

  bool fits() const { return count_ <= kMostDimensions; }  // else it describes nothing
  int dimensions() const { return count_; }
  int64_t size(int d) const { return sizes_[static_cast<size_t>(d)]; }
  int64_t stride(int operand, int d) const { return strides_[static_cast<size_t>(operand)][static_cast<size_t>(d)]; }
  int64_t numel() const { return numel_; }

 private:
  // Whether that dimension lies within the last one, in all operands.
  bool follows(std::span<const Span> strides, int d, int64_t size) const;

  int count_ = 0;
  int64_t numel_ = 1;
  std::array<int64_t, kMostDimensions> sizes_;
  std::vector<std::array<int64_t, kMostDimensions>> strides_;  // by operand
};

}  // namespace chainrule::cuda
