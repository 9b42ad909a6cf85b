// A number whose functions take any argument, where those of a plain one vectorise but are right only within bounds.
// Each decides element by element, so that the same element gives the same bits in either type.

template <class T>
struct Wide {
  T value;
  Wide(T v) : value(v) {}
  operator T() const { return value; }  // for all else it is a plain number
};

// sinc multiplies its argument by pi after the kernel has looked at it, hence the quarter.
template <class T>
inline constexpr T reduction_limit = TrigonometricFit<T>::limit / 4;

#define CR_WIDE(name)                                                                              \
  inline float name(Wide<float> x) {                                                               \
    return abs(x.value) > TrigonometricFit<float>::limit ? __builtin_##name##f(x) : name(x.value); \
  }                                                                                                \
  inline double name(Wide<double> x) {                                                             \
    return abs(x.value) > TrigonometricFit<double>::limit ? __builtin_##name(x) : name(x.value);   \
  }
CR_WIDE(sin)
CR_WIDE(cos)
CR_WIDE(tan)
#undef CR_WIDE

template <class T>
inline T sinc(Wide<T> x) {
  T scaled = T(3.14159265358979323846) * x.value;
  return x.value == 0 ? T(1) : sin(Wide<T>(scaled)) / scaled;
}

inline float fmod(Wide<float> a, Wide<float> b) {
  return abs(a.value / b.value) < quotient_limit<float> ? fmod(a.value, b.value) : __builtin_fmodf(a, b);
}
inline double fmod(Wide<double> a, Wide<double> b) {
  return abs(a.value / b.value) < quotient_limit<double> ? fmod(a.value, b.value) : __builtin_fmod(a, b);
}
