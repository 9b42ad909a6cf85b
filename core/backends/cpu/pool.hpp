// Pooling: one value for each window of a plane (or volume).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// Along one dimension: elements begin, begin + step ... below end.
struct Window {
  int64_t begin, end, step;
  int64_t counted;  // elements that count for an average, those of the padding included if they do
};

struct PoolWindows {
  std::array<int64_t, 3> in, outs;  // depth, height, width
  std::vector<Window> along[3];     // one window per output; none where there are no planes
  int64_t out(int d) const { return outs[static_cast<size_t>(d)]; }
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out(0) * out(1) * out(2); }
};

// Windows side by side that are all alike: element `tap` of window i in a row is at row + begin + i * stride + tap *
// step.
struct WindowRow {
  std::span<const int64_t> rows;  // where the rows begin in the plane; there is one
  int64_t begin, count, stride, taps, step;
};

// `count` planes lie one after another; with channels last, count images whose places have `lanes` elements each.
struct Planes {
  int64_t count, lanes = 1;
};

// For float, double and int64_t.
// The largest element and where it is in its plane; NaN wins.
template <class T>
void max_pool(const PoolWindows& w, const T* x, T* y, int64_t* index, Planes planes);
// The sum divided by the number of elements counted, or by `divisor` when that is not 0.
template <class T>
void average_pool(const PoolWindows& w, const T* x, T* y, Planes planes, int64_t divisor);
// The transpose of average_pool.
template <class T>
void average_pool_gradient(const PoolWindows& w, const T* g, T* gradient, Planes planes, int64_t divisor);

}  // namespace chainrule::cpu

// The largest element of each window and where it is in its plane, which has fewer than 2^31 elements.
CR_DECLARE_PER_ISA(void max_windows_float(const WindowRow& w, const float* plane, float* y, int64_t* index))
CR_DECLARE_PER_ISA(void max_windows_double(const WindowRow& w, const double* plane, double* y, int64_t* index))
CR_DECLARE_PER_ISA(void max_windows_int64(const WindowRow& w, const int64_t* plane, int64_t* y, int64_t* index))
