// What can be folded into one value, and the folding of a contiguous row by vectors.
//
// The order of operations depends on the length alone: 256 bytes side by side, halved until 16 bytes are left, blocks
// of kBlock elements one after another. So every instruction set gives the same bits. Sums of floats stay in float
// within a block, where the vectors keep the error low, and in double beyond.
#pragma once
#include <limits>

#include "backends/cpu/gemm_vector.hpp"
#include "backends/cpu/reduce.hpp"
#include "tensor/complex.hpp"

namespace chainrule::cpu::CR_ISA {

template <class T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<Complex<float>> {
  using type = Complex<double>;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
inline constexpr bool is_complex_number = false;
template <class R>
inline constexpr bool is_complex_number<Complex<R>> = true;
template <class T>
inline constexpr bool is_real_number = false;
template <>
inline constexpr bool is_real_number<float> = true;
template <>
inline constexpr bool is_real_number<double> = true;

template <class To, class From>
CR_INLINE To widen(From x) {
  if constexpr (is_complex_number<To>) {
    return To(x.re, x.im);
  } else {
    return To(x);
  }
}

// A fold: `prepare` is applied to each element, `fold` to two prepared ones, `join` to two accumulators. V is an
// element or a vector of them.
template <class T>
struct SumFold {
  using Element = T;
  using Accumulator = Wide<T>;
  static constexpr T identity() { return T(0); }
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  CR_INLINE V fold(V a, V b) const {
    return a + b;
  }
  CR_INLINE Accumulator join(Accumulator a, Accumulator b) const { return a + b; }
};

template <class T>
struct NanSumFold : SumFold<T> {
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x == x ? x : V{};
  }
};

template <class T>
struct SumSquaresFold : SumFold<T> {
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x * x;
  }
};

template <class T>
struct ProdFold {
  using Element = T;
  using Accumulator = T;
  static constexpr T identity() { return T(1); }
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  CR_INLINE V fold(V a, V b) const {
    return a * b;
  }
  CR_INLINE T join(T a, T b) const { return a * b; }
};

// NaN wins over every number.
template <class T, bool is_max>
struct ExtremeFold {
  using Element = T;
  using Accumulator = T;
  static constexpr T identity() {
    if constexpr (is_real_number<T>)
      return T(is_max ? -__builtin_inf() : __builtin_inf());
    else
      return is_max ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  CR_INLINE V fold(V a, V b) const {
    if constexpr (!is_real_number<T>) {
      return is_max ? (a > b ? a : b) : (a < b ? a : b);
    } else if constexpr (sizeof(V) == sizeof(T)) {  // one element: no jump but for NaN, which is foreseen
      V best = is_max ? (a > b ? a : b) : (a < b ? a : b);
      return a != a ? a : best;
    } else {
      return is_max ? ((a > b) | (a != a) ? a : b) : ((a < b) | (a != a) ? a : b);
    }
  }
  CR_INLINE T join(T a, T b) const { return fold(a, b); }
  // Whether `a` comes before `b` in the order that puts NaN first; for the index of an extreme.
  CR_INLINE static bool better(T a, T b) {
    if constexpr (!is_real_number<T>)
      return is_max ? a > b : a < b;
    else
      return (is_max ? a > b : a < b) | ((a != a) & (b == b));
  }
};

template <class T>
struct Short {  // the 16 bytes that a row is folded down to before its elements meet
  typedef T Aligned __attribute__((vector_size(16)));
  typedef T Unaligned __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  static constexpr int lanes = 16 / int(sizeof(T));
};
template <class T>
CR_INLINE typename Short<T>::Aligned load_short(const T* p) {
  return *(const typename Short<T>::Unaligned*)p;
}

template <class F, class V, size_t... K>
CR_INLINE auto halve_vectors(const F& f, V* a, std::index_sequence<K...>) {
  ((a[K] = f.fold(a[K], a[K + sizeof...(K)])), ...);
  if constexpr (sizeof...(K) > 1) halve_vectors(f, a, std::make_index_sequence<sizeof...(K) / 2>());
}

template <class F, class T = typename F::Element>
CR_INLINE auto shortened(const F& f, Vector<T>* a) {
  halve_vectors(f, a, std::make_index_sequence<128 / kVectorBytes>());
  alignas(kVectorBytes) T row[kLanes<T>];
  store(row, a[0]);
  constexpr int n = Short<T>::lanes;
  if constexpr (kVectorBytes == 64) {
    return f.fold(f.fold(load_short(row), load_short(row + 2 * n)),
                  f.fold(load_short(row + n), load_short(row + 3 * n)));
  } else if constexpr (kVectorBytes == 32) {
    return f.fold(load_short(row), load_short(row + n));
  } else {
    return load_short(row);
  }
}

// How far ahead of their use elements are asked for, in bytes. The processor looks ahead by itself, but within a page.
inline constexpr int64_t kFetchAhead = 8192;

template <bool fetches, class F, size_t... K, class T = typename F::Element>
CR_INLINE auto fold_groups(const F& f, const T* x, int64_t groups, std::index_sequence<K...>) {
  constexpr int lanes = kLanes<T>, group = lanes * int(sizeof...(K));
  Vector<T> a[] = {f.prepare(load(x + int(K) * lanes))...};
  for (int64_t g = 1; g < groups; ++g) {
    const T* at = x + g * group;
    ((a[K] = f.fold(a[K], f.prepare(load(at + int(K) * lanes)))), ...);
    for (int byte = 0; fetches && byte < 256; byte += 64) __builtin_prefetch((const char*)at + kFetchAhead + byte);
  }
  return shortened(f, a);
}

template <class F, class S>
CR_INLINE typename F::Element fold_lanes(const F& f, S s) {
  using T = typename F::Element;
  constexpr int n = Short<T>::lanes;
  T row[n];
  for (int i = 0; i < n; ++i) row[i] = s[i];
  for (int half = n / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) row[i] = f.fold(row[i], row[i + half]);
  }
  return row[0];
}

inline constexpr int64_t kBlock = 4096;

template <class T>
inline constexpr int64_t kGroup = 256 / int(sizeof(T));

// What is left of a row of n elements after the first `done`, which are in `s`.
template <class F, class T = typename F::Element>
CR_INLINE T fold_rest(const F& f, const T* x, int64_t done, int64_t n, typename Short<T>::Aligned s) {
  constexpr int lanes = Short<T>::lanes;
  int64_t i = done;
  for (; i + lanes <= n; i += lanes) s = f.fold(s, f.prepare(load_short(x + i)));
  T result = fold_lanes(f, s);
  for (; i < n; ++i) result = f.fold(result, f.prepare(x[i]));
  return result;
}

// At most kBlock elements, by vectors.
template <bool fetches = false, class F, class T = typename F::Element>
CR_INLINE T fold_vectors(const F& f, const T* x, int64_t n) {
  if (n >= kGroup<T>) {
    auto s = fold_groups<fetches>(f, x, n / kGroup<T>, std::make_index_sequence<256 / kVectorBytes>());
    return fold_rest(f, x, n / kGroup<T> * kGroup<T>, n, s);
  }
  if (n >= Short<T>::lanes) return fold_rest(f, x, Short<T>::lanes, n, f.prepare(load_short(x)));
  T result = f.identity();
  for (int64_t i = 0; i < n; ++i) result = f.fold(result, f.prepare(x[i]));
  return result;
}

// The folds that are bound by memory and common; each costs compile time.
template <class F>
inline constexpr bool fetches_ahead = false;
template <>
inline constexpr bool fetches_ahead<SumFold<float>> = true;
template <>
inline constexpr bool fetches_ahead<SumFold<double>> = true;
template <bool is_max>
inline constexpr bool fetches_ahead<ExtremeFold<float, is_max>> = true;

// each(i, value) for m rows of at most kBlock elements.
template <class F, class Each, class T = typename F::Element>
CR_INLINE void fold_rows(const F& f, const T* x, int64_t stride, int64_t m, int64_t n, Each each) {
  for (int64_t i = 0; i < m; ++i) each(i, fold_vectors<fetches_ahead<F>>(f, x + i * stride, n));
}

// Complex numbers: four running values.
template <class F, class T = typename F::Element, class A = typename F::Accumulator>
CR_INLINE A fold_scalars(const F& f, const T* x, int64_t n) {
  A a[4] = {widen<A>(f.identity()), widen<A>(f.identity()), widen<A>(f.identity()), widen<A>(f.identity())};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) a[k] = f.join(a[k], widen<A>(f.prepare(x[i + k])));
  }
  for (; i < n; ++i) a[0] = f.join(a[0], widen<A>(f.prepare(x[i])));
  return f.join(f.join(a[0], a[2]), f.join(a[1], a[3]));
}

template <class F, class T = typename F::Element, class A = typename F::Accumulator>
CR_INLINE A fold_row(const F& f, const T* x, int64_t n) {
  if constexpr (is_complex_number<T>) {
    return fold_scalars(f, x, n);
  } else {
    A result = A(fold_vectors(f, x, n < kBlock ? n : kBlock));
    for (int64_t i = kBlock; i < n; i += kBlock) {
      result = f.join(result, A(fold_vectors(f, x + i, n - i < kBlock ? n - i : kBlock)));
    }
    return result;
  }
}

// An element, or a vector of them, at p.
template <class V, class T>
CR_INLINE V take(const T* p) {
  if constexpr (sizeof(V) == sizeof(T))
    return *p;
  else
    return load(p);
}
template <class V, class T>
CR_INLINE void put(T* p, V v) {
  if constexpr (sizeof(V) == sizeof(T))
    *p = v;
  else
    store(p, v);
}

// Eight rows meet in a tree.
template <class V, class F, class T>
CR_INLINE V fold_eight(const F& f, const T* x, int64_t stride) {
  auto at = [&](int row) { return f.prepare(take<V>(x + row * stride)); };
  auto pair = [&](int row) { return f.fold(at(row), at(row + 1)); };
  return f.fold(f.fold(pair(0), pair(2)), f.fold(pair(4), pair(6)));
}

template <class V, class F, class T>
CR_INLINE V fold_column(const F& f, const T* x, int64_t stride, int64_t rows) {
  int64_t r = 1;
  V result;
  if (rows >= 8) {
    result = fold_eight<V>(f, x, stride);
    for (r = 8; r + 8 <= rows; r += 8) result = f.fold(result, fold_eight<V>(f, x + r * stride, stride));
  } else {
    result = f.prepare(take<V>(x));
  }
  for (; r < rows; ++r) result = f.fold(result, f.prepare(take<V>(x + r * stride)));
  return result;
}

// Calls each(j, V) for every vector of a row of `width` elements and then for every element that is left.
template <class T, class Each>
CR_INLINE void along(int64_t width, Each each) {
  int64_t j = 0;
  if constexpr (!is_complex_number<T>) {
    for (; j + kLanes<T> <= width; j += kLanes<T>) each(j, Vector<T>{});
  }
  for (; j < width; ++j) each(j, T{});
}

// `rows` rows of `width` elements folded into `out`, one value per column. Eight rows at a time stream through.
template <class F, class T = typename F::Element>
CR_INLINE void fold_columns(const F& f, const T* x, int64_t stride, int64_t width, int64_t rows, T* out) {
  int64_t first = rows < 8 ? rows : 8;
  along<T>(width, [&](int64_t j, auto v) { put(out + j, fold_column<decltype(v)>(f, x + j, stride, first)); });
  for (int64_t r = first; r < rows; r += 8) {
    int64_t count = rows - r < 8 ? rows - r : 8;
    const T* block = x + r * stride;
    along<T>(width, [&](int64_t j, auto v) {
      using V = decltype(v);
      V eight = count == 8 ? fold_eight<V>(f, block + j, stride) : fold_column<V>(f, block + j, stride, count);
      put(out + j, f.fold(take<V>(out + j), eight));
    });
  }
}

}  // namespace chainrule::cpu::CR_ISA
