#include "backends/cuda/random_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {
namespace {

constexpr int64_t kMostCounted = std::numeric_limits<int32_t>::max();

// Dimensions from the innermost one. Those with a stride of zero stay where they are.
std::vector<int> from_innermost(Span sizes, Span strides) {
  std::vector<int> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  auto stride = [&](size_t i) { return strides[static_cast<size_t>(order[i])]; };
  auto size = [&](size_t i) { return sizes[static_cast<size_t>(order[i])]; };
  for (size_t i = 1; i < order.size(); ++i) {
    size_t here = i;
    for (size_t before = i; before-- > 0;) {
      if (stride(before) == 0 || stride(here) == 0) continue;
      if (stride(before) < stride(here)) break;
      if (stride(before) > stride(here) || size(before) > size(here)) {
        std::swap(order[before], order[here]);
        here = before;
      }
    }
  }
  return order;
}

bool can_be_counted(const Visited& v, int64_t item_bytes) {
  int64_t reach = 1;
  for (int d = 0; d < v.sizes.size(); ++d) reach += (v.sizes[d] - 1) * v.strides[d] * item_bytes;
  return v.numel() <= kMostCounted && reach <= kMostCounted;
}

int farthest_dimension(const Visited& v) {
  int farthest = 0;
  for (int d = 1; d < v.sizes.size(); ++d) {
    if ((v.sizes[d] - 1) * std::abs(v.strides[d]) > (v.sizes[farthest] - 1) * std::abs(v.strides[farthest]))
      farthest = d;
  }
  return farthest;
}

void add_pieces(const Visited& v, int64_t item_bytes, std::vector<Visited>& to) {
  if (can_be_counted(v, item_bytes)) return to.push_back(v);
  const int d = farthest_dimension(v);
  const int64_t half = v.sizes[d] / 2;
  Visited first = v, second = v;
  first.sizes[d] = half;
  second.sizes[d] -= half;
  second.offset += half * v.strides[d];
  add_pieces(first, item_bytes, to);
  add_pieces(second, item_bytes, to);
}

}  // namespace

int64_t Visited::numel() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
}

Visited in_order_of_memory(Span sizes, Span strides) {
  Visited v;
  const std::vector<int> order = from_innermost(sizes, strides);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const int64_t size = sizes[static_cast<size_t>(*at)], stride = strides[static_cast<size_t>(*at)];
    if (size == 1) continue;
    const int last = v.sizes.size() - 1;
    if (last >= 0 && v.strides[last] == size * stride) {
      v.sizes[last] *= size;
      v.strides[last] = stride;
    } else {
      v.sizes.push_back(size);
      v.strides.push_back(stride);
    }
  }
  if (v.sizes.empty()) v.sizes.push_back(1), v.strides.push_back(1);
  return v;
}

std::vector<Visited> counted_pieces(const Visited& whole, int64_t item_bytes) {
  std::vector<Visited> all;
  add_pieces(whole, item_bytes, all);
  return all;
}

Dims order_of_pair(Span sizes, Span a, Span b) {
  Dims order(static_cast<int>(sizes.size()));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i + 1 < order.size(); ++i) {
    for (int j = i + 1; j < order.size(); ++j) {
      const auto x = static_cast<size_t>(order[i]), y = static_cast<size_t>(order[j]);
      if (sizes[x] == 1 || sizes[y] == 1) continue;
      const bool rises = a[x] < a[y] || b[x]<b[y], falls = a[x]> a[y] || b[x] > b[y];
      if (rises && !falls) std::swap(order[i], order[j]);
    }
  }
  return order;
}

Dims reordered(Span values, const Dims& order) {
  Dims out;
  for (const int64_t d : order) out.push_back(values[static_cast<size_t>(d)]);
  return out;
}

int64_t most_blocks_of_stream() {
  const DeviceFacts& f = facts_of(current_device());
  return int64_t{f.multiprocessors} * (f.threads_per_multiprocessor / DealtOut::kBlock);
}

}  // namespace chainrule::cuda
