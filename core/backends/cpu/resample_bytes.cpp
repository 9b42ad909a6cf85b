// Images of bytes at other sizes: weighted sums in whole numbers.
#include "backends/cpu/resample_bytes.hpp"

#include "backends/cpu/resample_taps.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {
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

uint8_t rounded(int32_t sum, int precision) {
  return static_cast<uint8_t>(std::clamp((sum + (precision > 0 ? 1 << (precision - 1) : 0)) >> precision, 0, 255));
}

void resample_row(const ByteTaps& t, int64_t out, const uint8_t* x, uint8_t* y) {
  const int64_t* index = t.index.data();
  const int32_t* weight = t.weight.data();
  for (int64_t i = 0; i < out; ++i, index += t.count, weight += t.count) {
    int32_t sum = 0;
    for (int64_t k = 0; k < t.count; ++k) sum += weight[k] * x[index[k]];
    y[i] = rounded(sum, t.precision);
  }
}

void blend_rows(const ByteTaps& t, int64_t i, const uint8_t* x, uint8_t* y, int64_t inner, std::vector<int32_t>& sums) {
  std::fill(sums.begin(), sums.end(), 0);
  for (auto k = static_cast<size_t>(i * t.count); k < static_cast<size_t>((i + 1) * t.count); ++k) {
    const int32_t w = t.weight[k];
    if (w == 0) continue;
    const uint8_t* row = x + t.index[k] * inner;
    for (int64_t j = 0; j < inner; ++j) sums[static_cast<size_t>(j)] += w * row[j];
  }
  for (int64_t j = 0; j < inner; ++j) y[j] = rounded(sums[static_cast<size_t>(j)], t.precision);
}

}  // namespace

void resample_bytes(const Resampling& r) {
  const ByteTaps t(make_taps<double>(r));
  constexpr int64_t kGrain = 16 * 1024;
  parallel_for(r.outer, std::max<int64_t>(1, kGrain / (r.out * r.inner)), [&](int64_t begin, int64_t end) {
    std::vector<int32_t> sums(static_cast<size_t>(r.inner));
    for (int64_t o = begin; o < end; ++o) {
      const uint8_t* from = static_cast<const uint8_t*>(r.from) + o * r.in * r.inner;
      uint8_t* to = static_cast<uint8_t*>(r.to) + o * r.out * r.inner;
      if (r.inner == 1) {
        resample_row(t, r.out, from, to);
        continue;
      }
      for (int64_t i = 0; i < r.out; ++i) blend_rows(t, i, from, to + i * r.inner, r.inner, sums);
    }
  });
}

}  // namespace chainrule::cpu
