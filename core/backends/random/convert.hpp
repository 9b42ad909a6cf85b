// How a value that a stream computed in float or double becomes an element of the destination.
#pragma once
#include <type_traits>

#include "tensor/half.hpp"

namespace chainrule::random {

template <class T>
inline constexpr bool is_half_width = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_float_type = std::is_floating_point_v<T> || is_half_width<T>;

// The type that element-wise arithmetic on T runs in.
template <class T>
using Working = std::conditional_t<is_half_width<T>, float, T>;

// 16-bit floats are rounded twice when they come from a double or an integer, by way of float.
template <class T, class V>
T convert(V value) {
  if constexpr (is_half_width<T>)
    return T(float(value));
  else
    return static_cast<T>(value);
}

}  // namespace chainrule::random
