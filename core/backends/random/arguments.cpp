// The checks of the random functions' arguments, in PyTorch's order and words.
#include "backends/random/arguments.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "backends/random/integer_bounds.hpp"
#include "backends/random/types.hpp"

namespace chainrule::random {

namespace {

template <class... Parts>
void require(bool ok, const Parts&... parts) {
  if (ok) [[likely]]
    return;
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}

// What the messages call a type, and its range: of integers as integers, of floats as doubles.
template <class T>
struct Named;
#define CR_NAMED(T, element, dtype, low, high)                                           \
  template <>                                                                            \
  struct Named<T> {                                                                      \
    static constexpr const char *kElement = element, *kDType = dtype, *kFixedWidth = #T; \
    static constexpr auto kLowest = low, kLargest = high;                                \
  };
#define CR_NAMED_INTEGER(T, element, dtype) \
  CR_NAMED(T, element, dtype, int64_t(std::numeric_limits<T>::min()), int64_t(std::numeric_limits<T>::max()))
CR_NAMED_INTEGER(bool, "bool", "Bool")
CR_NAMED_INTEGER(uint8_t, "unsigned char", "Byte")
CR_NAMED_INTEGER(int8_t, "signed char", "Char")
CR_NAMED_INTEGER(int16_t, "short int", "Short")
CR_NAMED_INTEGER(int32_t, "int", "Int")
CR_NAMED_INTEGER(int64_t, "long int", "Long")
CR_NAMED(Half, "c10::Half", "Half", -65504.0, 65504.0)
CR_NAMED(BFloat16, "c10::BFloat16", "BFloat16", -0x1.fep127, 0x1.fep127)
CR_NAMED(float, "float", "Float", -0x1.fffffep127, 0x1.fffffep127)
CR_NAMED(double, "double", "Double", -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023)
#undef CR_NAMED
#undef CR_NAMED_INTEGER

template <class T, class V>
void require_in_range(const char* name, V value) {
  using N = Named<T>;
  auto v = decltype(N::kLowest)(value);
  require(v >= N::kLowest && v <= N::kLargest, name, " is out of bounds for ", N::kElement);
}

template <class T>
void check_typed_uniform(double from, double to) {
  require_in_range<T>("from", from);
  require_in_range<T>("to", to);
  require(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  require(to - from <= Named<T>::kLargest, "uniform_ expects to-from <= std::numeric_limits<", Named<T>::kDType,
          ">::max(), but found to=", to, " and from=", from, " which result in to-from to exceed the limit");
}

template <class T>
void check_typed_range(int64_t from, int64_t to) {
  require(from < to, "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", to);
  if constexpr (is_float_type<T>) {
    from = raise_bound<T>(from);
    to = lower_bound<T>(to);
    require(from < to,
            "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=", from,
            " >= to=", to);
  }
  require_in_range<T>("from", from);
  require_in_range<T>("to - 1", to - 1);
}

template <class T>
void check_typed_from(int64_t from) {
  if constexpr (is_float_type<T>) {
    from = raise_bound<T>(from);
    require(
        from < largest<T>(),
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from=",
        from, " > to_inc=", largest<T>());
  }
  require_in_range<T>("from", from);
}

template <class T>
void check_typed_randperm(int64_t n) {
  if constexpr (std::is_same_v<T, Half>)
    require(n <= 2049, "n cannot be greater than 2049 for Half type.");
  else if constexpr (std::is_same_v<T, float>)
    require(n <= (1 << 24) + 1, "n cannot be greater than 2^24+1 for Float type.");
  else if constexpr (std::is_same_v<T, double>)
    require(n <= (int64_t(1) << 53) + 1, "n cannot be greater than 2^53+1 for Double type.");
  else if constexpr (!is_float_type<T>)
    require(n <= 0 || n - 1 <= Named<T>::kLargest, "value cannot be converted to type ", Named<T>::kFixedWidth,
            " without overflow");
}

}  // namespace

void check_uniform(DType dtype, double from, double to) {
  by_float_type(dtype, [&]<class T>(T) { check_typed_uniform<T>(from, to); });
}
void check_random_range(DType dtype, int64_t from, int64_t to) {
  by_type(dtype, [&]<class T>(T) { check_typed_range<T>(from, to); });
}
void check_random_from(DType dtype, int64_t from) {
  by_type(dtype, [&]<class T>(T) { check_typed_from<T>(from); });
}
void check_randperm(DType dtype, int64_t n) {
  by_type(dtype, [&]<class T>(T) { check_typed_randperm<T>(n); });
}

void check_normal(double std) { require(std >= 0, "normal expects std >= 0.0, but found std ", std); }
void check_log_normal(double std) { require(std > 0, "log_normal_ expects std > 0.0, but found std=", std); }
void check_cauchy(double sigma) { require(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma); }
void check_exponential(double lambda) {
  require(lambda > 0, "exponential_ expects lambda > 0.0, but found lambda=", lambda);
}
void check_geometric(double p) { require(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p); }
void check_bernoulli(double p) { require(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p); }
void check_dropout(double p) {
  require(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}
void check_rrelu(double lower, double upper) {
  require(std::isfinite(lower), "rrelu: lower bound must be finite, got ", lower);
  require(std::isfinite(upper), "rrelu: upper bound must be finite, got ", upper);
  require(lower <= upper, "Lower bound should be less than or equal to the upper bound");
}

void check_multinomial(int64_t columns, int64_t samples, bool replacement) {
  require(samples > 0, "cannot sample n_sample <= 0 samples");
  require(replacement || samples <= columns, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  require(columns <= 1 << 24, "number of categories cannot exceed 2^24");
}

}  // namespace chainrule::random
