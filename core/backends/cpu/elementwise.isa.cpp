// Turns every line of elementwise.def into kernels: loops over contiguous rows that the compiler vectorises.
//
// Complex types and rarely used functions gain little from wide vectors: only the baseline build makes their kernels,
// and the tables of the other builds point to those.
#include "backends/cpu/elementwise.hpp"

#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>

#include "ops/elementwise/attributes.hpp"
#include "ops/elementwise/read_line.hpp"
#include "tensor/complex.hpp"

#ifdef __AVX2__
// Declared here, instantiated by the baseline build.
namespace chainrule::cpu::v2 {
template <class Op, class T>
void forward_kernel(void* out, const void* const* in, int64_t n, const double* params);
template <class Op, int k, class T>
void gradient_kernel(void* out, const void* const* in, int64_t n, const double* params);
#define OP(name, ...) struct name##_op;
#define TEST(name, ...) struct name##_op;
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
}  // namespace chainrule::cpu::v2
#endif

namespace chainrule::cpu::CR_ISA {

// clang-format off: each of these uses the ones before it
#include "backends/cpu/scalar/number.hpp"
#include "backends/cpu/scalar/exponential.hpp"
#include "backends/cpu/scalar/trigonometric.hpp"
#include "backends/cpu/scalar/hyperbolic.hpp"
#include "backends/cpu/scalar/complex.hpp"
#include "backends/cpu/scalar/error.hpp"
#include "backends/cpu/scalar/gamma.hpp"
#include "backends/cpu/scalar/bessel.hpp"
#include "backends/cpu/scalar/airy.hpp"
#include "backends/cpu/scalar/rounding.hpp"
#include "backends/cpu/scalar/polynomial.hpp"
#include "backends/cpu/scalar/integer.hpp"
#include "backends/cpu/scalar/wide.hpp"
#include "backends/cpu/scalar/arithmetic.hpp"
#include "backends/cpu/scalar/activation.hpp"
#define CR_FORMULA CR_SCALAR
#include "ops/elementwise/formulas.hpp"
// clang-format on

// The input called `condition` is a row of bool whatever the compute type is.
template <class T, bool is_condition>
using InputType = std::conditional_t<is_condition, uint8_t, T>;

#define CR_INPUT(name) [[maybe_unused]] InputType<T, same_text(#name, "condition")> name

// One struct per line: its facts, and its texts as functions of one element.
#define OP(name, inputs, domain_, parameters, value_, gradients, ...)                \
  struct name##_op {                                                                 \
    static constexpr Attributes attributes = Attributes {}                           \
    __VA_ARGS__;                                                                     \
    static constexpr Domain domain = Domain::domain_;                                \
    static constexpr bool is_test = false;                                           \
    static constexpr int parameter_count = 0 CR_COUNT_##parameters;                  \
    static constexpr const char* input_names[] = {CR_EACH(CR_TEXT, inputs)};         \
    static constexpr const char* value_text = #value_;                               \
    static constexpr const char* gradient_texts[3] = {CR_GRADIENT_TEXTS(gradients)}; \
    template <class T>                                                               \
    CR_SCALAR static T value(CR_EACH(CR_INPUT, inputs) CR_DECLARE_##parameters) {    \
      return value_;                                                                 \
    }                                                                                \
    template <int k, class T>                                                        \
    CR_SCALAR static T gradient([[maybe_unused]] T g, CR_EACH(CR_INPUT, inputs),     \
                                [[maybe_unused]] T y CR_DECLARE_##parameters) {      \
      CR_RETURN_GRADIENT(gradients)                                                  \
    }                                                                                \
  };

#define TEST(name, inputs, domain_, value_, ...)                             \
  struct name##_op {                                                         \
    static constexpr Attributes attributes = Attributes {}                   \
    __VA_ARGS__;                                                             \
    static constexpr Domain domain = Domain::domain_;                        \
    static constexpr bool is_test = true;                                    \
    static constexpr int parameter_count = 0;                                \
    static constexpr const char* input_names[] = {CR_EACH(CR_TEXT, inputs)}; \
    static constexpr const char* value_text = #value_;                       \
    static constexpr const char* gradient_texts[3] = {};                     \
    template <class T>                                                       \
    CR_SCALAR static bool value(CR_EACH(CR_INPUT, inputs)) {                 \
      return value_;                                                         \
    }                                                                        \
  };

#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST

template <class Op>
inline constexpr int input_count = int(std::size(Op::input_names));

template <class T>
inline constexpr bool is_complex_number = false;
template <class R>
inline constexpr bool is_complex_number<Complex<R>> = true;

template <class T>
CR_SCALAR T parameter(double value) {
  if constexpr (is_complex_number<T>) {
    return T(decltype(T::re)(value));
  } else {
    return T(value);
  }
}

// A row of inputs; one that the formula does not name is not read.
template <class T, bool used>
struct Row {
  const T* data;
  explicit Row(const void* p) : data(static_cast<const T*>(p)) {}
  CR_SCALAR T operator[](int64_t i) const {
    if constexpr (used) {
      return data[i];
    } else {
      return T(0);
    }
  }
};

// `out` may be one of the inputs, exactly: ivdep then still holds, since element i depends on element i only.
template <class Out, class F, class... Rows>
CR_SCALAR void each(Out* out, int64_t begin, int64_t end, F f, Rows... rows) {
#pragma GCC ivdep
  for (int64_t i = begin; i < end; ++i) out[i] = Out(f(rows[i]...));
}

// Formulas with functions that vectorise only for arguments within bounds: see Wide<T>.
enum class Bounded { no, trigonometric, quotient };
constexpr Bounded bounded(const char* text) {
  for (const char* name : {"sin", "cos", "tan", "sinc", "sinc_gradient"}) {
    if (names_in(text, name)) return Bounded::trigonometric;
  }
  for (const char* name : {"fmod", "remainder", "div_floor"}) {
    if (names_in(text, name)) return Bounded::quotient;
  }
  return Bounded::no;
}

// Whether any element is out of bounds. Compares bits, which order like sizes and vectorise; NaN counts as beyond.
template <class T, Bounded kind>
CR_SCALAR bool any_beyond(const T* a, const T* b, int64_t begin, int64_t end) {
  BitsOf<T> largest = 0;
  for (int64_t i = begin; i < end; ++i) {
    BitsOf<T> size = bits(abs(kind == Bounded::quotient ? a[i] / b[i] : a[i]));
    largest = size > largest ? size : largest;
  }
  return largest > bits(kind == Bounded::quotient ? quotient_limit<T> : reduction_limit<T>);
}

// `make(number)` gives the function of one element, computing in the type of `number`. A bounded formula goes block by
// block and computes a block with an argument out of bounds in Wide<T>: slower, and the same bits for all others.
template <class T, Bounded kind, class Out, class Make, class... Rows>
CR_SCALAR void each_of(Out* out, int64_t n, const void* const* in, Make make, Rows... rows) {
  if constexpr (kind != Bounded::no && std::is_floating_point_v<T>) {
    const T* a = static_cast<const T*>(in[0]);
    const T* b = kind == Bounded::quotient ? static_cast<const T*>(in[1]) : nullptr;
    for (int64_t begin = 0; begin < n; begin += 256) {
      int64_t end = n - begin < 256 ? n : begin + 256;
      if (any_beyond<T, kind>(a, b, begin, end)) {
        each(out, begin, end, make(Wide<T>(0)), rows...);
      } else {
        each(out, begin, end, make(T(0)), rows...);
      }
    }
  } else {
    each(out, 0, n, make(T(0)), rows...);
  }
}

// Calls use(power) with the function a -> a^exponent where that is a product, a root or a quotient; false elsewhere.
template <class T, class Use>
CR_SCALAR bool with_short_power(T exponent, Use use) {
  auto root = [](T a) { return select(a == -Format<T>::infinity, Format<T>::infinity, sqrt(a + 0)); };  // never -0, NaN
  if (exponent == 0)
    use([](T) { return T(1); });
  else if (exponent == 1)
    use([](T a) { return a; });
  else if (exponent == 2)
    use([](T a) { return a * a; });
  else if (exponent == 3)
    use([](T a) { return a * a * a; });
  else if (exponent == T(0.5))
    use(root);
  else if (exponent == T(-0.5))
    use([root](T a) { return 1 / root(a); });
  else if (exponent == -1)
    use([](T a) { return 1 / a; });
  else if (exponent == -2)
    use([](T a) { return 1 / (a * a); });
  else
    return false;
  return true;
}

// One number for all is what programs raise to: out = finish(i, exponent, a^(exponent - less)), or false where the
// exponents differ or are no short ones. Not inlined: the loop that follows would not vectorise any more.
template <class T, class Finish>
[[gnu::noinline]] bool each_power(T* out, const T* a, const T* exponents, int64_t n, T less, Finish finish) {
  const T exponent = n == 0 ? T(0) : exponents[0];
  for (int64_t begin = 0; begin < n; begin += 256) {
    const int64_t end = n - begin < 256 ? n : begin + 256;
    BitsOf<T> difference = 0;
    for (int64_t i = begin; i < end; ++i) difference |= bits(exponents[i]) ^ bits(exponent);
    if (difference != 0) return false;
  }
  return with_short_power(exponent - less, [&](auto power) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = finish(i, exponent, power(a[i]));
  });
}

template <class Op, int k>
inline constexpr bool is_condition = same_text(Op::input_names[k], "condition");

template <class Op>
constexpr int8_t condition_of() {
  for (int k = 0; k < input_count<Op>; ++k) {
    if (same_text(Op::input_names[k], "condition")) return static_cast<int8_t>(k);
  }
  return -1;
}

template <class Op, class T, size_t... I, size_t... P>
CR_SCALAR void run_forward(void* out, const void* const* in, int64_t n, const double* params, std::index_sequence<I...>,
                           std::index_sequence<P...>) {
  using Out = std::conditional_t<Op::is_test, uint8_t, T>;
  auto make = [... p = parameter<T>(params[P])]<class N>(N) {
    return [=](auto... inputs) { return Op::template value<N>(inputs..., p...); };
  };
  if constexpr (std::is_floating_point_v<T> && same_text(Op::value_text, "pow(a, exponent)")) {
    const T *a = static_cast<const T*>(in[0]), *exponents = static_cast<const T*>(in[1]);
    auto itself = [](int64_t, T, T power) { return power; };
    if (each_power(static_cast<T*>(out), a, exponents, n, T(0), itself)) return;
  }
  each_of<T, bounded(Op::value_text)>(static_cast<Out*>(out), n, in, make,
                                      Row<InputType<T, is_condition<Op, I>>, true>(in[I])...);
}

template <class Op, int k, class T, size_t... I, size_t... P>
CR_SCALAR void run_gradient(void* out, const void* const* in, int64_t n, const double* params,
                            std::index_sequence<I...>, std::index_sequence<P...>) {
  static constexpr const char* text = Op::gradient_texts[k];
  auto make = [... p = parameter<T>(params[P])]<class N>(N) {
    return [=](auto... inputs) { return Op::template gradient<k, N>(inputs..., p...); };
  };
  if constexpr (std::is_floating_point_v<T> && names_in(text, "pow_gradient_base")) {
    const T *g = static_cast<const T*>(in[0]), *a = static_cast<const T*>(in[1]),
            *exponents = static_cast<const T*>(in[2]);
    auto slope = [g](int64_t i, T exponent, T power) { return exponent == 0 ? T(0) : g[i] * (exponent * power); };
    if (each_power(static_cast<T*>(out), a, exponents, n, T(1), slope)) return;
  }
  each_of<T, bounded(text)>(static_cast<T*>(out), n, in + 1, make, Row<T, names_in(text, "g")>(in[0]),
                            Row<InputType<T, is_condition<Op, I>>, names_in(text, Op::input_names[I])>(in[1 + I])...,
                            Row<T, names_in(text, "y")>(in[1 + sizeof...(I)]));
}

template <class Op, class T>
void forward_kernel(void* out, const void* const* in, int64_t n, const double* params) {
  run_forward<Op, T>(out, in, n, params, std::make_index_sequence<input_count<Op>>(),
                     std::make_index_sequence<Op::parameter_count>());
}
template <class Op, int k, class T>
void gradient_kernel(void* out, const void* const* in, int64_t n, const double* params) {
  run_gradient<Op, k, T>(out, in, n, params, std::make_index_sequence<input_count<Op>>(),
                         std::make_index_sequence<Op::parameter_count>());
}

// A row of narrow integers, read as int64. The formula is the one of int64, and the compiler sees how little of it the
// narrow result needs.
template <class T>
struct WidenedRow {
  const T* data;
  CR_SCALAR int64_t operator[](int64_t i) const { return data[i]; }
};
template <class Op, class T, size_t... I>
CR_SCALAR void run_narrow(void* out, const void* const* in, int64_t n, std::index_sequence<I...>) {
  using Out = std::conditional_t<Op::is_test, uint8_t, T>;
  auto value = [](auto... inputs) { return Op::template value<int64_t>(inputs...); };
  each(static_cast<Out*>(out), 0, n, value, WidenedRow<T>{static_cast<const T*>(in[I])}...);
}
template <class Op, class T>
void narrow_kernel(void* out, const void* const* in, int64_t n, const double*) {
  run_narrow<Op, T>(out, in, n, std::make_index_sequence<input_count<Op>>());
}

template <class T>
constexpr bool takes(Domain domain) {
  if (std::is_same_v<T, int64_t>) return takes_integers(domain);
  return is_complex_number<T> ? takes_complex(domain) : takes_floating(domain);
}

// The kernels of one op; `Baseline` is its struct in the baseline build.
template <class Op, class Baseline>
struct KernelsOf {
  template <class T>
  static constexpr ElementwiseKernel forward() {
    if constexpr (!takes<T>(Op::domain)) {
      return nullptr;
    } else if constexpr (Op::attributes.is_rare || is_complex_number<T>) {
      return &v2::forward_kernel<Baseline, T>;
    } else {
      return &forward_kernel<Op, T>;
    }
  }
  template <class T>
  static constexpr ElementwiseKernel narrow() {
    if constexpr (Op::attributes.is_narrow) {
      return &narrow_kernel<Op, T>;
    } else {
      return nullptr;
    }
  }
  template <int k, class T>
  static constexpr ElementwiseKernel gradient() {
    constexpr const char* text = Op::gradient_texts[k];
    if constexpr (!takes<T>(Op::domain) || text == nullptr || k >= input_count<Op>) {
      return nullptr;
    } else if constexpr (same_text(text, "none")) {
      return nullptr;
    } else if constexpr (Op::attributes.is_rare || is_complex_number<T>) {
      return &v2::gradient_kernel<Baseline, k, T>;
    } else {
      return &gradient_kernel<Op, k, T>;
    }
  }
  template <int k>
  static constexpr void fill_gradient(OpKernels& kernels) {
    kernels.gradient[k][int(Compute::F32)] = gradient<k, float>();
    kernels.gradient[k][int(Compute::F64)] = gradient<k, double>();
    kernels.gradient[k][int(Compute::C64)] = gradient<k, Complex<float>>();
    kernels.gradient[k][int(Compute::C128)] = gradient<k, Complex<double>>();
  }
  static constexpr OpKernels all() {
    OpKernels kernels{condition_of<Op>(),
                      Op::is_test,
                      std::string_view(Op::value_text).find('(') == std::string_view::npos,
                      Op::attributes.of_truth,
                      {forward<float>(), forward<double>(), forward<int64_t>(), forward<Complex<float>>(),
                       forward<Complex<double>>()},
                      {narrow<uint8_t>(), narrow<int8_t>(), narrow<int16_t>(), narrow<int32_t>()},
                      {}};
    fill_gradient<0>(kernels);
    fill_gradient<1>(kernels);
    fill_gradient<2>(kernels);
    return kernels;
  }
};

#define OP(name, ...) KernelsOf<name##_op, v2::name##_op>::all(),
#define TEST(name, ...) KernelsOf<name##_op, v2::name##_op>::all(),
constinit const OpKernels elementwise_kernels[] = {
#include "ops/elementwise/elementwise.def"
};
#undef OP
#undef TEST
#undef ALIAS

}  // namespace chainrule::cpu::CR_ISA
