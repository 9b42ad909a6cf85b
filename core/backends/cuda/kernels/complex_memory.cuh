// Complex elements: a real number is one whose second part is zero, and a real element takes the first part.
template <class R, class S>
struct Conversion<Complex<R>, S> {
  static Complex<R> load(S s) { return Complex<R>(Conversion<R, S>::load(s)); }
  static S store(Complex<R> z) { return Conversion<R, S>::store(z.re); }
};
template <class R>
struct Conversion<Complex<R>, Bool> {
  static Complex<R> load(Bool s) { return Complex<R>(R(s.bits != 0)); }
  static Bool store(Complex<R> z) { return {uint8_t(z.re != 0 || z.im != 0)}; }
};
template <class R>
struct Conversion<Complex<R>, Half> {
  static Complex<R> load(Half s) { return Complex<R>(Conversion<R, Half>::load(s)); }
  static Half store(Complex<R> z) { return Conversion<R, Half>::store(z.re); }
};
template <class R>
struct Conversion<Complex<R>, BFloat16> {
  static Complex<R> load(BFloat16 s) { return Complex<R>(Conversion<R, BFloat16>::load(s)); }
  static BFloat16 store(Complex<R> z) { return Conversion<R, BFloat16>::store(z.re); }
};
template <class R>
struct Conversion<Complex<R>, Complex<float>> {
  static Complex<R> load(Complex<float> s) { return {R(s.re), R(s.im)}; }
  static Complex<float> store(Complex<R> z) { return {float(z.re), float(z.im)}; }
};
template <class R>
struct Conversion<Complex<R>, Complex<double>> {
  static Complex<R> load(Complex<double> s) { return {R(s.re), R(s.im)}; }
  static Complex<double> store(Complex<R> z) { return {double(z.re), double(z.im)}; }
};
template <>
struct Conversion<float, Complex<float>> {
  static float load(Complex<float> s) { return s.re; }
  static Complex<float> store(float x) { return Complex<float>(x); }
};
template <>
struct Conversion<double, Complex<double>> {
  static double load(Complex<double> s) { return s.re; }
  static Complex<double> store(double x) { return Complex<double>(x); }
};
template <>
struct Conversion<float, Complex<double>> {
  static float load(Complex<double> s) { return float(s.re); }
  static Complex<double> store(float x) { return Complex<double>(x); }
};
template <>
struct Conversion<double, Complex<float>> {
  static double load(Complex<float> s) { return s.re; }
  static Complex<float> store(double x) { return Complex<float>(float(x)); }
};
template <>
struct Conversion<int64_t, Complex<float>> {
  static int64_t load(Complex<float> s) { return int64_t(s.re); }
  static Complex<float> store(int64_t x) { return Complex<float>(float(x)); }
};
template <>
struct Conversion<int64_t, Complex<double>> {
  static int64_t load(Complex<double> s) { return int64_t(s.re); }
  static Complex<double> store(int64_t x) { return Complex<double>(double(x)); }
};
template <class R>
inline Complex<R> if_complex(Complex<R> complex, Complex<R>) {
  return complex;
}
