// Elements as unsigned integers that have the elements' order, so that sorting and selecting know only two types.
//
// NaN is the largest, the two zeros are equal, as PyTorch orders them. An element cannot be had back from its key (-0
// from that of 0): entries carry the element's index along.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "tensor/half.hpp"

namespace chainrule::cpu {

// 64 bits for int64 and float64, 32 for all that is smaller.
template <class T>
using OrderKey = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class Bits>
constexpr Bits key_of_bits(Bits bits) {
  constexpr int kTop = 8 * sizeof(Bits) - 1;
  auto turned = static_cast<Bits>(static_cast<std::make_signed_t<Bits>>(bits) >> kTop);  // all bits of a negative one
  return static_cast<Bits>(bits ^ (turned | Bits(1) << kTop));
}

inline uint32_t key_of_half(uint16_t bits, uint16_t infinity) {
  auto magnitude = static_cast<uint16_t>(bits & 0x7fff);
  return magnitude > infinity ? 0xffff : key_of_bits(magnitude == 0 ? uint16_t(0) : bits);
}

template <class T>
OrderKey<T> order_key(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return key_of_half(x.bits, 0x7c00);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return key_of_half(x.bits, 0x7f80);
  } else if constexpr (std::is_floating_point_v<T>) {
    return x != x ? ~OrderKey<T>(0) : key_of_bits(std::bit_cast<OrderKey<T>>(x + T(0)));  // -0 + 0 is 0
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<uint64_t>(x) ^ uint64_t(1) << 63;
  } else {
    return static_cast<uint32_t>(static_cast<int32_t>(x)) ^ uint32_t(1) << 31;
  }
}

// Whether the element is a NaN, seen from its key.
template <class T>
constexpr bool is_nan_key(OrderKey<T> key) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return key == 0xffff;
  else
    return std::is_floating_point_v<T> && key == ~OrderKey<T>(0);
}

// A key and where its element is.
template <class K>
struct Entry {
  K key;
  K index;
};
template <class K>
constexpr bool operator<(const Entry<K>& a, const Entry<K>& b) {
  return a.key < b.key;
}

// The row's entries; `reversed` turns the order around, so that what is smallest comes out largest.
template <class T, class K>
void make_entries(const T* x, int64_t n, bool reversed, Entry<K>* out) {
  K flip = reversed ? ~K(0) : K(0);
  for (int64_t i = 0; i < n; ++i) out[i] = {static_cast<K>(order_key(x[i]) ^ flip), static_cast<K>(i)};
}

}  // namespace chainrule::cpu
