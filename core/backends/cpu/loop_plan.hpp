// The elements of several operands in one loop: the order in which they are visited, and where each one lies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <vector>

#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cpu {

struct LoopOperand {
  char* data;
  DType dtype;   // as it lies in memory
  DType wanted;  // as the kernel takes or gives it
  Span strides;  // in elements, one per dimension; 0 where broadcast
};

// An operand as the loop meets it.
struct Lane {
  char* data;
  DType dtype, wanted;
  Dims strides;   // bytes
  bool constant;  // one value for the whole loop
  bool dense;     // its elements follow each other in the order of the loop
  bool periodic;  // every row is the same
  int64_t item() const { return static_cast<int64_t>(size_of(dtype)); }
  bool as_is() const { return dtype == wanted; }
  int64_t inner() const { return strides[strides.size() - 1]; }
};

// Dimensions go from the largest stride to the smallest, the first operand's before the others', and those that follow
// each other in all operands are one.
struct LoopPlan {
  LoopPlan(Span sizes, std::span<const LoopOperand> operands, std::pmr::memory_resource* memory);

  Dims sizes;  // at least one
  int64_t numel = 1;
  std::pmr::vector<Lane> lanes;

 private:
  void add_dimension(std::span<const LoopOperand> operands, int64_t size, int d);
  void describe_lanes();
};

// A position in the loop's index space.
class Odometer {
 public:
  Odometer(const Dims& sizes, int64_t linear) : sizes_(sizes), index_(sizes.size()) {
    for (int d = sizes.size(); d-- > 0;) {
      index_[d] = linear % sizes[d];
      linear /= sizes[d];
    }
  }
  int64_t left_in_row() const { return sizes_[sizes_.size() - 1] - index_[sizes_.size() - 1]; }
  void advance(int64_t n) {
    int d = sizes_.size() - 1;
    index_[d] += n;
    for (; d > 0 && index_[d] >= sizes_[d]; --d) {
      const bool once = index_[d] < 2 * sizes_[d];  // a division takes longer
      const int64_t turns = once ? 1 : index_[d] / sizes_[d];
      index_[d] -= turns * sizes_[d];
      index_[d - 1] += turns;
    }
  }
  // Calls f(offset, count) for the runs within rows that the next n elements make, where those lie `strides` apart.
  template <class F>
  void each_run(const Dims& strides, int64_t n, F f) const {
    const int last = sizes_.size() - 1;
    int64_t at = offset(strides), run = std::min(n, left_in_row());
    f(at, run);
    if (n == run) return;
    Dims index = index_;
    at -= index[last] * strides[last];
    for (int64_t left = n - run; left > 0; left -= run) {
      int d = last - 1;
      ++index[d];
      at += strides[d];
      for (; d > 0 && index[d] == sizes_[d]; --d) {
        at += strides[d - 1] - sizes_[d] * strides[d];
        index[d] = 0;
        ++index[d - 1];
      }
      run = std::min(left, sizes_[last]);
      f(at, run);
    }
  }
  int64_t offset(const Dims& strides) const {
    int64_t bytes = 0;
    for (int d = 0; d < strides.size(); ++d) bytes += index_[d] * strides[d];
    return bytes;
  }

 private:
  const Dims& sizes_;
  Dims index_;
};

template <class T>
void copy_items(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
}

template <class T>
void repeat_item(char* to, const char* from, int64_t n) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

}  // namespace chainrule::cpu
