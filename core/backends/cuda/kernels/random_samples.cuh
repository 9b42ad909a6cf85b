// Samples by rejection: one thread for each element (of binomial ones, for eight), which draws as often as it has to.
struct Arguments {
  S* out;
  const S *p, *q;
  int64_t n;
  uint64_t seed, offset;
};

// ---- Poisson

inline uint32_t multiplied(WordStream& stream, float rate) {
  float product = ::expf(rate);
  uint32_t count = 0;
  do {
    ++count;
    product *= stream.unit();
  } while (product > 1.0f);
  return count - 1;
}
// Hoermann's transformed rejection (PTRS).
inline uint32_t rejected(WordStream& stream, double rate) {
  const double log_rate = ::log(rate), b = 0.931 + 2.53 * ::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), accepted_at_once = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = double(stream.unit()) - 0.5, v = stream.unit(), s = 0.5 - ::fabs(u);
    const double k = ::floor((2 * a / s + b) * u + rate + 0.43);
    if (s >= 0.07 && v <= accepted_at_once) return uint32_t(k);
    if (!(k >= 0) || (s < 0.013 && v > s)) continue;
    const double density = -rate + k * log_rate - ::lgamma(k + 1);
    if (::log(v) + ::log(inverse_alpha) - ::log(a / (s * s) + b) <= density) return uint32_t(k);
  }
}
KERNEL_BOUNDED(poisson, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.n) return;
  const double rate = load<double>(a.p[i]);
  uint32_t count = 0;
  if (!(rate >= 0)) {
    report_parameter();
  } else if (rate > 4000) {
    const double normal = two_normals(philox(a.seed, uint64_t(i), a.offset / 4)).first;
    count = uint32_t(fused(::sqrt(rate), normal, rate) + 0.5);
  } else {
    WordStream stream(a.seed, a.offset, uint64_t(i));
    count = rate < 64 ? multiplied(stream, float(rate)) : rejected(stream, rate);
  }
  a.out[i] = stored<S>(T(count));
}

// ---- gamma, by Marsaglia and Tsang

inline T above_one(WordStream& stream, T alpha, T factor) {
  const T d = alpha - 1.0f / 3.0f, c = 1.0f / sqrt(T(9.0f * d));
  while (true) {
    T x, y;
    do {
      x = stream.normal();
      y = fused(c, x, T(1));
    } while (y <= 0);
    const T v = y * y * y, u = 1 - T(stream.unit()), square = x * x;
    if (u < fused(-(0.0331f * square), square, T(1)) ||
        log(u) < 0.5f * square + d * (1.0f - v + log(v)))
      return factor * d * v;
  }
}
KERNEL_BOUNDED(gamma, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.n) return;
  T alpha = load<T>(a.p[i]), factor = 1, sample = alpha;  // what is not a number stays so
  WordStream stream(a.seed, a.offset, uint64_t(i));
  if (alpha > 0) {
    if (alpha < 1) {
      factor = pow(T(1 - T(stream.unit())), T(1 / alpha));
      alpha = load<T>(stored<S>(T(alpha + 1)));
    }
    sample = above_one(stream, alpha, factor);
  } else if (alpha < 0) {
    report_parameter();
  }
  const S rounded = stored<S>(sample);
  a.out[i] = T(kSmallest) > load<T>(rounded) ? stored<S>(T(kSmallest)) : rounded;
}

// ---- binomial

// With 24 bits, and 0 among them.
inline T unit24(WordStream& stream) { return T(stream.word() & 0xffffff) * T(0x1p-24); }

// The distances between successes are geometric.
inline T by_skips(WordStream& stream, T count, T p) {
  const T log_failure = log1p(-p);
  T sum = 0, successes = 0;
  while (true) {
    sum += ceil(log(unit24(stream)) / log_failure);
    if (sum > count) return successes;
    successes += 1;
  }
}
// What Stirling's series leaves out of log(k!).
inline T stirling_tail(T k) {
  constexpr double kTable[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983,  0.02079067210376509,
                               0.0166446911898211,  0.0138761288230707,  0.0118967099458917,  0.0104112652619720,
                               0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return T(kTable[int(k)]);
  const T square = (k + 1) * (k + 1);
  return T((1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1));
}
// Transformed rejection (BTRS).
inline T by_rejection(WordStream& stream, T count, T p) {
  const T deviation = sqrt(T(count * p * (1 - p)));
  const T b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, center = count * p + 0.5;
  const T accepted_at_once = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  const T mode = floor(T((count + 1) * p));
  while (true) {
    const T u = unit24(stream) - 0.5, v = unit24(stream), s = 0.5 - (u < 0 ? -u : u);
    const T k = floor(T((2 * a / s + b) * u + center));
    if (k < 0 || k > count) continue;
    if (s >= 0.07 && v <= accepted_at_once) return k;
    const T bound = (mode + 0.5) * log(T((mode + 1) / (odds * (count - mode + 1)))) +
                    (count + 1) * log(T((count - mode + 1) / (count - k + 1))) +
                    (k + 0.5) * log(T(odds * (count - k + 1) / (k + 1))) + stirling_tail(mode) +
                    stirling_tail(count - mode) - stirling_tail(k) - stirling_tail(count - k);
    if (log(T(v * alpha / (a / (s * s) + b))) <= bound) return k;
  }
}
inline T up_to_half(WordStream& stream, T count, T p) {
  return count * p >= 10 ? by_rejection(stream, count, p) : by_skips(stream, count, p);
}
inline T one_binomial(WordStream& stream, T count, T p) {
  if (count != count || p != p) return count + p;  // they would never be reached
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  return p <= T(0.5) ? up_to_half(stream, count, p) : count - up_to_half(stream, count, T(1.0 - double(p)));
}
KERNEL_BOUNDED(binomial, Arguments, 128) {
  WordStream stream(a.seed, a.offset, uint64_t(thread_number()));
  const int64_t first = int64_t(blockIdx.x) * 1024 + threadIdx.x;
  for (int64_t i = first; i < first + 1024 && i < a.n; i += 128) {
    const T count = load<T>(a.p[i]), p = load<T>(a.q[i]);
    if (count < 0 || p < 0 || p > 1) report_parameter();
    a.out[i] = stored<S>(one_binomial(stream, count, p));
  }
}
