// Pooling: one value for each window of a plane (or volume).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Along one dimension: elements begin, begin + step ... below end.
struct Window {
  int64_t begin, end, step;
  int64_t counted;  // elements that count for an average, those of the padding included if they do
};

struct PoolWindows {
  std::array<int64_t, 3> in, outs;           // depth, height, width
  std::array<std::vector<Window>, 3> along;  // one window per output; none where there are no planes
  int64_t out(int d) const { return outs[static_cast<size_t>(d)]; }
  int64_t in_size() const { return in[0] * in[1] * in[2]; }
  int64_t out_size() const { return out(0) * out(1) * out(2); }
};

// `count` planes lie one after another; with channels last, count images whose places have `lanes` elements each.
struct Planes {
  int64_t count, lanes = 1;
};

// Of float32, float64 and int64.
struct MaxPooling {
  const PoolWindows& windows;
  Planes planes;
  DType dtype;
  const void* x;
  void* y;
  int64_t* index;  // where the largest element is in its plane
};

// The sum divided by the number of elements counted, or by `divisor` when that is not 0.
struct AveragePooling {
  const PoolWindows& windows;
  Planes planes;
  DType dtype;
  const void* from;
  void* to;
  int64_t divisor;
};

// Planes whose windows begin at random places, each plane's at others. Of float32 and float64.
struct FractionalPooling {
  int dims;  // the last ones of the three
  std::array<int64_t, 3> in, out, kernel;
  int64_t planes;
  const double* samples;  // a number for each dimension of each plane
  DType dtype;
  const void* x;
  void* y;
  int64_t* index;
};

// `in` elements of each plane go to their places in a plane of `out` elements, `item` bytes each.
struct Unpooling {
  int64_t planes, in, out, item;
  const int64_t* index;
  const char* x;
  char* y;
};

struct PoolKernels {
  Kernel<void(const MaxPooling&)> max;  // NaN wins
  Kernel<void(const AveragePooling&)> average;
  Kernel<void(const AveragePooling&)> average_gradient;  // the transpose of average
  Kernel<void(const FractionalPooling&)> fractional_max;
  Kernel<void(const Unpooling&)> unpool;  // nothing is written elsewhere
};

}  // namespace chainrule
