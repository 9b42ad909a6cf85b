// Rounding, signs, and the choice of the larger or smaller of two numbers.

CR_SCALAR float floor(float x) { return __builtin_floorf(x); }
CR_SCALAR double floor(double x) { return __builtin_floor(x); }
CR_SCALAR float ceil(float x) { return __builtin_ceilf(x); }
CR_SCALAR double ceil(double x) { return __builtin_ceil(x); }
CR_SCALAR float trunc(float x) { return __builtin_truncf(x); }
CR_SCALAR double trunc(double x) { return __builtin_trunc(x); }
CR_SCALAR float round_to_even(float x) { return __builtin_rintf(x); }
CR_SCALAR double round_to_even(double x) { return __builtin_rint(x); }
// Neighbours have neighbouring bits; those of zero are the smallest numbers.
template <class T>
CR_SCALAR T nextafter(T x, T towards) {
  BitsOf<T> away = (x < towards) == (x > 0) ? BitsOf<T>(1) : ~BitsOf<T>(0);
  T moved = select(x == 0, copysign(from_bits(BitsOf<T>(1)), towards), from_bits(bits(x) + away));
  T result = select(x == towards, towards, moved);
  return (x != x) | (towards != towards) ? x + towards : result;
}

CR_SCALAR int64_t floor(int64_t x) { return x; }
CR_SCALAR int64_t ceil(int64_t x) { return x; }
CR_SCALAR int64_t trunc(int64_t x) { return x; }
CR_SCALAR int64_t round_to_even(int64_t x) { return x; }
// Wraps around at the lowest number, as PyTorch does.
CR_SCALAR int64_t abs(int64_t x) { return x < 0 ? int64_t(0 - uint64_t(x)) : x; }

// NaN has no sign: 0 for floats too, as PyTorch gives.
template <class T>
CR_SCALAR T sign(T x) {
  return T((x > 0) - (x < 0));
}

// A NaN on either side wins.
template <class T>
CR_SCALAR T maximum(T a, T b) {
  T larger = a > b ? a : b;
  return a != a ? a : larger;
}
template <class T>
CR_SCALAR T minimum(T a, T b) {
  T smaller = a < b ? a : b;
  return a != a ? a : smaller;
}
// A NaN on either side loses.
template <class T>
CR_SCALAR T fmax(T a, T b) {
  T larger = a > b ? a : b;
  return b != b ? a : larger;
}
template <class T>
CR_SCALAR T fmin(T a, T b) {
  T smaller = a < b ? a : b;
  return b != b ? a : smaller;
}

// Rounding to a number of decimals: 10^decimals times, rounded, and back.
template <class T>
CR_SCALAR T round_decimals(T x, T decimals) {
  T scale = T(1);
  T size = decimals < 0 ? -decimals : decimals;
  int steps = size < 400 ? int(size) : 400;  // by then 10^decimals is infinite
  for (int i = 0; i < steps; ++i) scale = scale * 10;
  T scaled = decimals < 0 ? x / scale : x * scale;
  T rounded = round_to_even(scaled);
  return decimals < 0 ? rounded * scale : rounded / scale;
}
