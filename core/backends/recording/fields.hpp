// The fields of a plain struct, one after the other, so that descriptions need no list of their own.
#pragma once
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace chainrule {

namespace fields_of {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Stands for a field of any type where a struct is made; it is never made itself. An optional takes it as its value.
struct Any {
  template <class T>
    requires(!kIsOptional<std::remove_cv_t<T>>)
  operator T&() const;  // NOLINT: that it converts is its purpose
};

template <class T, size_t... places>
constexpr bool takes(std::index_sequence<places...>) {
  return requires { T{(void(places), Any())...}; };
}

}  // namespace fields_of

template <class T, size_t most = 24>
constexpr size_t count_fields() {
  if constexpr (fields_of::takes<T>(std::make_index_sequence<most>()))
    return most;
  else
    return count_fields<T, most - 1>();
}

// Calls f(field, field, ...).
template <class T, class F>
decltype(auto) with_fields(T& value, F f) {
  constexpr size_t count = count_fields<std::remove_const_t<T>>();
#define CR_FIELDS(n, ...)                        \
  if constexpr (count == n) {                    \
    auto& [__VA_ARGS__] = value;                 \
    return std::apply(f, std::tie(__VA_ARGS__)); \
  }
  CR_FIELDS(1, m1)
  CR_FIELDS(2, m1, m2)
  CR_FIELDS(3, m1, m2, m3)
  CR_FIELDS(4, m1, m2, m3, m4)
  CR_FIELDS(5, m1, m2, m3, m4, m5)
  CR_FIELDS(6, m1, m2, m3, m4, m5, m6)
  CR_FIELDS(7, m1, m2, m3, m4, m5, m6, m7)
  CR_FIELDS(8, m1, m2, m3, m4, m5, m6, m7, m8)
  CR_FIELDS(9, m1, m2, m3, m4, m5, m6, m7, m8, m9)
  CR_FIELDS(10, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)
  CR_FIELDS(11, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
  CR_FIELDS(12, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12)
  CR_FIELDS(13, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
  CR_FIELDS(14, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14)
  CR_FIELDS(15, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)
  CR_FIELDS(16, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16)
  CR_FIELDS(17, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17)
  CR_FIELDS(18, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18)
  CR_FIELDS(19, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19)
  CR_FIELDS(20, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20)
  CR_FIELDS(21, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21)
  CR_FIELDS(22, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22)
  CR_FIELDS(23, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
            m23)
  CR_FIELDS(24, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
            m23, m24)
#undef CR_FIELDS
}

}  // namespace chainrule
