// The steps of optimisers, element by element.
#include "backends/cpu/optimise.hpp"

#include <cmath>

#define CR_INLINE inline __attribute__((always_inline))

namespace chainrule::cpu::CR_ISA {
namespace {

template <class T>
struct Arrays {
  T *p, *a, *b, *c;
  const T* g;
  explicit Arrays(void* const* arrays)
      : p(static_cast<T*>(arrays[0])),
        a(static_cast<T*>(arrays[2])),
        b(static_cast<T*>(arrays[3])),
        c(static_cast<T*>(arrays[4])),
        g(static_cast<const T*>(arrays[1])) {}
};

// The numbers that all optimisers treat alike.
template <class T>
struct Common {
  T lr, decay, eps, sign, shrink;
  bool decoupled;
  explicit Common(const StepNumbers& s)
      : lr(T(s.lr)),
        decay(s.decoupled ? T(0) : T(s.weight_decay)),
        eps(T(s.eps)),
        sign(s.maximize ? T(-1) : T(1)),
        shrink(s.decoupled ? T(1 - s.lr * s.weight_decay) : T(1)),
        decoupled(s.decoupled) {}
  // Without decay an infinite parameter does not matter.
  CR_INLINE T gradient(T g, T p) const { return decay == 0 ? sign * g : sign * g + decay * p; }
};

template <class T>
CR_INLINE T root(T x) {
  return T(__builtin_sqrt(x));
}
template <>
CR_INLINE float root(float x) {
  return __builtin_sqrtf(x);
}
template <class T>
CR_INLINE T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

template <class T>
CR_INLINE void plain_steps(const Arrays<T>& x, const Common<T>& c, int64_t begin, int64_t end) {
#pragma GCC ivdep
  for (int64_t i = begin; i < end; ++i) x.p[i] -= c.lr * c.gradient(x.g[i], x.p[i]);
}

// Where a gradient is zero, nothing changes. Most rows of a large embedding's gradient are: those are not even read. Of
// a window of blocks, first those that move are found and asked for, since nobody could foresee them.
template <class T>
CR_INLINE void plain_sgd(const Arrays<T>& x, const Common<T>& c, int64_t n) {
  constexpr int64_t kBlock = 64, kBlocks = 32, kWindow = kBlock * kBlocks, kLine = 64 / int64_t(sizeof(T));
  const auto fetch = [](const T* block) __attribute__((always_inline)) {
    for (int64_t i = 0; i < kBlock; i += kLine) __builtin_prefetch(block + i);
  };
  const bool zero_rests = c.decay == 0 && c.lr * T(0) == 0;  // not for an infinite rate
  int64_t at = 0;
  for (; at + kWindow <= n; at += kWindow) {
    if (!zero_rests || (x.g[at] != 0 && x.g[at + kWindow / 2] != 0)) {  // no row of zeros, most likely
      for (int64_t i = at; i < at + kWindow; i += kBlock) {
        fetch(x.g + i + kWindow);
        plain_steps(x, c, i, i + kBlock);
      }
      continue;
    }
    int moves[kBlocks] = {};
    for (int64_t k = 0; k < kBlocks; ++k) {
      const int64_t begin = at + k * kBlock;
      fetch(x.g + begin + kWindow);
      for (int64_t i = begin; i < begin + kBlock; ++i) moves[k] |= x.g[i] != 0;
      if (moves[k]) fetch(x.p + begin);
    }
    for (int64_t k = 0; k < kBlocks; ++k) {
      if (moves[k]) plain_steps(x, c, at + k * kBlock, at + (k + 1) * kBlock);
    }
  }
  plain_steps(x, c, at, n);
}

template <class T>
void sgd(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T momentum = T(s.beta1), fresh = s.first ? T(1) : T(1 - s.beta2), kept = s.first ? T(0) : momentum;
  const bool nesterov = s.nesterov, first = s.first;
  if (!x.a) return plain_sgd(x, c, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.gradient(x.g[i], x.p[i]), moved = first ? g : kept * x.a[i] + fresh * g;
    x.a[i] = moved;
    x.p[i] -= c.lr * (nesterov ? g + momentum * moved : moved);
  }
}

// step(i) for all elements, what lies ahead being asked for: there are too many arrays for the processor to foresee.
template <class T, class Step>
CR_INLINE void sweep(const Arrays<T>& x, int64_t n, Step step) {
  constexpr int64_t kBlock = 64, kAhead = 512, kLine = 64 / int64_t(sizeof(T));
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    for (int64_t j = i + kAhead; j < i + kAhead + kBlock; j += kLine) {
      __builtin_prefetch(x.p + j);
      __builtin_prefetch(x.g + j);
      __builtin_prefetch(x.a + j);
      __builtin_prefetch(x.b + j);
    }
#pragma GCC ivdep
    for (int64_t j = 0; j < kBlock; ++j) step(i + j);
  }
  for (; i < n; ++i) step(i);
}

template <class T>
void adam(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T fresh1 = T(1 - s.beta1), beta2 = T(s.beta2), fresh2 = T(1 - s.beta2);
  const T step = T(s.lr / s.correction1), scale = T(1 / std::sqrt(s.correction2));
  if (s.amsgrad) {
    sweep(x, n, [&](int64_t i) __attribute__((always_inline)) {
      const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
      const T v = beta2 * x.b[i] + fresh2 * g * g, top = larger(x.c[i], v);
      x.a[i] = m;
      x.b[i] = v;
      x.c[i] = top;
      x.p[i] = p - step * m / (root(top) * scale + c.eps);
    });
    return;
  }
  sweep(x, n, [&](int64_t i) __attribute__((always_inline)) {
    const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
    const T v = beta2 * x.b[i] + fresh2 * g * g;
    x.a[i] = m;
    x.b[i] = v;
    x.p[i] = p - step * m / (root(v) * scale + c.eps);
  });
}

template <class T>
void adagrad(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.gradient(x.g[i], x.p[i]), sum = x.a[i] + g * g;
    x.a[i] = sum;
    x.p[i] -= c.lr * g / (root(sum) + c.eps);
  }
}

template <class T>
void rmsprop(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T alpha = T(s.beta2), fresh = T(1 - s.beta2), momentum = T(s.beta1);
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.gradient(x.g[i], x.p[i]), squares = alpha * x.a[i] + fresh * g * g;
    x.a[i] = squares;
    T spread = squares;
    if (x.c) {
      const T average = x.c[i] + fresh * (g - x.c[i]);
      x.c[i] = average;
      spread = squares - average * average;
    }
    T step = g / (root(spread) + c.eps);
    if (x.b) x.b[i] = step = momentum * x.b[i] + step;
    x.p[i] -= c.lr * step;
  }
}

template <class T>
void adadelta(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T rho = T(s.beta2), fresh = T(1 - s.beta2);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.gradient(x.g[i], x.p[i]), squares = rho * x.a[i] + fresh * g * g;
    const T step = root(x.b[i] + c.eps) / root(squares + c.eps) * g;
    x.a[i] = squares;
    x.b[i] = rho * x.b[i] + fresh * step * step;
    x.p[i] -= c.lr * step;
  }
}

template <class T>
void adamax(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T fresh1 = T(1 - s.beta1), beta2 = T(s.beta2), step = T(s.lr / s.correction1);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.gradient(x.g[i], x.p[i]), m = x.a[i] + fresh1 * (g - x.a[i]);
    const T size = (g < 0 ? -g : g) + c.eps, top = larger(beta2 * x.b[i], size);
    x.a[i] = m;
    x.b[i] = top;
    x.p[i] -= step * m / top;
  }
}

template <class T>
void nadam(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T fresh1 = T(1 - s.beta1), beta2 = T(s.beta2), fresh2 = T(1 - s.beta2), scale = T(1 / s.correction2);
  const T of_gradient = T(s.lr * s.factor), of_average = T(s.lr * s.factor2);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
    const T v = beta2 * x.b[i] + fresh2 * g * g;
    x.a[i] = m;
    x.b[i] = v;
    x.p[i] = p - (of_gradient * g + of_average * m) / (root(v * scale) + c.eps);
  }
}

template <class T>
void radam(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T fresh1 = T(1 - s.beta1), beta2 = T(s.beta2), fresh2 = T(1 - s.beta2), step = T(s.lr / s.correction1);
  const T rectified = T(s.factor * std::sqrt(s.correction2));
  const bool plain = s.factor == 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
    const T v = beta2 * x.b[i] + fresh2 * g * g;
    x.a[i] = m;
    x.b[i] = v;
    x.p[i] = p - step * m * (plain ? T(1) : rectified / (root(v) + c.eps));
  }
}

template <class T>
void rprop(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T shrink = T(s.beta1), grow = T(s.beta2), least = T(s.factor), most = T(s.factor2);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T g = c.sign * x.g[i], agreement = g * x.a[i];
    const T factor = agreement > 0 ? grow : agreement < 0 ? shrink : T(1);
    T step = x.b[i] * factor;
    step = step < least ? least : step;
    step = step > most ? most : step;
    const T used = agreement < 0 ? T(0) : g;
    x.a[i] = used;
    x.b[i] = step;
    x.p[i] -= (used > 0 ? T(1) : used < 0 ? T(-1) : T(0)) * step;
  }
}

template <class T>
void asgd(void* const* arrays, int64_t n, const StepNumbers& s) {
  const Arrays<T> x(arrays);
  const Common<T> c(s);
  const T kept = T(s.beta1), share = T(s.factor);
  const bool whole = s.factor == 1;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T p = x.p[i] * kept - c.lr * c.gradient(x.g[i], x.p[i]);
    x.p[i] = p;
    x.a[i] = whole ? p : x.a[i] + (p - x.a[i]) * share;
  }
}

}  // namespace

#define CR_BOTH(f) {&f<float>, &f<double>}
constinit const StepKernel optimiser_table[kOptimiserCount][2] = {
    CR_BOTH(sgd),    CR_BOTH(adam),  CR_BOTH(adagrad), CR_BOTH(rmsprop), CR_BOTH(adadelta),
    CR_BOTH(adamax), CR_BOTH(nadam), CR_BOTH(radam),   CR_BOTH(rprop),   CR_BOTH(asgd),
};
#undef CR_BOTH

}  // namespace chainrule::cpu::CR_ISA
