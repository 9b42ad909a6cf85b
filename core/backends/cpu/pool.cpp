// Pooling: one value for each window of a plane (or volume).
#include "backends/cpu/pool.hpp"

#include <algorithm>
#include <limits>

#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements for one thread

template <class F>
void each_plane(const PoolWindows& w, int64_t planes, F f) {
  int64_t size = std::max<int64_t>(1, w.in_size() + w.out_size());
  parallel_for(planes, std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Calls f(output position, z, y and x windows) for every output of a plane.
template <class F>
void each_window(const PoolWindows& w, F f) {
  int64_t at = 0;
  for (const Window& z : w.along[0]) {
    for (const Window& y : w.along[1]) {
      for (const Window& x : w.along[2]) f(at++, z, y, x);
    }
  }
}

// Calls f(position of the row's first element) for the rows of a window.
template <class F>
void each_row(const PoolWindows& w, const Window& z, const Window& y, F f) {
  for (int64_t i = z.begin; i < z.end; i += z.step) {
    for (int64_t j = y.begin; j < y.end; j += y.step) f((i * w.in[1] + j) * w.in[2]);
  }
}

int64_t taps(const Window& w) { return std::max<int64_t>(0, w.end - w.begin); }

template <class T>
void max_plane(const PoolWindows& w, const T* plane, T* y, int64_t* index) {
  constexpr T lowest =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  each_window(w, [&](int64_t at, const Window& wz, const Window& wy, const Window& wx) {
    T best = lowest;
    int64_t where = (wz.begin * w.in[1] + wy.begin) * w.in[2] + wx.begin;
    each_row(w, wz, wy, [&](int64_t row) {
      for (int64_t x = wx.begin; x < wx.end; x += wx.step) {
        const T value = plane[row + x];
        const bool better = (value > best) | (value != value);
        best = better ? value : best;
        where = better ? row + x : where;
      }
    });
    y[at] = best;
    index[at] = where;
  });
}

int64_t divisor_of(const Window& z, const Window& y, const Window& x, int64_t divisor) {
  return divisor ? divisor : z.counted * y.counted * x.counted;
}

}  // namespace

template <class T>
void max_pool(const PoolWindows& w, const T* x, T* y, int64_t* index, int64_t planes) {
  each_plane(w, planes,
             [&](int64_t i) { max_plane(w, x + i * w.in_size(), y + i * w.out_size(), index + i * w.out_size()); });
}

template <class T>
void average_pool(const PoolWindows& w, const T* x, T* y, int64_t planes, int64_t divisor) {
  each_plane(w, planes, [&](int64_t i) {
    const T* plane = x + i * w.in_size();
    T* out = y + i * w.out_size();
    each_window(w, [&](int64_t at, const Window& wz, const Window& wy, const Window& wx) {
      T sum = 0;
      each_row(w, wz, wy, [&](int64_t row) {
        for (int64_t k = wx.begin; k < wx.end; ++k) sum += plane[row + k];
      });
      const bool seen = taps(wz) && taps(wy) && taps(wx);
      out[at] = seen ? static_cast<T>(sum / static_cast<T>(divisor_of(wz, wy, wx, divisor))) : T(0);
    });
  });
}

template <class T>
void average_pool_gradient(const PoolWindows& w, const T* g, T* gradient, int64_t planes, int64_t divisor) {
  each_plane(w, planes, [&](int64_t i) {
    const T* from = g + i * w.out_size();
    T* plane = gradient + i * w.in_size();
    std::fill_n(plane, w.in_size(), T(0));
    each_window(w, [&](int64_t at, const Window& wz, const Window& wy, const Window& wx) {
      const int64_t count = divisor_of(wz, wy, wx, divisor);
      const T share = count ? static_cast<T>(from[at] / static_cast<T>(count)) : T(0);
      each_row(w, wz, wy, [&](int64_t row) {
        for (int64_t k = wx.begin; k < wx.end; ++k) plane[row + k] += share;
      });
    });
  });
}

#define CR_INSTANTIATE(T)                                                            \
  template void max_pool<T>(const PoolWindows&, const T*, T*, int64_t*, int64_t);    \
  template void average_pool<T>(const PoolWindows&, const T*, T*, int64_t, int64_t); \
  template void average_pool_gradient<T>(const PoolWindows&, const T*, T*, int64_t, int64_t);
CR_INSTANTIATE(float)
CR_INSTANTIATE(double)
CR_INSTANTIATE(int64_t)
#undef CR_INSTANTIATE

}  // namespace chainrule::cpu
