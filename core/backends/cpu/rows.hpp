// Walks over tensors of one shape row by row, a row being the elements along the last dimension.
#pragma once
#include <array>
#include <cstddef>

#include "tensor/dims.hpp"

namespace chainrule::cpu {

// The shape and N tensors' strides, without dimensions of size 1 and with neighbours merged wherever all the strides
// allow it. There is always a last dimension.
template <size_t N>
struct Rows {
  Dims sizes;
  std::array<Dims, N> strides;

  Rows(Span shape, const std::array<Span, N>& all) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1) add(shape[d], all, d);
    }
    if (!sizes.empty()) return;
    sizes.push_back(1);
    for (Dims& s : strides) s.push_back(0);
  }

  int64_t length() const { return sizes[sizes.size() - 1]; }
  int64_t step(size_t i) const { return strides[i][sizes.size() - 1]; }
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d + 1 < sizes.size(); ++d) n *= sizes[d];
    return n;
  }

  // Calls f with the offset, in elements, of each tensor's row `first`, and so on up to `last`, until it gives false.
  template <class F>
  bool each(int64_t first, int64_t last, F f) const {
    if (first >= last) return true;
    int outer = sizes.size() - 1;
    Dims at(outer);
    std::array<int64_t, N> offsets{};
    int64_t left = first;
    for (int d = outer; d-- > 0; left /= sizes[d]) {
      at[d] = left % sizes[d];
      for (size_t i = 0; i < N; ++i) offsets[i] += at[d] * strides[i][d];
    }
    for (int64_t row = first; row < last; ++row) {
      if (!f(offsets)) return false;
      for (int d = outer; d-- > 0;) {
        for (size_t i = 0; i < N; ++i) offsets[i] += strides[i][d];
        if (++at[d] < sizes[d]) break;
        for (size_t i = 0; i < N; ++i) offsets[i] -= strides[i][d] * sizes[d];
        at[d] = 0;
      }
    }
    return true;
  }
  template <class F>
  bool each(F f) const {
    return length() == 0 || each(0, count(), f);
  }

 private:
  void add(int64_t size, const std::array<Span, N>& all, size_t d) {
    bool merges = !sizes.empty();
    for (size_t i = 0; i < N && merges; ++i) merges = strides[i].back() == all[i][d] * size;
    if (merges) {
      sizes.back() *= size;
      for (size_t i = 0; i < N; ++i) strides[i].back() = all[i][d];
    } else {
      sizes.push_back(size);
      for (size_t i = 0; i < N; ++i) strides[i].push_back(all[i][d]);
    }
  }
};

}  // namespace chainrule::cpu
