// Adding many slices into few places, in an order that is the same in every run.
#pragma once
#include "backends/cuda/layout.hpp"
#include "backends/positions.hpp"

namespace chainrule::cuda {

// Slice i of the packed ones belongs at keys[i] * unit in the whole, or nowhere.
struct KeyedSlices {
  Combine combine;
  DType dtype;
  char* whole;
  const char* packed;
  bool single;  // `packed` is one element that stands for all
  const int64_t* keys;
  int64_t count, unit = 1, nowhere = -1;
  int bits = 64;      // of the keys
  bool mean = false;  // the sum is divided by how many there are
};
// The layouts of what lies before and after, as in Slices.
void combine_in_order(const KeyedSlices& s, const Layout& before, const Layout& after);

}  // namespace chainrule::cuda
