// Which integers a dtype can hold, and how the bounds of random integers adapt to it.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "backends/random/convert.hpp"

namespace chainrule::random {

// How many bits of an integer T holds exactly; 0 for integer types.
template <class T>
inline constexpr int kDigits = std::is_same_v<T, double>     ? 53
                               : std::is_same_v<T, float>    ? 24
                               : std::is_same_v<T, Half>     ? 11
                               : std::is_same_v<T, BFloat16> ? 8
                                                             : 0;

// The largest integer that random_() may give: for floats the end of the unbroken range.
template <class T>
constexpr int64_t largest() {
  if constexpr (is_float_type<T>)
    return int64_t(1) << kDigits<T>;
  else
    return int64_t(std::numeric_limits<T>::max());
}

// The distance between neighbouring T around `value`, for a value that T does not hold exactly.
template <class T>
int64_t spacing(int64_t value) {
  uint64_t magnitude = value < 0 ? -uint64_t(value) : uint64_t(value);
  return int64_t(1) << (std::bit_width(magnitude) - kDigits<T>);
}

// The nearest T as an integer. One outside of int64 becomes its lowest value, as x86 and so PyTorch converts it.
template <class T>
int64_t rounded(int64_t value) {
  Working<T> nearest = Working<T>(convert<T>(value)), limit = Working<T>(0x1p63);
  return nearest >= -limit && nearest < limit ? int64_t(nearest) : std::numeric_limits<int64_t>::min();
}

// Bounds of a float type move inwards to values that T holds, where rounding would step over them.
template <class T>
int64_t raise_bound(int64_t from) {
  int64_t above = int64_t(uint64_t(from) + 1), nearest = rounded<T>(above);
  return nearest < from ? nearest + spacing<T>(above) : from;
}

template <class T>
int64_t lower_bound(int64_t to) {
  int64_t nearest = rounded<T>(to - 1);
  return nearest >= to ? nearest - spacing<T>(to - 1) : to;
}

}  // namespace chainrule::random
