#include "backends/pool.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/pool.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements for one thread

template <class F>
void each_plane(const PoolWindows& w, Planes planes, F f) {
  int64_t size = std::max<int64_t>(1, (w.in_size() + w.out_size()) * planes.lanes);
  parallel_for(planes.count, std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
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

// Calls f(output position, z and y windows) for every row of outputs.
template <class F>
void each_window_row(const PoolWindows& w, F f) {
  int64_t at = 0;
  for (const Window& z : w.along[0]) {
    for (const Window& y : w.along[1]) {
      f(at, z, y);
      at += w.out(2);
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

void max_windows(const WindowRow& w, const float* plane, float* y, int64_t* index) {
  CR_DISPATCH(max_windows_float)(w, plane, y, index);
}
void max_windows(const WindowRow& w, const double* plane, double* y, int64_t* index) {
  CR_DISPATCH(max_windows_double)(w, plane, y, index);
}
void max_windows(const WindowRow& w, const int64_t* plane, int64_t* y, int64_t* index) {
  CR_DISPATCH(max_windows_int64)(w, plane, y, index);
}

// The windows along the last dimension from `first` to `last` are alike; padding cuts those before and behind.
struct Alike {
  int64_t first = 0, last = 0, stride = 1;

  explicit Alike(const std::vector<Window>& along) {
    auto n = static_cast<int64_t>(along.size());
    for (int64_t begin = 0, end; begin < n; begin = end) {
      end = begin + 1;
      int64_t apart = end < n ? along[end].begin - along[begin].begin : 1;
      while (end < n && is_next(along[end - 1], along[end], apart)) ++end;
      if (end - begin > last - first) first = begin, last = end, stride = apart;
    }
  }
  static bool is_next(const Window& a, const Window& b, int64_t apart) {
    return b.begin - a.begin == apart && b.end - a.end == apart && a.step == b.step;
  }
};

template <class T>
void max_window(const T* plane, int64_t lanes, std::span<const int64_t> rows, const Window& wx, T* y, int64_t* index) {
  constexpr T lowest =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  *y = lowest;
  for (int64_t row : rows) {
    for (int64_t x = wx.begin; x < wx.end; x += wx.step) {
      const T value = plane[(row + x) * lanes];
      if ((value > *y) | (value != value)) *y = value, *index = row + x;
    }
  }
}

template <class T>
void max_plane(const PoolWindows& w, const Alike& alike, const T* plane, T* y, int64_t* index) {
  const std::vector<Window>& along = w.along[2];
  const Window& typical = along[alike.first];
  WindowRow together{{}, typical.begin, alike.last - alike.first, alike.stride, 0, typical.step};
  together.taps = (taps(typical) + typical.step - 1) / typical.step;
  std::vector<int64_t> rows;
  each_window_row(w, [&](int64_t at, const Window& wz, const Window& wy) {
    rows.clear();
    each_row(w, wz, wy, [&](int64_t row) { rows.push_back(row); });
    auto alone = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        index[at + i] = (wz.begin * w.in[1] + wy.begin) * w.in[2] + along[i].begin;
        max_window(plane, 1, rows, along[i], y + at + i, index + at + i);
      }
    };
    if (rows.empty()) return alone(0, w.out(2));
    alone(0, alike.first);
    alone(alike.last, w.out(2));
    together.rows = rows;
    max_windows(together, plane, y + at + alike.first, index + at + alike.first);
  });
}

// ---- channels last: what holds for a window holds for all lanes of its place

// Calls f(plane, z and y windows, position among all outputs) for every row of outputs.
template <class F>
void each_output_row(const PoolWindows& w, Planes planes, F f) {
  const int64_t rows = w.out(0) * w.out(1), cost = std::max<int64_t>(1, w.out(2) * planes.lanes);
  parallel_for(planes.count * rows, std::max<int64_t>(1, kGrain / cost), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = r % rows;
      f(r / rows, w.along[0][static_cast<size_t>(row / w.out(1))], w.along[1][static_cast<size_t>(row % w.out(1))],
        r * w.out(2));
    }
  });
}

// The lanes of a place are windows side by side.
template <class T>
void max_lanes(const PoolWindows& w, const T* x, T* y, int64_t* index, Planes planes) {
  const int64_t lanes = planes.lanes;
  const bool narrow = w.in_size() * lanes <= std::numeric_limits<int32_t>::max();  // indices in 32 bits
  each_output_row(w, planes, [&](int64_t plane, const Window& wz, const Window& wy, int64_t at) {
    const T* image = x + plane * w.in_size() * lanes;
    std::vector<int64_t> rows, starts;
    each_row(w, wz, wy, [&](int64_t row) { rows.push_back(row), starts.push_back(row * lanes); });
    for (const Window& wx : w.along[2]) {
      T* to = y + at * lanes;
      int64_t* places = index + at++ * lanes;
      const int64_t first = (wz.begin * w.in[1] + wy.begin) * w.in[2] + wx.begin;
      if (narrow && !rows.empty() && taps(wx)) {
        const int64_t count = (taps(wx) + wx.step - 1) / wx.step;
        max_windows({starts, wx.begin * lanes, lanes, 1, count, wx.step * lanes}, image, to, places);
        const auto apart = static_cast<double>(lanes);  // divides without rest, and faster than an integer
        for (int64_t c = 0; c < lanes; ++c)
          places[c] = static_cast<int64_t>(static_cast<double>(places[c] - c) / apart);
      } else {
        std::fill_n(places, lanes, first);
        for (int64_t c = 0; c < lanes; ++c) max_window(image + c, lanes, rows, wx, to + c, places + c);
      }
    }
  });
}

int64_t divisor_of(const Window& z, const Window& y, const Window& x, int64_t divisor) {
  return divisor ? divisor : z.counted * y.counted * x.counted;
}

template <class T>
void average_lanes(const PoolWindows& w, const T* x, T* y, Planes planes, int64_t divisor) {
  const int64_t lanes = planes.lanes;
  each_output_row(w, planes, [&](int64_t plane, const Window& wz, const Window& wy, int64_t at) {
    const T* image = x + plane * w.in_size() * lanes;
    for (const Window& wx : w.along[2]) {
      T* to = y + at++ * lanes;
      std::fill_n(to, lanes, T(0));
      each_row(w, wz, wy, [&](int64_t row) {
        for (int64_t k = wx.begin; k < wx.end; ++k) {
          const T* from = image + (row + k) * lanes;
          for (int64_t c = 0; c < lanes; ++c) to[c] += from[c];
        }
      });
      if (!taps(wz) || !taps(wy) || !taps(wx)) continue;
      const T count = static_cast<T>(divisor_of(wz, wy, wx, divisor));
      for (int64_t c = 0; c < lanes; ++c) to[c] = static_cast<T>(to[c] / count);
    }
  });
}

template <class T>
void share_lanes(const PoolWindows& w, const T* g, T* gradient, Planes planes, int64_t divisor) {
  const int64_t lanes = planes.lanes;
  each_plane(w, planes, [&](int64_t i) {
    const T* from = g + i * w.out_size() * lanes;
    T* image = gradient + i * w.in_size() * lanes;
    std::fill_n(image, w.in_size() * lanes, T(0));
    each_window(w, [&](int64_t at, const Window& wz, const Window& wy, const Window& wx) {
      const T count = static_cast<T>(divisor_of(wz, wy, wx, divisor));
      if (count == 0) return;
      each_row(w, wz, wy, [&](int64_t row) {
        for (int64_t k = wx.begin; k < wx.end; ++k) {
          T* to = image + (row + k) * lanes;
          for (int64_t c = 0; c < lanes; ++c) to[c] += static_cast<T>(from[at * lanes + c] / count);
        }
      });
    });
  });
}

template <class T>
void max_planes(const PoolWindows& w, const T* x, T* y, int64_t* index, Planes planes) {
  if (w.out_size() == 0) return;
  if (planes.lanes != 1) return max_lanes(w, x, y, index, planes);
  Alike alike(w.along[2]);
  if (w.in_size() > std::numeric_limits<int32_t>::max()) alike.last = alike.first;  // indices in 32 bits
  each_plane(w, planes, [&](int64_t i) {
    max_plane(w, alike, x + i * w.in_size(), y + i * w.out_size(), index + i * w.out_size());
  });
}

template <class T>
void average_planes(const PoolWindows& w, const T* x, T* y, Planes planes, int64_t divisor) {
  if (planes.lanes != 1) return average_lanes(w, x, y, planes, divisor);
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
void share_planes(const PoolWindows& w, const T* g, T* gradient, Planes planes, int64_t divisor) {
  if (planes.lanes != 1) return share_lanes(w, g, gradient, planes, divisor);
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

// ---- windows at random places

// Those of one plane; `samples` has a number for each dimension.
PoolWindows fractional_windows(const FractionalPooling& p, const double* samples) {
  PoolWindows w{p.in, p.out, {}};
  for (size_t d = 0; d < 3; ++d) {
    const int place = static_cast<int>(d) - (3 - p.dims);  // among the dimensions that are pooled
    const int64_t last = p.in[d] - p.kernel[d], out = p.out[d];
    // In two dimensions the first sample is the width's.
    const auto sample = place < 0 ? 0 : static_cast<float>(samples[p.dims == 2 ? 1 - place : place]);
    const float alpha = out > 1 ? static_cast<float>(last) / static_cast<float>(out - 1) : 0;
    for (int64_t i = 0; i < out; ++i) {
      const int64_t begin = i + 1 == out ? last
                                         : static_cast<int64_t>((static_cast<float>(i) + sample) * alpha) -
                                               static_cast<int64_t>(sample * alpha);
      w.along[d].push_back({begin, begin + p.kernel[d], 1, p.kernel[d]});
    }
  }
  return w;
}

// ---- by dtype

template <class F>
void with_pool_type(DType dtype, F f) {
  dtype == DType::Int64 ? f(int64_t{}) : with_kernel_type(dtype, f);
}

void max(const MaxPooling& p) {
  with_pool_type(p.dtype, [&]<class T>(T) {
    max_planes(p.windows, static_cast<const T*>(p.x), static_cast<T*>(p.y), p.index, p.planes);
  });
}

void average(const AveragePooling& p) {
  with_pool_type(p.dtype, [&]<class T>(T) {
    average_planes(p.windows, static_cast<const T*>(p.from), static_cast<T*>(p.to), p.planes, p.divisor);
  });
}

void average_gradient(const AveragePooling& p) {
  with_pool_type(p.dtype, [&]<class T>(T) {
    share_planes(p.windows, static_cast<const T*>(p.from), static_cast<T*>(p.to), p.planes, p.divisor);
  });
}

void fractional_max(const FractionalPooling& p) {
  with_kernel_type(p.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < p.planes; ++i) {
      const PoolWindows w = fractional_windows(p, p.samples + i * p.dims);
      max_planes(w, static_cast<const T*>(p.x) + i * w.in_size(), static_cast<T*>(p.y) + i * w.out_size(),
                 p.index + i * w.out_size(), {1});
    }
  });
}

void unpool(const Unpooling& u) {
  for (int64_t i = 0; i < u.planes * u.in; ++i) {
    const int64_t target = i / u.in * u.out + u.index[i];
    std::memcpy(u.y + target * u.item, u.x + i * u.item, static_cast<size_t>(u.item));
  }
}

}  // namespace

constinit const PoolKernels pool_kernels{{max}, {average}, {average_gradient}, {fractional_max}, {unpool}};

}  // namespace chainrule::cpu
