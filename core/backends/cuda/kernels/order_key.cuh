// Elements as unsigned integers of their own size that have the elements' order: NaN is the largest, the two zeros are
// equal.
template <class B>
inline B key_of_bits(B bits) {
  constexpr B top = B(B(1) << (8 * sizeof(B) - 1));
  return B(bits & top ? ~bits : bits | top);
}
inline uint16_t key_of_half(uint16_t bits, uint16_t infinity) {
  const uint16_t size = bits & 0x7fff;
  return size > infinity ? uint16_t(0xffff) : key_of_bits(size == 0 ? uint16_t(0) : bits);
}
inline uint8_t order_key(Bool x) { return x.bits != 0; }
inline uint8_t order_key(uint8_t x) { return x; }
inline uint8_t order_key(int8_t x) { return uint8_t(x) ^ 0x80; }
inline uint16_t order_key(int16_t x) { return uint16_t(x) ^ 0x8000; }
inline uint32_t order_key(int32_t x) { return uint32_t(x) ^ 0x80000000u; }
inline uint64_t order_key(int64_t x) { return uint64_t(x) ^ 0x8000000000000000ull; }
inline uint16_t order_key(Half x) { return key_of_half(x.bits, 0x7c00); }
inline uint16_t order_key(BFloat16 x) { return key_of_half(x.bits, 0x7f80); }
inline uint32_t order_key(float x) { return x != x ? 0xffffffffu : key_of_bits(__builtin_bit_cast(uint32_t, x == 0 ? 0.0f : x)); }
inline uint64_t order_key(double x) {
  return x != x ? 0xffffffffffffffffull : key_of_bits(__builtin_bit_cast(uint64_t, x == 0 ? 0.0 : x));
}
// Whether an element is a NaN, seen from its key.
template <class E, class K>
inline bool is_nan_key(K key) {
  constexpr bool has_nan = std::is_same_v<E, float> || std::is_same_v<E, double> || std::is_same_v<E, Half> || std::is_same_v<E, BFloat16>;
  return has_nan && key == K(~K(0));
}
