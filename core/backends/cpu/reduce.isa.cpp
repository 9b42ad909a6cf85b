// The kernels of all reductions: rows, columns, and the table that names them.
#include "backends/cpu/reduce.hpp"

#include "backends/cpu/fold.hpp"

namespace chainrule::cpu::CR_ISA {

// ---- plain folds

template <class F>
struct Plain {
  using T = typename F::Element;
  using A = typename F::Accumulator;
  static constexpr int64_t kRowsPerBlock = 64;
  static constexpr int64_t kWidth = 8192 / int64_t(sizeof(T));

  static void start(void* accumulators, int64_t m) {
    for (int64_t i = 0; i < m; ++i) static_cast<A*>(accumulators)[i] = widen<A>(F::identity());
  }
  static void rows(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t) {
    auto* a = static_cast<A*>(accumulators);
    const F f{};
    if constexpr (is_complex_number<T>) {
      for (int64_t i = 0; i < m; ++i) a[i] = f.join(a[i], fold_row(f, static_cast<const T*>(x) + i * stride, n));
    } else {
      for (int64_t j = 0; j < n; j += kBlock) {
        fold_rows(f, static_cast<const T*>(x) + j, stride, m, smaller(kBlock, n - j),
                  [&](int64_t i, T value) { a[i] = f.join(a[i], A(value)); });
      }
    }
  }
  static void columns(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t) {
    auto* a = static_cast<A*>(accumulators);
    const F f{};
    alignas(64) T folded[kWidth];
    for (int64_t j = 0; j < m; j += kWidth) {
      int64_t width = smaller(kWidth, m - j);
      for (int64_t r = 0; r < n; r += kRowsPerBlock) {
        fold_columns(f, static_cast<const T*>(x) + r * stride + j, stride, width, smaller(kRowsPerBlock, n - r),
                     folded);
        for (int64_t k = 0; k < width; ++k) a[j + k] = f.join(a[j + k], widen<A>(folded[k]));
      }
    }
  }
  static void join(void* accumulators, const void* others, int64_t m) {
    auto* a = static_cast<A*>(accumulators);
    const F f{};
    for (int64_t i = 0; i < m; ++i) a[i] = f.join(a[i], static_cast<const A*>(others)[i]);
  }
  static void finish(const void* accumulators, int64_t m, double divisor, void* out, void*) {
    const auto* a = static_cast<const A*>(accumulators);
    auto* result = static_cast<T*>(out);
    if constexpr (is_complex_number<T>) {
      using R = decltype(a->re);
      for (int64_t i = 0; i < m; ++i) result[i] = T(a[i].re / R(divisor), a[i].im / R(divisor));
    } else if constexpr (is_real_number<T>) {
      for (int64_t i = 0; i < m; ++i) result[i] = T(a[i] / A(divisor));
    } else {
      for (int64_t i = 0; i < m; ++i) result[i] = T(a[i]);
    }
  }
  static constexpr FoldKernels kernels() { return {sizeof(A), &start, &rows, &columns, &join, &finish}; }
};

// ---- the index of an extreme: the first of equals, the first NaN

template <class T>
struct Found {
  T value;
  int64_t index;  // -1: nothing seen yet
};

template <class T, class Hit>
CR_INLINE int64_t first_where(const T* x, int64_t n, Hit hit) {
  constexpr int64_t step = 4 * kLanes<T>;
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    auto hits = hit(load(x + i));
    for (int k = 1; k < 4; ++k) hits |= hit(load(x + i + k * kLanes<T>));
    int64_t words[kVectorBytes / 8], any = 0;
    __builtin_memcpy(words, &hits, sizeof words);
    for (int64_t word : words) any |= word;
    if (any) break;
  }
  while (!hit(x[i])) ++i;
  return i;
}

template <class T>
CR_INLINE int64_t first_index(const T* x, int64_t n, T value) {
  if (value != value) return first_where(x, n, [](auto v) { return v != v; });
  return first_where(x, n, [value](auto v) { return v == value; });
}

template <class T, bool is_max>
struct Indexed {
  using F = ExtremeFold<T, is_max>;
  using A = Found<T>;
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;  // as wide as T, so that both fill a vector alike
  static constexpr int64_t kWidth = 1024, kShortRow = 8;

  static void start(void* accumulators, int64_t m) {
    for (int64_t i = 0; i < m; ++i) static_cast<A*>(accumulators)[i] = {F::identity(), -1};
  }
  CR_INLINE static void offer(A& a, T value, int64_t index) {
    if (a.index < 0 || F::better(value, a.value)) a = {value, index};
  }
  // Element by element, and without a jump that depends on them.
  static void short_rows(const T* x, int64_t stride, int64_t m, int64_t n, A* a, int64_t first) {
    for (int64_t i = 0; i < m; ++i, x += stride) {
      T best = x[0];
      int64_t at = 0;
      for (int64_t k = 1; k < n; ++k) {
        bool take = F::better(x[k], best);
        best = take ? x[k] : best;
        at = take ? k : at;
      }
      offer(a[i], best, first + at);
    }
  }
  static void rows(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t first) {
    auto* a = static_cast<A*>(accumulators);
    if (n < kShortRow) return short_rows(static_cast<const T*>(x), stride, m, n, a, first);
    for (int64_t j = 0; j < n; j += kBlock) {
      const T* block = static_cast<const T*>(x) + j;
      int64_t count = smaller(kBlock, n - j);
      fold_rows(F{}, block, stride, m, count, [&](int64_t i, T value) {
        if (a[i].index >= 0 && !F::better(value, a[i].value)) return;
        a[i] = {value, first + j + first_index(block + i * stride, count, value)};
      });
    }
  }
  static void columns(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t first) {
    auto* a = static_cast<A*>(accumulators);
    alignas(64) T best[kWidth];
    alignas(64) Index at[kWidth];
    for (int64_t j = 0; j < m; j += kWidth) {
      int64_t width = smaller(kWidth, m - j);
      const T* row = static_cast<const T*>(x) + j;
      for (int64_t k = 0; k < width; ++k) best[k] = row[k], at[k] = 0;
      for (int64_t r = 1; r < n; ++r) {
        row += stride;
        auto here = Index(r);
#pragma GCC ivdep
        for (int64_t k = 0; k < width; ++k) {
          bool take = F::better(row[k], best[k]);
          best[k] = take ? row[k] : best[k];
          at[k] = take ? here : at[k];
        }
      }
      for (int64_t k = 0; k < width; ++k) offer(a[j + k], best[k], first + at[k]);
    }
  }
  static void join(void* accumulators, const void* others, int64_t m) {
    const auto* b = static_cast<const A*>(others);
    for (int64_t i = 0; i < m; ++i) {
      if (b[i].index >= 0) offer(static_cast<A*>(accumulators)[i], b[i].value, b[i].index);
    }
  }
  static void finish(const void* accumulators, int64_t m, double, void* out, void* second) {
    const auto* a = static_cast<const A*>(accumulators);
    for (int64_t i = 0; out && i < m; ++i) static_cast<T*>(out)[i] = a[i].value;
    for (int64_t i = 0; second && i < m; ++i) static_cast<int64_t*>(second)[i] = a[i].index;
  }
  static constexpr FoldKernels kernels() { return {sizeof(A), &start, &rows, &columns, &join, &finish}; }
};

// ---- variance: count, mean and sum of squared deviations, joined as Chan, Golub and LeVeque do

struct Moments {
  double count, mean, deviations;
};

CR_INLINE Moments joined(Moments a, Moments b) {
  if (b.count == 0) return a;
  double count = a.count + b.count, delta = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + delta * share, a.deviations + b.deviations + delta * delta * a.count * share};
}

template <class T>
struct DeviationFold : SumFold<T> {
  T center;
  template <class V>
  CR_INLINE V prepare(V x) const {
    V d = x - center;
    return d * d;
  }
};

template <class T>
struct DistanceFold : SumFold<T> {
  T from;
  template <class V>
  CR_INLINE V prepare(V x) const {
    return x - from;
  }
};

// Sums are of distances from the first element, so that those of equal elements are 0 and their variance is, too.
template <class T>
struct Spread {
  using A = Moments;
  static constexpr int64_t kWidth = 256, kRowsPerBlock = 64;

  static void start(void* accumulators, int64_t m) {
    for (int64_t i = 0; i < m; ++i) static_cast<A*>(accumulators)[i] = {0, 0, 0};
  }
  // The first element, where it may be subtracted from any other.
  CR_INLINE static T origin(T first) {
    return first - first == 0 && abs(first) < std::numeric_limits<T>::max() / 4 ? first : T(0);
  }
  // `squares` was taken around a center that was rounded to T; the formula allows for the difference.
  CR_INLINE static A moments(double count, T from, double sum, double squares, T center) {
    double mean = double(from) + sum / count, off = mean - double(center), deviations = squares - count * off * off;
    if (squares > double(std::numeric_limits<T>::max())) deviations = squares;  // the center may be infinite
    return {count, mean, deviations < 0 ? 0 : deviations};                      // rounding may leave less than nothing
  }
  static void rows(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t) {
    auto* a = static_cast<A*>(accumulators);
    for (int64_t i = 0; i < m; ++i) {
      const T* row = static_cast<const T*>(x) + i * stride;
      for (int64_t j = 0; j < n; j += kBlock) {
        int64_t count = smaller(kBlock, n - j);
        const T from = origin(row[j]);
        double sum = fold_vectors(DistanceFold<T>{{}, from}, row + j, count);
        DeviationFold<T> f{{}, T(double(from) + sum / double(count))};
        a[i] = joined(a[i], moments(double(count), from, sum, fold_vectors(f, row + j, count), f.center));
      }
    }
  }
  static void columns(const void* x, int64_t stride, int64_t m, int64_t n, void* accumulators, int64_t) {
    auto* a = static_cast<A*>(accumulators);
    alignas(64) T from[kWidth], sums[kWidth], centers[kWidth], squares[kWidth];
    for (int64_t j = 0; j < m; j += kWidth) {
      int64_t width = smaller(kWidth, m - j);
      for (int64_t r = 0; r < n; r += kRowsPerBlock) {
        int64_t count = smaller(kRowsPerBlock, n - r);
        const T* block = static_cast<const T*>(x) + r * stride + j;
        for (int64_t k = 0; k < width; ++k) from[k] = origin(block[k]), sums[k] = squares[k] = 0;
        for (int64_t i = 0; i < count; ++i) {
          const T* row = block + i * stride;
#pragma GCC ivdep
          for (int64_t k = 0; k < width; ++k) sums[k] += row[k] - from[k];
        }
        for (int64_t k = 0; k < width; ++k) centers[k] = from[k] + sums[k] / T(count);
        for (int64_t i = 0; i < count; ++i) {
          const T* row = block + i * stride;
#pragma GCC ivdep
          for (int64_t k = 0; k < width; ++k) squares[k] += (row[k] - centers[k]) * (row[k] - centers[k]);
        }
        for (int64_t k = 0; k < width; ++k) {
          a[j + k] = joined(a[j + k], moments(double(count), from[k], sums[k], squares[k], centers[k]));
        }
      }
    }
  }
  static void join(void* accumulators, const void* others, int64_t m) {
    auto* a = static_cast<A*>(accumulators);
    for (int64_t i = 0; i < m; ++i) a[i] = joined(a[i], static_cast<const A*>(others)[i]);
  }
  static void finish(const void* accumulators, int64_t m, double divisor, void* out, void* second) {
    const auto* a = static_cast<const A*>(accumulators);
    for (int64_t i = 0; i < m; ++i) static_cast<T*>(out)[i] = T(a[i].deviations / divisor);
    for (int64_t i = 0; second && i < m; ++i) {
      static_cast<T*>(second)[i] = T(a[i].count == 0 ? __builtin_nan("") : a[i].mean);
    }
  }
  static constexpr FoldKernels kernels() { return {sizeof(A), &start, &rows, &columns, &join, &finish}; }
};

// ---- the table, in the order of Fold and FoldType

template <template <class> class F>
constexpr FoldKernels of(FoldType t) {
  return t == FoldType::F32    ? Plain<F<float>>::kernels()
         : t == FoldType::F64  ? Plain<F<double>>::kernels()
         : t == FoldType::I64  ? Plain<F<int64_t>>::kernels()
         : t == FoldType::C64  ? Plain<F<Complex<float>>>::kernels()
         : t == FoldType::C128 ? Plain<F<Complex<double>>>::kernels()
                               : FoldKernels{};
}
template <template <class> class F>
constexpr FoldKernels real_only(FoldType t) {
  return t == FoldType::F32 ? F<float>::kernels() : t == FoldType::F64 ? F<double>::kernels() : FoldKernels{};
}
template <bool is_max>
constexpr FoldKernels extreme(FoldType t) {
  return t == FoldType::F32   ? Plain<ExtremeFold<float, is_max>>::kernels()
         : t == FoldType::F64 ? Plain<ExtremeFold<double, is_max>>::kernels()
         : t == FoldType::I64 ? Plain<ExtremeFold<int64_t, is_max>>::kernels()
         : t == FoldType::U8  ? Plain<ExtremeFold<uint8_t, is_max>>::kernels()
         : t == FoldType::I32 ? Plain<ExtremeFold<int32_t, is_max>>::kernels()
                              : FoldKernels{};
}
template <bool is_max>
constexpr FoldKernels indexed(FoldType t) {
  return t == FoldType::F32   ? Indexed<float, is_max>::kernels()
         : t == FoldType::F64 ? Indexed<double, is_max>::kernels()
         : t == FoldType::I64 ? Indexed<int64_t, is_max>::kernels()
                              : FoldKernels{};
}
template <class T>
using NanSum = Plain<NanSumFold<T>>;
template <class T>
using SumSquares = Plain<SumSquaresFold<T>>;

#define CR_EACH_TYPE(f)                                                     \
  {f(FoldType::F32),  f(FoldType::F64), f(FoldType::I64), f(FoldType::C64), \
   f(FoldType::C128), f(FoldType::U8),  f(FoldType::I32)}

constinit const FoldKernels fold_table[kReduceOpCount][kFoldTypeCount] = {
    CR_EACH_TYPE(of<SumFold>),   CR_EACH_TYPE(real_only<NanSum>), CR_EACH_TYPE(real_only<SumSquares>),
    CR_EACH_TYPE(of<ProdFold>),  CR_EACH_TYPE(extreme<true>),     CR_EACH_TYPE(extreme<false>),
    CR_EACH_TYPE(indexed<true>), CR_EACH_TYPE(indexed<false>),    CR_EACH_TYPE(real_only<Spread>),
};

}  // namespace chainrule::cpu::CR_ISA
