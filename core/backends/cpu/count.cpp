#include "backends/count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

template <class F>
void with_integer_type(DType t, F f) {
  with_real_type(t, [&]<class T>(T* type) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) f(type);
  });
}

void extent(const IntegerExtent& e) {
  with_integer_type(e.dtype, [&]<class T>(T*) {
    const T* x = static_cast<const T*>(e.x);
    T low = 0, high = 0;
    for (int64_t i = 0; i < e.n; ++i) low = std::min(low, x[i]), high = std::max(high, x[i]);
    *e.low = static_cast<int64_t>(low);
    *e.high = static_cast<int64_t>(high);
  });
}

template <class T, class W>
void add_weights(const T* x, int64_t n, const W* weights, W* sums) {
  for (int64_t i = 0; i < n; ++i) sums[x[i]] += weights[i];
}

void bins(const BinCount& b) {
  with_integer_type(b.dtype, [&]<class T>(T*) {
    const T* x = static_cast<const T*>(b.x);
    if (!b.weights) {
      auto* counts = static_cast<int64_t*>(b.to);
      for (int64_t i = 0; i < b.n; ++i) ++counts[x[i]];
    } else if (b.weight_dtype == DType::Float32) {
      add_weights(x, b.n, static_cast<const float*>(b.weights), static_cast<float*>(b.to));
    } else {
      add_weights(x, b.n, static_cast<const double*>(b.weights), static_cast<double*>(b.to));
    }
  });
}

// The half types convert from float only.
template <class T>
T from_count(int64_t n) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(n);
  else
    return T(static_cast<float>(n));
}

// A number so large that one more or less is the same number: the numbers beside it are the limits.
template <class T>
void part(T& low, T& high) {
  if constexpr (std::is_floating_point_v<T>) {
    if (low != high) return;
    low = std::max(std::nextafter(low, -std::numeric_limits<T>::infinity()), std::numeric_limits<T>::lowest());
    high = std::min(std::nextafter(high, std::numeric_limits<T>::infinity()), std::numeric_limits<T>::max());
  }
}

// In the arithmetic of T: what falls on an edge depends on its rounding. A range wider than T has no edges, and nothing
// lies between them, as in PyTorch.
template <class T>
void count_in_bins(const T* x, const Histogram& h, std::vector<int64_t>& counts) {
  const int64_t last = h.bins - 1;
  T low = static_cast<T>(h.low), high = static_cast<T>(h.high);
  part(low, high);
  T width = static_cast<T>(high - low), bins = from_count<T>(last + 1);
  if (!std::isfinite(static_cast<double>(width))) return;
  for (int64_t i = 0; i < h.n; ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    T scaled = static_cast<T>(static_cast<T>(static_cast<T>(x[i] - low) * bins) / width);
    // Where the range is so large that this is no number or infinite, PyTorch's count falls somewhere as well.
    double place = static_cast<double>(scaled);
    ++counts[static_cast<size_t>(place >= 0 && place < static_cast<double>(last) ? static_cast<int64_t>(place) : last)];
  }
}

void histogram(const Histogram& h) {
  std::vector<int64_t> counts(static_cast<size_t>(h.bins));
  with_real_type(h.dtype, [&]<class T>(T*) {
    if constexpr (!std::is_integral_v<T>) {
      count_in_bins(static_cast<const T*>(h.x), h, counts);
      std::transform(counts.begin(), counts.end(), static_cast<T*>(h.to), from_count<T>);
    }
  });
}

}  // namespace

constinit const CountKernels count_kernels{{extent}, {bins}, {histogram}};

}  // namespace chainrule::cpu
