// Weighted sums of elements read here and there, several points at a time.
#include "backends/cpu/taps.hpp"

namespace chainrule::cpu::CR_ISA {

template <class T>
[[gnu::always_inline]] inline void add_taps(const int64_t* at, const T* weight, const T* x, T* sums, int64_t n) {
#pragma GCC ivdep
  for (int64_t p = 0; p < n; ++p) {
    const T read = x[at[p] < 0 ? 0 : at[p]];
    sums[p] += weight[p] * (at[p] < 0 ? T(0) : read);  // a weight that is NaN shows, wherever it is
  }
}

template <class T>
[[gnu::always_inline]] inline void sum_all_taps(const TapBlock<T>& block, const T* x, T* out) {
  alignas(64) T sums[kTapPoints] = {};
  for (int k = 0; k < block.taps; ++k) add_taps(block.at[k], block.weight[k], x, sums, block.points);
  for (int64_t p = 0; p < block.points; ++p) out[p] = sums[p];
}

// The places along one dimension: the element before and the part of the way to the next one.
template <class T>
struct Places {
  int32_t before[kTapPoints];
  T part[kTapPoints];
};

template <bool clips, bool nearest, class T>
[[gnu::always_inline]] inline void find_places(const T* grid, int dims, int64_t points, int64_t size,
                                               bool align_corners, Places<T>& out) {
  const T n = T(size), last = T(size - 1);
  const T factor = align_corners ? T(0.5) : n, shift = align_corners ? T(0) : T(1);
  const T scale = align_corners ? last : T(0.5);
#pragma GCC ivdep
  for (int64_t p = 0; p < points; ++p) {
    T at = ((grid[p * dims] + 1) * factor - shift) * scale;
    const T no_place = at - at;  // NaN where the grid is NaN or infinite, else 0
    if constexpr (clips) {
      at = at > 0 ? at : T(0);
      at = at >= last ? last : at;
    } else {  // what does not fit an index lies outside
      at = (at < T(1e9)) & (at > T(-1e9)) ? at : T(-100);
    }
    const T whole = nearest ? __builtin_rint(at) : __builtin_floor(at);
    out.before[p] = int32_t(whole);
    out.part[p] = clips ? at - whole : at - whole + no_place;
  }
}

// Tap k of every point: bit d of k from the top says which of the two elements is read along dimension d.
template <class T>
[[gnu::always_inline]] inline void combine_places(const GridAxes& axes, const Places<T>* places, int k,
                                                  TapBlock<T>& block) {
  int64_t* at = block.at[k];
  T* weight = block.weight[k];
  for (int64_t p = 0; p < block.points; ++p) at[p] = 0, weight[p] = 1;
  for (int d = 0; d < axes.dims; ++d) {
    const int32_t next = k >> (axes.dims - 1 - d) & 1;
    const int64_t size = axes.size[d];
#pragma GCC ivdep
    for (int64_t p = 0; p < block.points; ++p) {
      const int64_t i = places[d].before[p] + next;
      const T share = next ? places[d].part[p] : 1 - places[d].part[p];
      const bool outside = (at[p] < 0) | (i < 0) | (i >= size);
      at[p] = outside ? -1 : at[p] * size + i;
      weight[p] *= axes.nearest ? T(1) : share;
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void find_taps(const GridAxes& axes, const T* grid, TapBlock<T>& block) {
  Places<T> places[3];
  for (int d = 0; d < axes.dims; ++d) {
    auto find = [&]<bool clips, bool nearest>() {
      find_places<clips, nearest>(grid + axes.dims - 1 - d, axes.dims, block.points, axes.size[d], axes.align_corners,
                                  places[d]);
    };
    if (axes.nearest)
      axes.clips ? find.template operator()<true, true>() : find.template operator()<false, true>();
    else
      axes.clips ? find.template operator()<true, false>() : find.template operator()<false, false>();
  }
  block.taps = axes.nearest ? 1 : 1 << axes.dims;
  for (int k = 0; k < block.taps; ++k) combine_places(axes, places, k, block);
}

void find_float_taps(const GridAxes& axes, const float* grid, TapBlock<float>& block) { find_taps(axes, grid, block); }
void find_double_taps(const GridAxes& axes, const double* grid, TapBlock<double>& block) {
  find_taps(axes, grid, block);
}

void sum_float_taps(const TapBlock<float>& block, const float* x, float* out) { sum_all_taps(block, x, out); }
void sum_double_taps(const TapBlock<double>& block, const double* x, double* out) { sum_all_taps(block, x, out); }

}  // namespace chainrule::cpu::CR_ISA
