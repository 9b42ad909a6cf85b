// The filters of resampling, as positions and weights.
#include "backends/cpu/resample_taps.hpp"

#include <cmath>
#include <numbers>

namespace chainrule::cpu {
namespace {

// Positions are computed in the type that the values have, as PyTorch does: they decide which inputs are read.
template <class T>
T step_of(int64_t in, int64_t out, bool align_corners, double scale) {
  if (align_corners) return out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : T(0);
  return scale > 0 ? static_cast<T>(1 / scale) : static_cast<T>(in) / static_cast<T>(out);
}

template <class T>
T position(int64_t i, T step, bool align_corners) {
  return align_corners ? step * static_cast<T>(i) : step * (static_cast<T>(i) + T(0.5)) - T(0.5);
}

Taps nearest_taps(int64_t in, int64_t out, double scale, bool exact) {
  Taps taps(in, out, 1);
  auto step = step_of<float>(in, out, false, scale);
  for (int64_t i = 0; i < out; ++i) {
    float at = exact ? (static_cast<float>(i) + 0.5f) * step : static_cast<float>(i) * step;
    int64_t from = exact || (in != out && out != 2 * in) ? static_cast<int64_t>(std::floor(at)) : in == out ? i : i / 2;
    taps.set(i, 0, std::min(from, in - 1), 1);
  }
  return taps;
}

template <class T>
Taps linear_taps(int64_t in, int64_t out, bool align_corners, double scale) {
  Taps taps(in, out, 2);
  T step = step_of<T>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    T at = in == out ? static_cast<T>(i) : std::max(position(i, step, align_corners), T(0));
    auto from = std::min(static_cast<int64_t>(at), in - 1);
    T right = std::min(std::max(at - static_cast<T>(from), T(0)), T(1));
    taps.set(i, 0, from, T(1) - right);
    taps.set(i, 1, from + 1, right);
  }
  return taps;
}

// The cubic convolution kernel at distance x, for a = -0.75 (PyTorch's) or -0.5 (antialiased, as in Pillow).
template <class T>
T cubic(T x, T a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : T(0);
}

template <class T>
Taps cubic_taps(int64_t in, int64_t out, bool align_corners, double scale) {
  Taps taps(in, out, 4);
  T step = step_of<T>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    T at = position(i, step, align_corners), whole = std::floor(at), t = at - whole;
    for (int64_t k = 0; k < 4; ++k) {
      taps.set(i, k, static_cast<int64_t>(whole) - 1 + k, cubic(t + T(1) - static_cast<T>(k), T(-0.75)));
    }
  }
  return taps;
}

template <class T>
T triangle(T x) {
  return std::max(T(0), T(1) - std::abs(x));
}

// A sinc under the middle of a wider one.
template <class T>
T lanczos(T x) {
  if (x == 0) return 1;
  T angle = std::numbers::pi_v<T> * x;
  return std::abs(x) < 3 ? 3 * std::sin(angle) * std::sin(angle / 3) / (angle * angle) : T(0);
}

// A filter for making images smaller, zero from `reach` on.
template <class T>
struct Antialiasing {
  int reach;
  T (*weight)(T x);
};
template <class T>
Antialiasing<T> antialiasing(Filter f) {
  if (f == Filter::LanczosAntialiased) return {3, lanczos<T>};
  if (f == Filter::CubicAntialiased) return {2, [](T x) { return cubic(x, T(-0.5)); }};
  return {1, triangle<T>};
}

// The filter is as wide as the step, so that every input counts.
template <class T>
Taps antialiased_taps(int64_t in, int64_t out, bool align_corners, double scale, const Antialiasing<T>& filter) {
  T step = step_of<T>(in, out, align_corners, scale), inverse = step >= 1 ? 1 / step : T(1);
  T support = static_cast<T>(filter.reach) * std::max(step, T(1));
  Taps taps(in, out, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < out; ++i) {
    T centre = step * (static_cast<T>(i) + T(0.5)), total = 0;
    auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + T(0.5)), 0);
    int64_t count = std::min(static_cast<int64_t>(centre + support + T(0.5)), in) - first;
    count = std::clamp<int64_t>(count, 0, taps.count);
    std::vector<T> weights(static_cast<size_t>(count));
    for (int64_t k = 0; k < count; ++k) {
      T w = filter.weight((static_cast<T>(k + first) - centre + T(0.5)) * inverse);
      weights[static_cast<size_t>(k)] = w;
      total += w;
    }
    for (int64_t k = 0; k < count; ++k) taps.set(i, k, first + k, weights[static_cast<size_t>(k)] / total);
  }
  return taps;
}

}  // namespace

template <class T>
Taps make_taps(const Resampling& r) {
  switch (r.filter) {
    case Filter::Nearest:
    case Filter::NearestExact:
      return nearest_taps(r.in, r.out, r.scale, r.filter == Filter::NearestExact);
    case Filter::Linear:
      return linear_taps<T>(r.in, r.out, r.align_corners, r.scale);
    case Filter::Cubic:
      return cubic_taps<T>(r.in, r.out, r.align_corners, r.scale);
    default:
      return antialiased_taps<T>(r.in, r.out, r.align_corners, r.scale, antialiasing<T>(r.filter));
  }
}

template Taps make_taps<float>(const Resampling& r);
template Taps make_taps<double>(const Resampling& r);

}  // namespace chainrule::cpu
