// One step of an optimiser over the arrays of one parameter. kOptimiser says which; see backends/optimise.hpp for what
// the numbers mean.
struct Numbers {
  double lr, weight_decay, eps, beta1, beta2, correction1, correction2, factor, factor2;
  bool maximize, decoupled, nesterov, first, centered, amsgrad;
};
struct Arguments {
  T *p, *g, *a, *b, *c;
  int64_t n;
  Numbers s;
};
enum Optimiser { kSgd, kAdam, kAdagrad, kRmsProp, kAdadelta, kAdamax, kNAdam, kRAdam, kRprop, kAsgd };

inline T larger(T a, T b) { return a > b || a != a ? a : b; }

struct Step {
  const Numbers& s;
  T lr, decay, eps, sign, shrink;
  Step(const Numbers& s)
      : s(s),
        lr(T(s.lr)),
        decay(s.decoupled ? T(0) : T(s.weight_decay)),
        eps(T(s.eps)),
        sign(s.maximize ? T(-1) : T(1)),
        shrink(s.decoupled ? T(1 - s.lr * s.weight_decay) : T(1)) {}
  // Without decay an infinite parameter does not matter.
  T gradient(T g, T p) const { return decay == 0 ? sign * g : sign * g + decay * p; }
};

inline void sgd(const Arguments& x, const Step& c, int64_t i) {
  const T momentum = T(c.s.beta1), fresh = T(1 - c.s.beta2), p = x.p[i], g = c.gradient(x.g[i], p);
  if (!x.a) {
    x.p[i] = p - c.lr * g;
    return;
  }
  const T moved = c.s.first ? g : momentum * x.a[i] + fresh * g;
  x.a[i] = moved;
  x.p[i] = p - c.lr * (c.s.nesterov ? g + momentum * moved : moved);
}
inline void adam(const Arguments& x, const Step& c, int64_t i) {
  const T fresh1 = T(1 - c.s.beta1), beta2 = T(c.s.beta2), fresh2 = T(1 - c.s.beta2);
  const T step = T(c.s.lr / c.s.correction1), scale = T(1 / sqrt(c.s.correction2));
  const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
  const T v = beta2 * x.b[i] + fresh2 * g * g;
  T spread = v;
  if (c.s.amsgrad) x.c[i] = spread = larger(x.c[i], v);
  x.a[i] = m;
  x.b[i] = v;
  x.p[i] = p - step * m / (sqrt(spread) * scale + c.eps);
}
inline void adagrad(const Arguments& x, const Step& c, int64_t i) {
  const T p = x.p[i], g = c.gradient(x.g[i], p), sum = x.a[i] + g * g;
  x.a[i] = sum;
  x.p[i] = p - c.lr * g / (sqrt(sum) + c.eps);
}
inline void rmsprop(const Arguments& x, const Step& c, int64_t i) {
  const T alpha = T(c.s.beta2), fresh = T(1 - c.s.beta2), momentum = T(c.s.beta1);
  const T p = x.p[i], g = c.gradient(x.g[i], p), squares = alpha * x.a[i] + fresh * g * g;
  x.a[i] = squares;
  T spread = squares;
  if (x.c) {
    const T average = x.c[i] + fresh * (g - x.c[i]);
    x.c[i] = average;
    spread = squares - average * average;
  }
  T step = g / (sqrt(spread) + c.eps);
  if (x.b) x.b[i] = step = momentum * x.b[i] + step;
  x.p[i] = p - c.lr * step;
}
inline void adadelta(const Arguments& x, const Step& c, int64_t i) {
  const T rho = T(c.s.beta2), fresh = T(1 - c.s.beta2);
  const T p = x.p[i], g = c.gradient(x.g[i], p), squares = rho * x.a[i] + fresh * g * g;
  const T step = sqrt(x.b[i] + c.eps) / sqrt(squares + c.eps) * g;
  x.a[i] = squares;
  x.b[i] = rho * x.b[i] + fresh * step * step;
  x.p[i] = p - c.lr * step;
}
inline void adamax(const Arguments& x, const Step& c, int64_t i) {
  const T fresh1 = T(1 - c.s.beta1), beta2 = T(c.s.beta2), step = T(c.s.lr / c.s.correction1);
  const T p = x.p[i], g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
  const T top = larger(beta2 * x.b[i], (g < 0 ? -g : g) + c.eps);
  x.a[i] = m;
  x.b[i] = top;
  x.p[i] = p - step * m / top;
}
inline void nadam(const Arguments& x, const Step& c, int64_t i) {
  const T fresh1 = T(1 - c.s.beta1), beta2 = T(c.s.beta2), fresh2 = T(1 - c.s.beta2), scale = T(1 / c.s.correction2);
  const T of_gradient = T(c.s.lr * c.s.factor), of_average = T(c.s.lr * c.s.factor2);
  const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
  const T v = beta2 * x.b[i] + fresh2 * g * g;
  x.a[i] = m;
  x.b[i] = v;
  x.p[i] = p - (of_gradient * g + of_average * m) / (sqrt(v * scale) + c.eps);
}
inline void radam(const Arguments& x, const Step& c, int64_t i) {
  const T fresh1 = T(1 - c.s.beta1), beta2 = T(c.s.beta2), fresh2 = T(1 - c.s.beta2), step = T(c.s.lr / c.s.correction1);
  const T rectified = T(c.s.factor * sqrt(c.s.correction2));
  const T p = x.p[i] * c.shrink, g = c.gradient(x.g[i], p), m = x.a[i] + fresh1 * (g - x.a[i]);
  const T v = beta2 * x.b[i] + fresh2 * g * g;
  x.a[i] = m;
  x.b[i] = v;
  x.p[i] = p - step * m * (c.s.factor == 0 ? T(1) : rectified / (sqrt(v) + c.eps));
}
inline void rprop(const Arguments& x, const Step& c, int64_t i) {
  const T shrink = T(c.s.beta1), grow = T(c.s.beta2), least = T(c.s.factor), most = T(c.s.factor2);
  const T g = c.sign * x.g[i], agreement = g * x.a[i];
  T step = x.b[i] * (agreement > 0 ? grow : agreement < 0 ? shrink : T(1));
  step = step < least ? least : step;
  step = step > most ? most : step;
  const T used = agreement < 0 ? T(0) : g;
  x.a[i] = used;
  x.b[i] = step;
  x.p[i] -= (used > 0 ? T(1) : used < 0 ? T(-1) : T(0)) * step;
}
inline void asgd(const Arguments& x, const Step& c, int64_t i) {
  const T kept = T(c.s.beta1), share = T(c.s.factor);
  const T p = x.p[i] * kept - c.lr * c.gradient(x.g[i], x.p[i]);
  x.p[i] = p;
  x.a[i] = c.s.factor == 1 ? p : x.a[i] + (p - x.a[i]) * share;
}

KERNEL_BOUNDED(step, Arguments, 256) {
  const Step c(a.s);
  for (int64_t i = thread_number(); i < a.n; i += thread_count()) {
    if constexpr (kOptimiser == kSgd) sgd(a, c, i);
    if constexpr (kOptimiser == kAdam) adam(a, c, i);
    if constexpr (kOptimiser == kAdagrad) adagrad(a, c, i);
    if constexpr (kOptimiser == kRmsProp) rmsprop(a, c, i);
    if constexpr (kOptimiser == kAdadelta) adadelta(a, c, i);
    if constexpr (kOptimiser == kAdamax) adamax(a, c, i);
    if constexpr (kOptimiser == kNAdam) nadam(a, c, i);
    if constexpr (kOptimiser == kRAdam) radam(a, c, i);
    if constexpr (kOptimiser == kRprop) rprop(a, c, i);
    if constexpr (kOptimiser == kAsgd) asgd(a, c, i);
  }
}
