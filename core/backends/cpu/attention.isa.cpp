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

template <class T>
void scale_and_mask(T* scores, int64_t n, T scale, const T* mask) {
  if (mask) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) scores[j] = scores[j] * scale + mask[j];
  } else {
    for (int64_t j = 0; j < n; ++j) scores[j] *= scale;
  }
}

template <class T>
CR_INLINE void clear(T* row, int64_t begin, int64_t end) {
  int64_t j = begin;
  for (; j + kLanes<T> <= end; j += kLanes<T>) {
    store(row + j, Vector<T>{});
    asm volatile("");  // keeps the compiler from calling memset, which takes longer on rows this short
  }
  if (j < end) FirstLanes<T>(end - j).store(row + j, Vector<T>{});
}

template <class T>
T exponentials(T* scores, int64_t n, int64_t width, T scale, const T* mask, T* largest) {
  clear(scores, n, width);
  if (n == 0) return T(0);
  scale_and_mask(scores, n, scale, mask);
  const T here = fold_vectors(ExtremeFold<T, true>{}, scores, n);
  const T top = (here > *largest) | (here != here) ? here : *largest;
  *largest = top;
  const T from = top == -T(__builtin_inf()) ? T(0) : top;  // nothing to see: all weights are zero
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) scores[j] = number::exp(scores[j] - from);
  return fold_vectors(SumFold<T>{}, scores, n);
}

template <class T>
void weights(T* scores, int64_t n, int64_t width, T scale, const T* mask, T log_sum) {
  clear(scores, n, width);
  scale_and_mask(scores, n, scale, mask);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) scores[j] = number::exp(scores[j] - log_sum);
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
