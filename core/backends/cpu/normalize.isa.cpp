// Rows and channels brought to mean 0 and variance 1, and the gradients of that.
#include "backends/cpu/normalize.hpp"

#include "backends/cpu/fold.hpp"

namespace chainrule::cpu::CR_ISA {
namespace {

template <class T>
struct DeviationFold : SumFold<T> {
  T mean;
  template <class V>
  CR_INLINE V prepare(V x) const {
    V d = x - mean;
    return d * d;
  }
};

template <class T>
double sum(const void* x, int64_t n) {
  return double(fold_row(SumFold<T>{}, static_cast<const T*>(x), n));
}

template <class T>
double sum_of_squares(const void* x, int64_t n, double mean) {
  DeviationFold<T> fold;
  fold.mean = T(mean);
  return double(fold_row(fold, static_cast<const T*>(x), n));
}

template <class V>
struct Two {
  V first, second;
};

// The sums of each(j, V).first and .second for j = 0, 1 ...: 128 bytes side by side, then halved, so that every
// instruction set adds in the same order.
template <class T, class Each>
CR_INLINE Two<double> two_sums(int64_t n, Each each) {
  constexpr int lanes = kLanes<T>, count = 128 / kVectorBytes;
  constexpr int64_t group = 128 / int64_t(sizeof(T));
  Two<double> total{0, 0};
  int64_t j = 0;
  while (n - j >= group) {
    int64_t end = j + smaller(kBlock, (n - j) / group * group);
    Vector<T> a[count] = {}, b[count] = {};
    for (; j < end; j += group) {
#pragma GCC unroll 8
      for (int k = 0; k < count; ++k) {
        Two<Vector<T>> v = each(j + k * lanes, Vector<T>{});
        a[k] += v.first;
        b[k] += v.second;
      }
    }
    halve_vectors(SumFold<T>{}, a, std::make_index_sequence<(count + 1) / 2>());
    halve_vectors(SumFold<T>{}, b, std::make_index_sequence<(count + 1) / 2>());
    total.first += double(sum_of_lanes<T>(a[0]));
    total.second += double(sum_of_lanes<T>(b[0]));
  }
  for (; j < n; ++j) {
    Two<T> v = each(j, T{});
    total.first += double(v.first);
    total.second += double(v.second);
  }
  return total;
}

// Calls f with weight(j) and bias(j), each the array's element or the constant that stands for it.
template <class T, class F>
CR_INLINE void with_affine(const T* weight, const T* bias, F f) {
  auto one = [](int64_t) { return T(1); };
  auto none = [](int64_t) { return T(0); };
  auto scale = [=](int64_t j) { return weight[j]; };
  auto shift = [=](int64_t j) { return bias[j]; };
  if (weight && bias)
    f(scale, shift);
  else if (weight)
    f(scale, none);
  else if (bias)
    f(one, shift);
  else
    f(one, none);
}

template <class T>
void row(const void* x, const void* weight, const void* bias, void* y, int64_t n, RowStatistics s) {
  const auto* from = static_cast<const T*>(x);
  auto* to = static_cast<T*>(y);
  const T mean = T(s.mean), rstd = T(s.rstd);
  with_affine(static_cast<const T*>(weight), static_cast<const T*>(bias), [=](auto w, auto b) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) to[j] = (from[j] - mean) * rstd * w(j) + b(j);
  });
}

template <class T, class Weight>
CR_INLINE void row_gradient_of(const T* g, const T* x, Weight w, T* out, int64_t n, T mean, T rstd, bool centred) {
  Two<double> sums = two_sums<T>(n, [&](int64_t j, auto v) {
    using V = decltype(v);
    V scaled = take<V>(g + j) * w(j, v);
    return Two<V>{scaled, scaled * ((take<V>(x + j) - mean) * rstd)};
  });
  const T first = centred ? T(sums.first / double(n)) : T(0), second = T(sums.second / double(n));
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) out[j] = rstd * (g[j] * w(j, T{}) - first - (x[j] - mean) * rstd * second);
}

template <class T>
void row_gradient(const void* g, const void* x, const void* weight, void* gradient, void* weight_sum, void* bias_sum,
                  int64_t n, RowStatistics s, bool centred) {
  const auto *from = static_cast<const T*>(g), *value = static_cast<const T*>(x), *w = static_cast<const T*>(weight);
  const T mean = T(s.mean), rstd = T(s.rstd);
  auto* out = static_cast<T*>(gradient);
  if (out && w) {
    auto scale = [w](int64_t j, auto v) __attribute__((always_inline)) { return take<decltype(v)>(w + j); };
    row_gradient_of(from, value, scale, out, n, mean, rstd, centred);
  } else if (out) {
    auto scale = [](int64_t, auto) __attribute__((always_inline)) { return T(1); };
    row_gradient_of(from, value, scale, out, n, mean, rstd, centred);
  }
  auto *weights = static_cast<T*>(weight_sum), *biases = static_cast<T*>(bias_sum);
  if (weights && biases) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      weights[j] += from[j] * ((value[j] - mean) * rstd);
      biases[j] += from[j];
    }
  } else if (weights) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) weights[j] += from[j] * ((value[j] - mean) * rstd);
  } else if (biases) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) biases[j] += from[j];
  }
}

template <class T>
void affine(const void* x, void* y, int64_t n, double mean, double scale, double shift) {
  const auto* from = static_cast<const T*>(x);
  auto* to = static_cast<T*>(y);
  const T m = T(mean), a = T(scale), b = T(shift);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) to[j] = (from[j] - m) * a + b;
}

template <class T>
void sums(const void* g, const void* x, int64_t n, double mean, double* out) {
  const auto *from = static_cast<const T*>(g), *value = static_cast<const T*>(x);
  const T m = T(mean);
  Two<double> found = two_sums<T>(n, [&](int64_t j, auto v) {
    using V = decltype(v);
    V incoming = take<V>(from + j);
    return Two<V>{incoming, incoming * (take<V>(value + j) - m)};
  });
  out[0] = found.first;
  out[1] = found.second;
}

template <class T>
void combine(const void* g, const void* x, void* gradient, int64_t n, double mean, double a, double b, double c) {
  const auto *from = static_cast<const T*>(g), *value = static_cast<const T*>(x);
  auto* to = static_cast<T*>(gradient);
  const T m = T(mean), p = T(a), q = T(b), r = T(c);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) to[j] = p * from[j] + q * (value[j] - m) + r;
}

}  // namespace

#define CR_TABLE(T) {&sum<T>, &sum_of_squares<T>, &row<T>, &row_gradient<T>, &affine<T>, &sums<T>, &combine<T>}
constinit const NormalizeLoops normalize_table[2] = {CR_TABLE(float), CR_TABLE(double)};
#undef CR_TABLE

}  // namespace chainrule::cpu::CR_ISA
