// The few vector operations that matrix products need, on compiler vector types, for the instruction set at hand.
#pragma once
#include <cstdint>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace chainrule::cpu::CR_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kVectorRegisters = 32;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32, kVectorRegisters = 16;
#elif defined(__aarch64__)
constexpr int kVectorBytes = 16, kVectorRegisters = 32;
#else
constexpr int kVectorBytes = 16, kVectorRegisters = 16;
#endif

template <class T>
constexpr int kLanes = kVectorBytes / int(sizeof(T));

template <class T>
struct VectorTypes {
  typedef T Aligned __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
};
template <class T>
using Vector = typename VectorTypes<T>::Aligned;

#define CR_INLINE inline __attribute__((always_inline))

constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

template <class T>
CR_INLINE Vector<T> load(const T* p) {
  return *(const typename VectorTypes<T>::Unaligned*)p;
}

template <class T>
CR_INLINE void store(T* p, Vector<T> v) {
  *(typename VectorTypes<T>::Unaligned*)p = v;
}

template <class T>
CR_INLINE Vector<T> broadcast(T x) {
  return x - Vector<T>{};  // x - 0 is x for every x, -0 included, so the compiler leaves only the broadcast
}

// a * b + c, fused where the instruction set can: the build forbids the compiler to fuse by itself.
CR_INLINE Vector<float> multiply_add(Vector<float> a, Vector<float> b, Vector<float> c) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  return (Vector<float>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
  return (Vector<float>)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}

CR_INLINE Vector<double> multiply_add(Vector<double> a, Vector<double> b, Vector<double> c) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (Vector<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
  return (Vector<double>)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
  return a * b + c;
#endif
}

CR_INLINE Vector<int64_t> multiply_add(Vector<int64_t> a, Vector<int64_t> b, Vector<int64_t> c) { return a * b + c; }

// The first `count` lanes of a vector (1 <= count <= lanes); load gives zero elsewhere and touches no other memory.
template <class T>
class FirstLanes;

#if defined(__AVX512F__)
template <>
class FirstLanes<float> {
 public:
  explicit FirstLanes(int64_t count) : mask_(__mmask16((1u << count) - 1)) {}
  CR_INLINE Vector<float> load(const float* p) const { return (Vector<float>)_mm512_maskz_loadu_ps(mask_, p); }
  CR_INLINE void store(float* p, Vector<float> v) const { _mm512_mask_storeu_ps(p, mask_, (__m512)v); }

 private:
  __mmask16 mask_;
};

template <>
class FirstLanes<double> {
 public:
  explicit FirstLanes(int64_t count) : mask_(__mmask8((1u << count) - 1)) {}
  CR_INLINE Vector<double> load(const double* p) const { return (Vector<double>)_mm512_maskz_loadu_pd(mask_, p); }
  CR_INLINE void store(double* p, Vector<double> v) const { _mm512_mask_storeu_pd(p, mask_, (__m512d)v); }

 private:
  __mmask8 mask_;
};
#elif defined(__AVX2__)
template <>
class FirstLanes<float> {
 public:
  explicit FirstLanes(int64_t count)
      : mask_(_mm256_cmpgt_epi32(_mm256_set1_epi32(int(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))) {}
  CR_INLINE Vector<float> load(const float* p) const { return (Vector<float>)_mm256_maskload_ps(p, mask_); }
  CR_INLINE void store(float* p, Vector<float> v) const { _mm256_maskstore_ps(p, mask_, (__m256)v); }

 private:
  __m256i mask_;
};

template <>
class FirstLanes<double> {
 public:
  explicit FirstLanes(int64_t count)
      : mask_(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3))) {}
  CR_INLINE Vector<double> load(const double* p) const { return (Vector<double>)_mm256_maskload_pd(p, mask_); }
  CR_INLINE void store(double* p, Vector<double> v) const { _mm256_maskstore_pd(p, mask_, (__m256d)v); }

 private:
  __m256i mask_;
};
#endif
#if defined(__AVX2__)
template <>
class FirstLanes<int64_t> {  // moved as they are, by the instructions for double
 public:
  explicit FirstLanes(int64_t count) : lanes_(count) {}
  CR_INLINE Vector<int64_t> load(const int64_t* p) const { return (Vector<int64_t>)lanes_.load((const double*)p); }
  CR_INLINE void store(int64_t* p, Vector<int64_t> v) const { lanes_.store((double*)p, (Vector<double>)v); }

 private:
  FirstLanes<double> lanes_;
};
#else
template <class T>
class FirstLanes {
 public:
  explicit FirstLanes(int64_t count) : count_(count) {}
  CR_INLINE Vector<T> load(const T* p) const {
    Vector<T> v{};
    for (int lane = 0; lane < kLanes<T>; ++lane) {
      if (lane < count_) v[lane] = p[lane];
    }
    return v;
  }
  CR_INLINE void store(T* p, Vector<T> v) const {
    for (int lane = 0; lane < kLanes<T>; ++lane) {
      if (lane < count_) p[lane] = v[lane];
    }
  }

 private:
  int64_t count_;
};
#endif

// Adds the halves, then the quarters and so on, within the register.
template <class T, int half, int... lane>
CR_INLINE Vector<T> fold_halves(Vector<T> v, std::integer_sequence<int, lane...> lanes) {
  v += __builtin_shufflevector(v, v, (lane ^ half)...);
  if constexpr (half > 1) {
    return fold_halves<T, half / 2>(v, lanes);
  } else {
    return v;
  }
}

template <class T>
CR_INLINE T sum_of_lanes(Vector<T> v) {
  return fold_halves<T, kLanes<T> / 2>(v, std::make_integer_sequence<int, kLanes<T>>())[0];
}

// Swaps the off-diagonal blocks of size `block` between two rows of a square: one butterfly of a transposition.
template <class T, int block, int... lane>
CR_INLINE void exchange(Vector<T>& upper, Vector<T>& lower, std::integer_sequence<int, lane...>) {
  const Vector<T> u = upper, l = lower;
  upper = __builtin_shufflevector(u, l, (lane & block ? lane - block + kLanes<T> : lane)...);
  lower = __builtin_shufflevector(u, l, (lane & block ? lane + kLanes<T> : lane + block)...);
}

template <class T, int block>
CR_INLINE void exchange_blocks(Vector<T> (&rows)[kLanes<T>]) {
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) {
    if (!(i & block)) exchange<T, block>(rows[i], rows[i + block], std::make_integer_sequence<int, kLanes<T>>());
  }
  if constexpr (block > 1) exchange_blocks<T, block / 2>(rows);
}

// Transposes a square of kLanes x kLanes elements held in registers.
template <class T>
CR_INLINE void transpose(Vector<T> (&rows)[kLanes<T>]) {
  exchange_blocks<T, kLanes<T> / 2>(rows);
}

}  // namespace chainrule::cpu::CR_ISA
