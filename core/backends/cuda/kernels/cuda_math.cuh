// The table's functions by CUDA's own, in place of the CPU's polynomials. They are built into the compiler: nothing to
// parse, and right for every argument.
#define CR_BOTH(name)                                 \
  inline float name(float x) { return ::name##f(x); } \
  inline double name(double x) { return ::name(x); }
CR_BOTH(exp)
CR_BOTH(exp2)
CR_BOTH(expm1)
CR_BOTH(log)
CR_BOTH(log2)
CR_BOTH(log10)
CR_BOTH(log1p)
CR_BOTH(sin)
CR_BOTH(cos)
CR_BOTH(tan)
CR_BOTH(asin)
CR_BOTH(acos)
CR_BOTH(atan)
CR_BOTH(sinh)
CR_BOTH(cosh)
CR_BOTH(tanh)
CR_BOTH(asinh)
CR_BOTH(acosh)
CR_BOTH(atanh)
CR_BOTH(erf)
CR_BOTH(erfc)
CR_BOTH(erfinv)
#define CR_BOTH_AS(name, cuda)                        \
  inline float name(float x) { return ::cuda##f(x); } \
  inline double name(double x) { return ::cuda(x); }
CR_BOTH_AS(special_erfcx, erfcx)
CR_BOTH_AS(special_ndtr, normcdf)
CR_BOTH_AS(special_ndtri, normcdfinv)
#define CR_BOTH_OF_TWO(name)                                         \
  inline float name(float x, float y) { return ::name##f(x, y); }    \
  inline double name(double x, double y) { return ::name(x, y); }
CR_BOTH_OF_TWO(pow)
CR_BOTH_OF_TWO(atan2)
template <class T>
inline T sigmoid(T x) {
  return 1 / (1 + exp(-x));
}
template <class T>
inline T sinc(T x) {
  return x == 0 ? T(1) : sin(T(3.14159265358979323846) * x) / (T(3.14159265358979323846) * x);
}
template <class T>
inline T special_log_ndtr(T x) {
  T z = x * T(0.707106781186547524);
  return x < -1 ? log(T(0.5) * special_erfcx(-z)) - z * z : log1p(T(-0.5) * erfc(z));
}
template <class T>
inline T ldexp(T a, T b) {
  T limited = limit(b, T(-5000), T(5000)), half = trunc(limited * T(0.5));
  return a * exp2(half) * exp2(limited - half);
}
