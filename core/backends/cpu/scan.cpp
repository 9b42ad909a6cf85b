// Running totals along one dimension: one after another in a row, side by side in columns.
#include "backends/scan.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024, kTile = 256;

template <class T>
struct TotalOf {
  using type = T;
};
template <>
struct TotalOf<float> {
  using type = double;
};
template <>
struct TotalOf<Complex<float>> {
  using type = Complex<double>;
};
template <class T>
using Total = typename TotalOf<T>::type;

template <class To, class From>
To as(From x) {
  if constexpr (std::is_arithmetic_v<From>)
    return static_cast<To>(x);
  else
    return To(static_cast<decltype(To::re)>(x.re), static_cast<decltype(To::im)>(x.im));
}

// One row after another, the total in a register: in memory, each step would wait for the write of the one before.
template <class State, class Step>
void run_rows(const ScanShape& s, State start, Step step) {
  parallel_for(s.outer, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.n)), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      State total = start;
      int64_t first = row * s.n;
      if (s.reverse) {
        for (int64_t i = s.n - 1; i >= 0; --i) step(total, first + i, i);
      } else {
        for (int64_t i = 0; i < s.n; ++i) step(total, first + i, i);
      }
    }
  });
}

// Sums along rows. Four elements are added up among themselves first, so that only every fourth addition waits for the
// total; in an accumulator that is wider than the elements, or of integers, the order does not show.
template <class T>
void sum_rows(const T* x, T* out, const ScanShape& s) {
  using A = Total<T>;
  int64_t by = s.reverse ? -1 : 1;
  parallel_for(s.outer, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.n)), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      A total = 0;
      int64_t at = row * s.n + (s.reverse ? s.n - 1 : 0), i = 0;
      for (; i + 4 <= s.n; i += 4, at += 4 * by) {
        A one = A(x[at]), two = one + A(x[at + by]), three = two + A(x[at + 2 * by]), four = three + A(x[at + 3 * by]);
        out[at] = static_cast<T>(total + one);
        out[at + by] = static_cast<T>(total + two);
        out[at + 2 * by] = static_cast<T>(total + three);
        out[at + 3 * by] = static_cast<T>(total = total + four);
      }
      for (; i < s.n; ++i, at += by) out[at] = static_cast<T>(total = total + A(x[at]));
    }
  });
}

// Runs step(total, position) along n for every outer and inner index; a tile of inner indices advances together.
template <class State, class Step>
void run(const ScanShape& s, State start, Step step) {
  if (s.inner == 1) return run_rows(s, start, step);
  int64_t tile = std::min(kTile, s.inner), tiles = (s.inner + tile - 1) / tile, work = std::max<int64_t>(1, s.n * tile);
  parallel_for(s.outer * tiles, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
    State totals[kTile];
    for (int64_t task = begin; task < end; ++task) {
      int64_t first = task % tiles * tile, width = std::min(tile, s.inner - first);
      std::fill(totals, totals + width, start);
      for (int64_t k = 0; k < s.n; ++k) {
        int64_t i = s.reverse ? s.n - 1 - k : k, at = (task / tiles * s.n + i) * s.inner + first;
        for (int64_t j = 0; j < width; ++j) step(totals[j], at + j, i);
      }
    }
  });
}

// log(exp(a) + exp(b)) without overflow.
double log_add(double a, double b) {
  if (a != a || b != b) return a + b;
  double high = std::max(a, b), low = std::min(a, b);
  return high == low && std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

// log(1 + z), also where z is small.
std::complex<double> log1p(std::complex<double> z) {
  double x = z.real(), y = z.imag(), angle = std::atan2(y, 1 + x);
  return {std::abs(z) < 0.5 ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(std::hypot(1 + x, y)), angle};
}

// The angle goes on from that of the larger number and may exceed a turn, as PyTorch's does. Two that are infinitely
// small have none: the total keeps its own.
std::complex<double> log_add(std::complex<double> total, std::complex<double> x) {
  auto is_nan = [](std::complex<double> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  if (is_nan(total) || is_nan(x)) return {NAN, NAN};
  if (std::isinf(x.real()) && x.real() == total.real()) {
    return x.real() < 0 ? total : std::log(std::exp(total) + std::exp(x));
  }
  auto [low, high] = x.real() < total.real() ? std::pair(x, total) : std::pair(total, x);
  return high + log1p(std::exp(low - high));
}

template <class T>
void scan_typed(Scan kind, const T* x, T* out, const ScanShape& s) {
  using A = Total<T>;
  switch (kind) {
    case Scan::Sum:
      if constexpr (std::is_same_v<T, float> || std::is_integral_v<T>) {
        if (s.inner == 1) return sum_rows(x, out, s);
      }
      return run(s, A(0), [=](A& total, int64_t at, int64_t) { out[at] = as<T>(total = total + as<A>(x[at])); });
    case Scan::Prod:
      return run(s, A(1), [=](A& total, int64_t at, int64_t) { out[at] = as<T>(total = total * as<A>(x[at])); });
    case Scan::LogSumExp:
      if constexpr (std::is_floating_point_v<T>) {
        run(s, -HUGE_VAL, [=](double& total, int64_t at, int64_t) {
          out[at] = static_cast<T>(total = log_add(total, static_cast<double>(x[at])));
        });
      } else if constexpr (!std::is_integral_v<T>) {
        using C = std::complex<double>;
        run(s, C(-HUGE_VAL, 0), [=](C& total, int64_t at, int64_t) {
          total = log_add(total, C(x[at].re, x[at].im));
          out[at] = as<T>(Complex<double>(total.real(), total.imag()));
        });
      }
  }
}

template <class T>
void recurrence_typed(const T* a, const T* b, T* out, const ScanShape& s) {
  using A = Total<T>;
  run(s, A(0), [=](A& total, int64_t at, int64_t) { out[at] = as<T>(total = as<A>(b[at]) + as<A>(a[at]) * total); });
}

template <class T, bool is_max>
void extreme_typed(const T* x, T* values, int64_t* indices, const ScanShape& s) {
  struct Best {
    T value;
    int64_t index;
  };
  run(s, Best{T(0), -1}, [=](Best& best, int64_t at, int64_t i) {
    T value = x[at];
    bool beats = is_max ? value >= best.value : value <= best.value;
    if (best.index < 0 || value != value || (best.value == best.value && beats)) best = {value, i};
    values[at] = best.value;
    indices[at] = best.index;
  });
}

void total(const RunningTotal& r) {
  with_arithmetic_type(
      r.dtype, [&]<class T>(T*) { scan_typed(r.kind, static_cast<const T*>(r.x), static_cast<T*>(r.out), r.shape); });
}

void recurrence(const Recurrence& r) {
  with_arithmetic_type(r.dtype, [&]<class T>(T*) {
    recurrence_typed(static_cast<const T*>(r.a), static_cast<const T*>(r.b), static_cast<T*>(r.out), r.shape);
  });
}

void extreme(const RunningExtreme& r) {
  with_arithmetic_type(r.dtype, [&]<class T>(T*) {
    if constexpr (std::is_arithmetic_v<T>) {
      auto* f = r.is_max ? extreme_typed<T, true> : extreme_typed<T, false>;
      f(static_cast<const T*>(r.x), static_cast<T*>(r.values), r.indices, r.shape);
    }
  });
}

}  // namespace

constinit const ScanKernels scan_kernels{{total}, {recurrence}, {extreme}};

}  // namespace chainrule::cpu
