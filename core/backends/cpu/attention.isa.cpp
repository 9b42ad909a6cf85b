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
T exponentials(T* scores, int64_t n, T scale, const T* mask, T* largest) {
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
void weights(T* scores, int64_t n, T scale, const T* mask, T log_sum) {
  scale_and_mask(scores, n, scale, mask);
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) scores[j] = number::exp(scores[j] - log_sum);
}

template <class T>
void score_gradient(T* weights, const T* products, int64_t n, T offset, T scale) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) weights[j] = weights[j] * (products[j] - offset) * scale;
}

}  // namespace

constinit const AttentionKernels<float> attention_float{&exponentials<float>, &weights<float>, &score_gradient<float>};
constinit const AttentionKernels<double> attention_double{&exponentials<double>, &weights<double>,
                                                          &score_gradient<double>};

}  // namespace chainrule::cpu::CR_ISA
