// Weighted sums of elements read here and there.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

inline constexpr int64_t kTapPoints = 64;  // that are read together
inline constexpr int kMostTaps = 16;

// Where each of some points reads: at[k][p] is the k-th element of point p, or -1 for none.
template <class T>
struct TapBlock {
  int taps;        // of each point
  int64_t points;  // at most kTapPoints
  int64_t at[kMostTaps][kTapPoints];
  T weight[kMostTaps][kTapPoints];
};

// How a grid's numbers become places in an image: one number per dimension, the last dimension's first.
struct GridAxes {
  int dims;
  int64_t size[3];     // of the image
  bool align_corners;  // -1 and 1 are the middle of the first and the last element, not their edges
  bool clips;          // what is outside becomes the nearest place inside
  bool nearest;        // one element each, not two
};

}  // namespace chainrule::cpu

// Fills the block for its number of points, from dims numbers each.
CR_DECLARE_PER_ISA(void find_float_taps(const GridAxes& axes, const float* grid, TapBlock<float>& block))
CR_DECLARE_PER_ISA(void find_double_taps(const GridAxes& axes, const double* grid, TapBlock<double>& block))
// out[p] = the sum over k of weight[k][p] * x[at[k][p]]
CR_DECLARE_PER_ISA(void sum_float_taps(const TapBlock<float>& block, const float* x, float* out))
CR_DECLARE_PER_ISA(void sum_double_taps(const TapBlock<double>& block, const double* x, double* out))
