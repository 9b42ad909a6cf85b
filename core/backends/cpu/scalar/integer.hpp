// Division with its roundings, and what only integers have. An integer division by zero gives 0 and raises the flag.

// The largest a / b for which fmod below is exact; the baseline has no fused operation and so no range in double.
template <class T>
inline constexpr T quotient_limit = sizeof(T) == 4 ? T(0x1p26)
                                    : kFused       ? T(0x1p51)
                                                   : T(0);

// Within that limit one division tells the quotient, and a - quotient * b has no error.
CR_SCALAR float fmod(float a, float b) {
  double quotient = trunc(double(a) / double(b));
  return copysign(select(quotient == 0, a, float(double(a) - quotient * double(b))), a);
}
// The rounded quotient may be one too large, and the remainder then has the wrong sign.
CR_SCALAR double fmod(double a, double b) {
  double quotient = trunc(a / b), rest = select(quotient == 0, a, fma(-quotient, b, a));
  bool overshot = (rest != 0) & ((rest < 0) != (a < 0));
  return copysign(select(overshot, rest + copysign(b, a), rest), a);
}

// Whether a / b can be computed; also keeps the one quotient that overflows, lowest / -1, from trapping.
inline bool divides(int64_t b) {
  if (b == 0) integer_division_by_zero.store(true, std::memory_order_relaxed);
  return b != 0 && b != -1;
}
CR_SCALAR int64_t wrapping_negative(int64_t a) { return int64_t(0 - uint64_t(a)); }

inline int64_t div_trunc(int64_t a, int64_t b) {
  if (!divides(b)) return b == 0 ? 0 : wrapping_negative(a);
  return a / b;
}
inline int64_t fmod(int64_t a, int64_t b) {
  if (!divides(b)) return 0;
  return a % b;
}
// The quotient rounds down and the remainder takes the divisor's sign, as in Python.
inline int64_t div_floor(int64_t a, int64_t b) {
  if (!divides(b)) return b == 0 ? 0 : wrapping_negative(a);
  int64_t quotient = a / b, rest = a - quotient * b;
  return quotient - ((rest != 0) & ((rest < 0) != (b < 0)));
}
inline int64_t remainder(int64_t a, int64_t b) {
  int64_t rest = fmod(a, b);
  return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

template <class T>
CR_SCALAR T div_trunc(T a, T b) {
  return trunc(a / b);
}
template <class T>
CR_SCALAR T remainder(T a, T b) {
  T rest = fmod(a, b);
  return select((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest);
}
// Through the remainder, so that a quotient just below an integer does not round up to it.
template <class T>
CR_SCALAR T div_floor(T a, T b) {
  T rest = fmod(a, b), quotient = (a - rest) / b;
  quotient = select((rest != 0) & ((rest < 0) != (b < 0)), quotient - 1, quotient);
  T floored = floor(quotient);
  floored = select(quotient - floored > T(0.5), floored + 1, floored);
  T result = select(quotient != 0, floored, copysign(T(0), a / b));
  return select(b == 0, a / b, result);
}

// Negative exponents: the exact reciprocal if that is an integer, else 0.
inline int64_t pow(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  uint64_t result = 1, square = uint64_t(base);
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return int64_t(result);
}

// A shift by a negative number or by the whole width leaves nothing but the sign.
CR_SCALAR int64_t shift_left(int64_t a, int64_t b) {
  uint64_t shifted = uint64_t(a) << (b & 63);
  return uint64_t(b) > 63 ? 0 : int64_t(shifted);
}
CR_SCALAR int64_t shift_right(int64_t a, int64_t b) { return a >> (uint64_t(b) > 63 ? 63 : b); }

inline int64_t gcd(int64_t a, int64_t b) {
  uint64_t u = uint64_t(abs(a)), v = uint64_t(abs(b));
  while (v != 0) {
    uint64_t rest = u % v;
    u = v;
    v = rest;
  }
  return int64_t(u);
}
inline int64_t lcm(int64_t a, int64_t b) {
  int64_t divisor = gcd(a, b);
  return divisor == 0 ? 0 : abs(int64_t(uint64_t(a / divisor) * uint64_t(b)));
}

CR_SCALAR bool has_sign(int64_t x) { return x < 0; }
CR_SCALAR bool is_infinite(int64_t) { return false; }
