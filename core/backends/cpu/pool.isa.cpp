// Windows of a pooling that lie side by side, one per lane.
#include "backends/cpu/pool.hpp"

#include <limits>
#include <type_traits>

namespace chainrule::cpu::CR_ISA {
namespace {

constexpr int64_t kWidth = 128;  // windows at a time

template <class T>
using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;  // as wide as T, so that both fill a vector alike

// One element of each of n windows: the first at `from`, the next `stride` further.
template <class T, class Stride>
inline void offer(const T* plane, int64_t from, Stride stride, int64_t n, T* best, Index<T>* at) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T value = plane[from + i * stride];
    const bool better = (value > best[i]) | (value != value);
    best[i] = better ? value : best[i];
    at[i] = better ? Index<T>(from + i * stride) : at[i];
  }
}

template <class T, class Stride>
void run(const WindowRow& w, const T* plane, T* y, int64_t* index, Stride stride) {
  constexpr T lowest =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  alignas(64) T best[kWidth];
  alignas(64) Index<T> at[kWidth];
  for (int64_t first = 0; first < w.count; first += kWidth) {
    const int64_t n = w.count - first < kWidth ? w.count - first : kWidth, shift = w.begin + first * stride;
    for (int64_t i = 0; i < n; ++i) best[i] = lowest, at[i] = Index<T>(w.rows[0] + shift + i * stride);
    for (int64_t row : w.rows) {
      for (int64_t tap = 0; tap < w.taps; ++tap) offer(plane, row + shift + tap * w.step, stride, n, best, at);
    }
    for (int64_t i = 0; i < n; ++i) y[first + i] = best[i], index[first + i] = at[i];
  }
}

template <class T>
void max_windows(const WindowRow& w, const T* plane, T* y, int64_t* index) {
  if (w.stride == 1) return run(w, plane, y, index, std::integral_constant<int64_t, 1>());
  if (w.stride == 2) return run(w, plane, y, index, std::integral_constant<int64_t, 2>());
  run(w, plane, y, index, w.stride);
}

}  // namespace

void max_windows_float(const WindowRow& w, const float* plane, float* y, int64_t* index) {
  max_windows(w, plane, y, index);
}
void max_windows_double(const WindowRow& w, const double* plane, double* y, int64_t* index) {
  max_windows(w, plane, y, index);
}
void max_windows_int64(const WindowRow& w, const int64_t* plane, int64_t* y, int64_t* index) {
  max_windows(w, plane, y, index);
}

}  // namespace chainrule::cpu::CR_ISA
