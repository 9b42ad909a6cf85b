// The rows of attention's blocks: scores to weights, and back.
#include "backends/cpu/attention.hpp"

#include "backends/cpu/fold.hpp"
#include "backends/cpu/gemm_pack.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
//
#include "backends/cpu/scalar/exponential.hpp"
}  // namespace number

namespace {

static_assert(kScoreGroup % kGroup<float> == 0);

// The first n elements, vector by vector; what follows them in the last vector is calculated too.
template <class T, class F>
CR_INLINE void each_vector(T* row, int64_t n, F f) {
  for (int64_t begin = 0; begin < n; begin += kLanes<T>) {
    T* vector = row + begin;
#pragma GCC ivdep
    for (int j = 0; j < kLanes<T>; ++j) vector[j] = f(vector[j]);
  }
}

template <class T, int... lane>
CR_INLINE Vector<T> lane_numbers(std::integer_sequence<int, lane...>) {
  return Vector<T>{T(lane)...};
}

// Elements [n, end) become `value`; vectors are written as a whole, so `end` is a multiple of the lanes.
template <class T>
CR_INLINE void fill_behind(T* row, int64_t n, int64_t end, T value) {
  int64_t begin = n - n % kLanes<T>;
  if (begin < n) {
    const Vector<T> numbers = lane_numbers<T>(std::make_integer_sequence<int, kLanes<T>>());
    store<T>(row + begin, numbers < broadcast(T(n - begin)) ? load(row + begin) : broadcast(value));
    begin += kLanes<T>;
  }
  for (; begin < end; begin += kLanes<T>) {
    store(row + begin, broadcast(value));
    asm volatile("");  // keeps the compiler from calling memset, which takes longer on rows this short
  }
}

// NaN need not win here: its own exponential is NaN, and so is the sum.
template <class T>
struct LargestScaled : ExtremeFold<T, true> {
  T factor;
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x * factor;
  }
  template <class V>
  CR_INLINE V fold(V a, V b) const {
    return a > b ? a : b;
  }
};

template <class T>
void add_mask(T* scores, int64_t n, T scale, const T* mask) {
#pragma GCC ivdep
  for (int64_t j = 0; j < n; ++j) scores[j] = scores[j] * scale + mask[j];
}

template <class T>
T exponentials(T* scores, int64_t n, int64_t width, T scale, const T* mask, T* largest) {
  if (n == 0) {
    fill_behind(scores, 0, width, T(0));
    return T(0);
  }
  if (mask) add_mask(scores, n, scale, mask);
  const T factor = mask ? T(1) : scale;
  const int64_t end = round_up(n, kGroup<T>);
  fill_behind(scores, n, end, scores[0]);  // a score that changes no maximum
  const T here = fold_vectors(LargestScaled<T>{{}, factor}, scores, end);
  const T top = here > *largest ? here : *largest;
  *largest = top;
  const T from = top == -T(__builtin_inf()) ? T(0) : top;  // nothing to see: all weights are zero
  each_vector(scores, n, [=](T x) { return number::exp(x * factor - from); });
  fill_behind(scores, n, width, T(0));
  return fold_vectors(SumFold<T>{}, scores, end);
}

template <class T>
void weights(T* scores, int64_t n, int64_t width, T scale, const T* mask, T log_sum) {
  if (mask) add_mask(scores, n, scale, mask);
  const T factor = mask ? T(1) : scale;
  each_vector(scores, n, [=](T x) { return number::exp(x * factor - log_sum); });
  fill_behind(scores, n, width, T(0));
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

template <class T>
void turn(int64_t rows, int64_t width, const T* data, int64_t stride, T* out, int64_t out_stride) {
  copy_to_rows<T>(width, rows, {data, 1, stride}, out, out_stride);
}

#define CR_TABLE(T) {&exponentials<T>, &weights<T>, &score_gradient<T>, &dot<T>, &turn<T>}
}  // namespace

constinit const AttentionLoops<float> attention_float CR_TABLE(float);
constinit const AttentionLoops<double> attention_double CR_TABLE(double);
#undef CR_TABLE

}  // namespace chainrule::cpu::CR_ISA
