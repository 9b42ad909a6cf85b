// Reductions of any layout. What is chosen before: S, From (what that is calculated with), As (the dtype that elements
// are converted to first), T (what that is calculated with), Out; kFold;
// kGroup, the threads of a row that share an output; kLow and kHigh, the ends of As.
struct Arguments {
  const S* x;
  Out* out;
  void* second;
  void* partial;  // of each output and part, where there are several parts
  int64_t outputs, folded, parts;
  double divisor;
  Strided<1> kept, reduced;
};
enum Fold { kSum, kNanSum, kSumSquares, kProd, kMax, kMin, kArgMax, kArgMin, kVariance };

inline T element(S s) {
  if constexpr (std::is_same_v<As, Bool>)  // a fraction is true, too
    return load<T>(stored<As>(load<From>(s)));
  else
    return load<T>(stored<As>(load<T>(s)));
}
template <class V>
inline V divided(V sum, double by) {
  if constexpr (requires { sum.re; })
    return {sum.re / decltype(sum.re)(by), sum.im / decltype(sum.re)(by)};
  else if constexpr (std::is_same_v<V, int64_t>)
    return sum;
  else
    return V(sum / V(by));
}

template <int fold, class V>
struct Plain {
  using A = V;
  static A start() { return V(fold == kProd ? 1 : 0); }
  static void take(A& a, V x, int64_t) {
    if constexpr (fold == kNanSum) x = x != x ? V(0) : x;
    if constexpr (fold == kSumSquares) x = x * x;
    a = join(a, x);
  }
  static A join(A a, A b) {
    if constexpr (fold == kProd)
      return a * b;
    else
      return a + b;
  }
};
template <int fold, class V>
struct Extreme {
  using A = V;
  static A start() { return fold == kMax ? V(kLow) : V(kHigh); }
  static void take(A& a, V x, int64_t) { a = join(a, x); }
  static A join(A a, A b) {
    if constexpr (fold == kMax)
      return a > b || a != a ? a : b;
    else
      return a < b || a != a ? a : b;
  }
};
template <class V>
struct Found {
  V value;
  int64_t index;  // -1: nothing seen yet
};
// The first of equals; NaN wins.
template <int fold, class V>
struct Indexed {
  using A = Found<V>;
  static A start() { return {V(0), -1}; }
  static void take(A& a, V x, int64_t i) { a = join(a, {x, i}); }
  static A join(A a, A b) {
    if (b.index < 0) return a;
    if (a.index < 0) return b;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    const bool a_first = a.index < b.index;
    if (a_nan || a.value == b.value) return a_first ? a : b;
    return (fold == kArgMax ? a.value > b.value : a.value < b.value) ? a : b;
  }
};
template <class V>
struct Moments {
  V count, mean, deviations;
};
template <class V>
struct Variance {
  using A = Moments<V>;
  static A start() { return {V(0), V(0), V(0)}; }
  static void take(A& a, V x, int64_t) {
    a.count += 1;
    const V distance = x - a.mean;
    a.mean += distance / a.count;
    a.deviations += distance * (x - a.mean);
  }
  static A join(A a, A b) {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const V count = a.count + b.count, distance = b.mean - a.mean, share = b.count / count;
    return {count, a.mean + distance * share, a.deviations + b.deviations + distance * distance * a.count * share};
  }
};
template <int fold, class V>
struct Choice {
  using Type = Plain<fold, V>;
};
template <class V>
struct Choice<kMax, V> {
  using Type = Extreme<kMax, V>;
};
template <class V>
struct Choice<kMin, V> {
  using Type = Extreme<kMin, V>;
};
template <class V>
struct Choice<kArgMax, V> {
  using Type = Indexed<kArgMax, V>;
};
template <class V>
struct Choice<kArgMin, V> {
  using Type = Indexed<kArgMin, V>;
};
template <class V>
struct Choice<kVariance, V> {
  using Type = Variance<V>;
};
using F = Choice<kFold, T>::Type;
using A = F::A;

template <class Total>  // which A is: so that only what it has is compiled
inline void finish(const Arguments& a, int64_t output, Total total) {
  if constexpr (kFold == kArgMax || kFold == kArgMin) {
    if (a.out) a.out[output] = stored<Out>(total.value);
    if (a.second) ((int64_t*)a.second)[output] = total.index;
  } else if constexpr (kFold == kVariance) {
    if (a.out) a.out[output] = stored<Out>(divided(total.deviations, a.divisor));
    if (a.second) ((Out*)a.second)[output] = stored<Out>(total.count == 0 ? Format<decltype(total.mean)>::nan : total.mean);
  } else {
    a.out[output] = stored<Out>(divided(total, a.divisor));
  }
}
inline int64_t place(const Strided<1>& s, int64_t i) {
  if (s.dimensions == 1) return i * s.strides[0][0];
  int64_t at[1];
  s.places(i, at);
  return at[0];
}
// Every step-th element from the first on, below the end.
inline A fold_some(const Arguments& a, const S* x, int64_t first, int64_t end, int64_t step) {
  constexpr int kTogether = sizeof(A) > 8 ? 2 : 4;  // independent ones, so that loads need not wait for each other
  A some[kTogether];
  for (int k = 0; k < kTogether; ++k) some[k] = F::start();
  int64_t i = first;
  for (; i + (kTogether - 1) * step < end; i += kTogether * step) {
    T values[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) values[k] = element(x[place(a.reduced, i + k * step)]);
#pragma unroll
    for (int k = 0; k < kTogether; ++k) F::take(some[k], values[k], i + k * step);
  }
  for (; i < end; i += step) F::take(some[0], element(x[place(a.reduced, i)]), i);
  for (int k = 1; k < kTogether; ++k) some[0] = F::join(some[0], some[k]);
  return some[0];
}
struct JoinFolds {
  A operator()(A a, A b) const { return F::join(a, b); }
};
inline A over_group(A v) { return over_lanes<(kGroup < 32 ? kGroup : 32)>(v, JoinFolds()); }

#define PART_OF(part) a.folded / a.parts * (part) + (a.folded % a.parts < (part) ? a.folded % a.parts : (part))
inline void deliver(const Arguments& a, int64_t output, int64_t part, A total) {
  if (a.parts == 1)
    finish(a, output, total);
  else
    ((A*)a.partial)[output * a.parts + part] = total;
}

KERNEL_BOUNDED(reduce_rows, Arguments, 256) {
  constexpr int kOutputs = 256 / kGroup;
  const int64_t part = blockIdx.y, lane = threadIdx.x % kGroup;
  const int64_t output = int64_t(blockIdx.x) * kOutputs + threadIdx.x / kGroup;
  A total = F::start();
  if (output < a.outputs) {
    const S* const x = a.x + place(a.kept, output);
    total = fold_some(a, x, PART_OF(part) + lane, PART_OF(part + 1), kGroup);
  }
  total = over_group(total);
  if constexpr (kGroup > 32) {
    __shared__ A of_warps[8];
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = total;
    __syncthreads();
    total = of_warps[0];
    for (int k = 1; k < 8; ++k) total = F::join(total, of_warps[k]);
  }
  if (lane == 0 && output < a.outputs) deliver(a, output, part, total);
}

KERNEL_BOUNDED(reduce_columns, Arguments, 256) {
  __shared__ A of_rows[8][33];
  const int64_t part = blockIdx.y, row = threadIdx.x / 32;
  const int64_t output = int64_t(blockIdx.x) * 32 + threadIdx.x % 32;
  A total = F::start();
  if (output < a.outputs) {
    const S* const x = a.x + place(a.kept, output);
    total = fold_some(a, x, PART_OF(part) + row, PART_OF(part + 1), 8);
  }
  of_rows[row][threadIdx.x % 32] = total;
  __syncthreads();
  if (row != 0 || output >= a.outputs) return;
  for (int k = 1; k < 8; ++k) total = F::join(total, of_rows[k][threadIdx.x % 32]);
  deliver(a, output, part, total);
}

// A warp for each output joins its parts, in order.
KERNEL_BOUNDED(join_parts, Arguments, 256) {
  const int64_t output = int64_t(blockIdx.x) * 8 + threadIdx.x / 32;
  A total = F::start();
  if (output < a.outputs) {
    for (int64_t i = threadIdx.x % 32; i < a.parts; i += 32) total = F::join(total, ((const A*)a.partial)[output * a.parts + i]);
  }
  total = over_group(total);
  if (threadIdx.x % 32 == 0 && output < a.outputs) finish(a, output, total);
}
