// Sizes that are calculated from arguments: what leaves the range of int64 raises, and never wraps around.
#pragma once
#include <cstdint>

#include "tensor/error.hpp"

namespace chainrule {
// A size, an offset or a number of windows that follows from an argument is calculated in this type: one operand of it
// makes the whole expression checked, CheckedSize(n) + 2 * padding. Sizes of a tensor that exists may be multiplied
// freely while it has elements, since their product is its numel. `count` checks the product of a whole shape. Strides
// and offsets of a tensor without elements lead nowhere and may be anything: `wrapped` multiplies them.
class CheckedSize {
 public:
  CheckedSize(int64_t value) : value_(value) {}  // NOLINT: a number is a size
  int64_t value() const { return value_; }

  friend CheckedSize operator+(CheckedSize a, CheckedSize b) {
    int64_t sum;
    if (__builtin_add_overflow(a.value_, b.value_, &sum)) raise_overflow(a, " + ", b);
    return sum;
  }
  friend CheckedSize operator-(CheckedSize a, CheckedSize b) {
    int64_t difference;
    if (__builtin_sub_overflow(a.value_, b.value_, &difference)) raise_overflow(a, " - ", b);
    return difference;
  }
  friend CheckedSize operator*(CheckedSize a, CheckedSize b) {
    int64_t product;
    if (__builtin_mul_overflow(a.value_, b.value_, &product)) raise_overflow(a, " * ", b);
    return product;
  }
  CheckedSize& operator+=(CheckedSize other) { return *this = *this + other; }
  CheckedSize& operator*=(CheckedSize other) { return *this = *this * other; }

 private:
  [[noreturn]] static void raise_overflow(CheckedSize a, const char* operation, CheckedSize b) {
    raise(PyExc_RuntimeError, "Storage size calculation overflowed: ", a.value_, operation, b.value_,
          " is more than a size can be");
  }

  int64_t value_;
};

constexpr int64_t wrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace chainrule
