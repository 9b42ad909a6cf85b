// Elements as they lie in memory, and as they are calculated with.
struct Bool {
  uint8_t bits;
};
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

template <class T, class S>
struct Conversion {
  static T load(S s) { return T(s); }
  static S store(T x) { return S(x); }
};
template <class T>
struct Conversion<T, Bool> {
  static T load(Bool s) { return T(s.bits != 0); }
  static Bool store(T x) { return {uint8_t(!(x == T(0)))}; }
};
template <class T>
struct Conversion<T, Half> {
  static T load(Half s) { return T(half_to_float(s.bits)); }
  static Half store(T x) { return {float_to_half(float(x))}; }
};
template <class T>
struct Conversion<T, BFloat16> {
  static T load(BFloat16 s) { return T(__builtin_bit_cast(float, uint32_t(s.bits) << 16)); }
  static BFloat16 store(T x) { return {float_to_bfloat16(float(x))}; }
};
// Fractions are cut off, and what does not fit wraps around by way of int64.
#define CR_FROM_FLOATING(F, I)                                \
  template <>                                                 \
  struct Conversion<F, I> {                                   \
    static F load(I s) { return F(s); }                       \
    static I store(F x) { return I(int64_t(x)); }         \
  };
CR_FROM_FLOATING(float, uint8_t)
CR_FROM_FLOATING(float, int8_t)
CR_FROM_FLOATING(float, int16_t)
CR_FROM_FLOATING(float, uint16_t)
CR_FROM_FLOATING(double, uint8_t)
CR_FROM_FLOATING(double, int8_t)
CR_FROM_FLOATING(double, int16_t)
CR_FROM_FLOATING(double, uint16_t)

template <class T, class S>
inline T load(S s) {
  return Conversion<T, S>::load(s);
}
template <class S, class T>
inline S stored(T x) {
  return Conversion<T, S>::store(x);
}
// Neighbours that are read and written together.
template <class S, int n>
struct alignas(sizeof(S) * n) Cell {
  S at[n];
};
template <class T>
inline T if_complex(T, T real) {
  return real;
}
