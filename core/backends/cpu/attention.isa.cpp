// The rows of attention's blocks: scores to weights, and back.
#include "backends/cpu/attention.hpp"

#include "backends/cpu/fold.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
//
#include "backends/cpu/scalar/exponential.hpp"
}  // namespace number

namespace {

static_assert(kScoreGroup % kGroup<float> == 0);

// The scores that a row sees are followed by `hidden` up to a whole group, so that loops over groups have no rests.
template <class T, class F>
CR_INLINE void each_seen(T* scores, int64_t n, T hidden, F f) {
  for (int64_t begin = 0; begin < n; begin += kGroup<T>) {
    T* group = scores + begin;
    const int seen = int(smaller(n - begin, kGroup<T>));
#pragma GCC ivdep
    for (int j = 0; j < int(kGroup<T>); ++j) {
      const T value = f(group[j]);
      group[j] = j < seen ? value : hidden;
    }
  }
}

template <class T>
CR_INLINE void clear(T* row, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; j += kLanes<T>) {
    store(row + j, Vector<T>{});
    asm volatile("");  // keeps the compiler from calling memset, which takes longer on rows this short
  }
}

template <class T>
void add_mask(T* scores, int64_t n, T scale, const T* mask) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) scores[j] = scores[j] * scale + mask[j];
}

template <class T>
T exponentials(T* scores, int64_t n, int64_t width, T scale, const T* mask, T* largest) {
  const int64_t end = round_up(n, kGroup<T>);
  clear(scores, end, width);
  if (n == 0) return T(0);
  if (mask) add_mask(scores, n, scale, mask);
  const T factor = mask ? T(1) : scale;
  each_seen(scores, n, scores[0] * factor, [=](T x) { return x * factor; });  // a score that changes no maximum
  const T here = fold_vectors(ExtremeFold<T, true>{}, scores, end);
  const T top = (here > *largest) | (here != here) ? here : *largest;
  *largest = top;
  const T from = top == -T(__builtin_inf()) ? T(0) : top;  // nothing to see: all weights are zero
  each_seen(scores, n, T(0), [=](T x) { return number::exp(x - from); });
  return fold_vectors(SumFold<T>{}, scores, end);
}

template <class T>
void weights(T* scores, int64_t n, int64_t width, T scale, const T* mask, T log_sum) {
  clear(scores, round_up(n, kGroup<T>), width);
  if (mask) add_mask(scores, n, scale, mask);
  const T factor = mask ? T(1) : scale;
  each_seen(scores, n, T(0), [=](T x) { return number::exp(x * factor - log_sum); });
}

template <class T>
void score_gradient(T* weights, const T* products, int64_t n, T offset, T scale) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) weights[j] = weights[j] * (products[j] - offset) * scale;
}

template <class T>
T dot(const T* a, const T* b, int64_t n) {
  constexpr int lanes = kLanes<T>;
  Vector<T> sums{};
  int64_t j = 0;
  for (; j + lanes <= n; j += lanes) sums += load(a + j) * load(b + j);
  T total = sum_of_lanes<T>(sums);
  for (; j < n; ++j) total += a[j] * b[j];
  return total;
}

#define CR_TABLE(T) {&exponentials<T>, &weights<T>, &score_gradient<T>, &dot<T>}
}  // namespace

constinit const AttentionKernels<float> attention_float CR_TABLE(float);
constinit const AttentionKernels<double> attention_double CR_TABLE(double);
#undef CR_TABLE

}  // namespace chainrule::cpu::CR_ISA
