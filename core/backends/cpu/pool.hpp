// Pooling: one value for each window of a plane (or volume).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace chainrule::cpu {

// Along one dimension: elements begin, begin + step ... below end.
struct Window {
  int64_t begin, end, step;
  int64_t counted;  // elements that count for an average, those of the padding included if they do
};

struct PoolWindows {
  std::array<int64_t, 3> in;     // depth, height, width
  std::vector<Window> along[3];  // one window per output
  int64_t out(int d) const { return static_cast<int64_t>(along[d].size()); }
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out(0) * out(1) * out(2); }
};

// For float, double and int64_t; `planes` of them lie one after another.
// The largest element and where it is in its plane; NaN wins.
template <class T>
void max_pool(const PoolWindows& w, const T* x, T* y, int64_t* index, int64_t planes);
// The sum divided by the number of elements counted, or by `divisor` when that is not 0.
template <class T>
void average_pool(const PoolWindows& w, const T* x, T* y, int64_t planes, int64_t divisor);
// The transpose of average_pool.
template <class T>
void average_pool_gradient(const PoolWindows& w, const T* g, T* gradient, int64_t planes, int64_t divisor);

}  // namespace chainrule::cpu
