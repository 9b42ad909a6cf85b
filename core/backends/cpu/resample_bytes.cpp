// Images of bytes at other sizes: weighted sums in whole numbers.
#include "backends/cpu/resample_bytes.hpp"

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {
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
