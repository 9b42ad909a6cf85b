#include "backends/cuda/layout.hpp"

#include <algorithm>

namespace chainrule::cuda {

Layout::Layout(Span sizes, std::span<const Span> strides, bool in_order) {
  const int n = static_cast<int>(sizes.size());
  std::vector<int> order;
  for (int d = 0; d < n; ++d) {
    numel_ *= sizes[d];
    if (sizes[d] != 1) order.push_back(d);
  }
  if (!in_order) std::ranges::stable_sort(order, [&](int a, int b) { return strides[0][a] > strides[0][b]; });
  strides_.resize(strides.size());
  for (int d : order) {
    const bool joins = count_ > 0 && follows(strides, d, sizes[d]);
    if (!joins && ++count_ > kMostDimensions) return;
    const auto last = static_cast<size_t>(count_ - 1);
    sizes_[last] = joins ? sizes_[last] * sizes[d] : sizes[d];
    for (size_t i = 0; i < strides.size(); ++i) strides_[i][last] = strides[i][d];
  }
  if (count_ == 0) {  // one element
    count_ = 1;
    sizes_[0] = 1;
    for (size_t i = 0; i < strides.size(); ++i) strides_[i][0] = 1;
  }
}

bool Layout::follows(std::span<const Span> strides, int d, int64_t size) const {
  const auto last = static_cast<size_t>(count_ - 1);
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides_[i][last] != strides[i][d] * size) return false;
  }
  return true;
}

}  // namespace chainrule::cuda
