// Which inputs an output of a resampled dimension reads, and with which weights.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/resample.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule::cpu {

// Along one dimension: output i is the sum of weight * input over its taps.
struct Taps {
  int64_t in, out, count;  // count: taps of each output, the last ones of weight 0 where it has fewer
  std::vector<int64_t> index;
  std::vector<double> weight;

  Taps(int64_t in, int64_t out, int64_t count)
      : in(in),
        out(out),
        count(count),
        index(static_cast<size_t>((CheckedSize(out) * count).value())),
        weight(index.size()) {}
  void set(int64_t i, int64_t tap, int64_t from, double w) {
    index[static_cast<size_t>(i * count + tap)] = std::clamp<int64_t>(from, 0, in - 1);
    weight[static_cast<size_t>(i * count + tap)] = w;
  }
};

// T: the type that positions and weights are computed in.
template <class T>
Taps make_taps(const Resampling& r);

}  // namespace chainrule::cpu
