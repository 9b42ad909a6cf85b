// Images of bytes at other sizes, along one dimension.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/cpu/resample_taps.hpp"

namespace chainrule::cpu {

// With weights that are whole numbers.
void resample_bytes(const Resampling& r);

// PyTorch resamples bytes as Pillow does, and so to the bit. A weight is rounded to a multiple of 1 / 2^precision, with
// as much precision as the largest weight leaves in 16 bits; inputs that an output reads twice, at the border, have one
// weight. Sums are rounded and clipped to bytes after each dimension.
struct ByteTaps {
  int64_t count;  // of each output; those of weight 0 may be none
  int precision = 0;
  std::vector<int64_t> index;
  std::vector<int32_t> weight;

  explicit ByteTaps(const Taps& t) : count(t.count), index(t.index.size()), weight(t.index.size()) {
    std::vector<double> joined(t.weight.size());
    double largest = 0;
    for (int64_t i = 0; i < t.out; ++i) largest = std::max(largest, join(t, i, joined.data()));
    while (precision < 22 && static_cast<int>(0.5 + largest * (1 << (precision + 1))) < (1 << 15)) ++precision;
    for (size_t k = 0; k < joined.size(); ++k) {
      weight[k] = static_cast<int32_t>((joined[k] < 0 ? -0.5 : 0.5) + joined[k] * (1 << precision));
    }
  }

 private:
  // Adds the weights of taps that read the same input; gives the largest sum on the way.
  double join(const Taps& t, int64_t i, double* joined) {
    double largest = 0;
    int64_t last = i * count - 1;
    for (int64_t k = i * count; k < (i + 1) * count; ++k) {
      const auto from = static_cast<size_t>(k);
      if (last < i * count || index[static_cast<size_t>(last)] != t.index[from])
        index[static_cast<size_t>(++last)] = t.index[from];
      joined[last] += t.weight[from];
      largest = std::max(largest, joined[last]);
    }
    return largest;
  }
};

}  // namespace chainrule::cpu
