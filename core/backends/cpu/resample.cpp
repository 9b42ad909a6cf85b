#include "backends/resample.hpp"

#include <algorithm>
#include <vector>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/resample_bytes.hpp"
#include "backends/cpu/resample_taps.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;

// The last dimension's outputs, each of `count` taps.
template <int count, class T>
void interpolate_row(const int64_t* index, const T* weight, const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i, index += count, weight += count) {
    T total = weight[0] * x[index[0]];
    for (int k = 1; k < count; ++k) total += weight[k] * x[index[k]];
    y[i] = total;
  }
}
template <class T>
using RowInterpolation = void (*)(const int64_t* index, const T* weight, const T* x, T* y, int64_t n);
template <class T>
RowInterpolation<T> row_interpolation(int64_t count) {  // null: taps that are none may be among them
  return count == 1   ? interpolate_row<1, T>
         : count == 2 ? interpolate_row<2, T>
         : count == 4 ? interpolate_row<4, T>
                      : nullptr;
}

// One row of `inner` elements from `count` others; those of weight 0 may be no taps at all.
template <class T>
void blend_rows(const int64_t* index, const T* weight, int64_t count, const T* from, T* to, int64_t inner) {
  const T *first = from + index[0] * inner, w = weight[0];
  if (count == 1) {
    std::copy_n(first, inner, to);
    return;
  }
  if (count == 2) {
    const T *second = from + index[1] * inner, other = weight[1];
    for (int64_t j = 0; j < inner; ++j) to[j] = w * first[j] + other * second[j];
    return;
  }
  for (int64_t j = 0; j < inner; ++j) to[j] = w * first[j];
  for (int64_t k = 1; k < count; ++k) {
    const T *row = from + index[k] * inner, more = weight[k];
    if (more == 0) continue;
    for (int64_t j = 0; j < inner; ++j) to[j] += more * row[j];
  }
}

template <class T>
void interpolate(const Resampling& r) {
  const Taps t = make_taps<T>(r);
  const int64_t inner = r.inner;
  const std::vector<T> weights(t.weight.begin(), t.weight.end());
  const RowInterpolation<T> whole_row = inner == 1 ? row_interpolation<T>(t.count) : nullptr;
  parallel_for(r.outer, std::max<int64_t>(1, kGrain / (t.out * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const T* from = static_cast<const T*>(r.from) + o * t.in * inner;
      T* to = static_cast<T*>(r.to) + o * t.out * inner;
      const int64_t* index = t.index.data();
      const T* weight = weights.data();
      if (whole_row) {
        whole_row(index, weight, from, to, t.out);
        continue;
      }
      for (int64_t i = 0; i < t.out; ++i, to += inner, index += t.count, weight += t.count) {
        blend_rows(index, weight, t.count, from, to, inner);
      }
    }
  });
}

template <class T>
void interpolate_transposed(const Resampling& r) {
  const Taps t = make_taps<T>(r);
  const int64_t inner = r.inner;
  const std::vector<T> weights(t.weight.begin(), t.weight.end());
  parallel_for(r.outer, std::max<int64_t>(1, kGrain / (t.out * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      T* to = static_cast<T*>(r.to) + o * t.in * inner;
      std::fill_n(to, t.in * inner, T(0));
      const T* row = static_cast<const T*>(r.from) + o * t.out * inner;
      const int64_t* index = t.index.data();
      const T* weight = weights.data();
      for (int64_t i = 0; i < t.out; ++i, row += inner) {
        for (int64_t k = 0; k < t.count; ++k, ++index, ++weight) {
          const T w = *weight;
          if (w == 0) continue;
          T* target = to + *index * inner;
          for (int64_t j = 0; j < inner; ++j) target[j] += w * row[j];
        }
      }
    }
  });
}

void along(const Resampling& r) {
  if (r.dtype == DType::UInt8) return resample_bytes(r);
  with_kernel_type(r.dtype, [&]<class T>(T) { interpolate<T>(r); });
}
void along_transposed(const Resampling& r) {
  with_kernel_type(r.dtype, [&]<class T>(T) { interpolate_transposed<T>(r); });
}

}  // namespace

constinit const ResampleKernels resample_kernels{{along}, {along_transposed}};

}  // namespace chainrule::cpu
