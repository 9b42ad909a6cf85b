// The preprocessor pieces that take a line of elementwise.def apart: its inputs, parameters and gradients.
#pragma once

// CR_EACH(f, (a, b, c)) is f(a), f(b), f(c), for one to three names.
#define CR_EACH(f, list) CR_EACH_EXPANDED(f, CR_WITHOUT_PARENTHESES list)
#define CR_WITHOUT_PARENTHESES(...) __VA_ARGS__
#define CR_EACH_EXPANDED(f, ...) CR_EACH_COUNTED(__VA_ARGS__, CR_EACH_3, CR_EACH_2, CR_EACH_1)(f, __VA_ARGS__)
#define CR_EACH_COUNTED(_1, _2, _3, name, ...) name
#define CR_EACH_1(f, a) f(a)
#define CR_EACH_2(f, a, b) f(a), f(b)
#define CR_EACH_3(f, a, b, c) f(a), f(b), f(c)

// CR_PAIRS(f, name, default, ...) is f(name, default) f(...), for one to four parameters.
#define CR_PAIRS(f, ...) \
  CR_PAIRS_COUNTED(__VA_ARGS__, CR_PAIRS_4, , CR_PAIRS_3, , CR_PAIRS_2, , CR_PAIRS_1, )(f, __VA_ARGS__)
#define CR_PAIRS_COUNTED(_1, _2, _3, _4, _5, _6, _7, _8, name, ...) name
#define CR_PAIRS_1(f, n, d) f(n, d)
#define CR_PAIRS_2(f, n, d, ...) f(n, d) CR_PAIRS_1(f, __VA_ARGS__)
#define CR_PAIRS_3(f, n, d, ...) f(n, d) CR_PAIRS_2(f, __VA_ARGS__)
#define CR_PAIRS_4(f, n, d, ...) f(n, d) CR_PAIRS_3(f, __VA_ARGS__)

// CR_DECLARE_ ## parameters: `, T name` for each parameter of a line. CR_COUNT_ ## parameters: `+ 1` for each.
// CR_NAMES_ ## parameters: `"name",` for each.
#define CR_DECLARE_NONE
#define CR_DECLARE_POSITIONAL(...) CR_PAIRS(CR_DECLARE_PARAMETER, __VA_ARGS__)
#define CR_DECLARE_KEYWORD(...) CR_PAIRS(CR_DECLARE_PARAMETER, __VA_ARGS__)
#define CR_DECLARE_PARAMETER(name, default_value) , [[maybe_unused]] T name
#define CR_COUNT_NONE
#define CR_COUNT_POSITIONAL(...) CR_PAIRS(CR_COUNT_PARAMETER, __VA_ARGS__)
#define CR_COUNT_KEYWORD(...) CR_PAIRS(CR_COUNT_PARAMETER, __VA_ARGS__)
#define CR_COUNT_PARAMETER(name, default_value) +1
#define CR_NAMES_NONE
#define CR_NAMES_POSITIONAL(...) CR_PAIRS(CR_NAME_PARAMETER, __VA_ARGS__)
#define CR_NAMES_KEYWORD(...) CR_PAIRS(CR_NAME_PARAMETER, __VA_ARGS__)
#define CR_NAME_PARAMETER(name, default_value) #name,

#define CR_TEXT(name) #name
// The texts of a line's gradients; none for `()`.
#define CR_GRADIENT_TEXTS(gradients) CR_GRADIENT_TEXTS_EXPANDED gradients
#define CR_GRADIENT_TEXTS_EXPANDED(...) __VA_OPT__(CR_EACH(CR_TEXT, (__VA_ARGS__)))

// The body of a function `template <int k, class T> T gradient(...)`.
#define CR_RETURN_GRADIENT(gradients) CR_RETURN_GRADIENT_EXPANDED gradients
#define CR_RETURN_GRADIENT_EXPANDED(...) __VA_OPT__(CR_RETURN_GRADIENT_SOME(__VA_ARGS__))
#define CR_RETURN_GRADIENT_SOME(...) \
  CR_EACH_COUNTED(__VA_ARGS__, CR_RETURN_GRADIENT_3, CR_RETURN_GRADIENT_2, CR_RETURN_GRADIENT_1)(__VA_ARGS__)
#define CR_RETURN_GRADIENT_1(a) return a;
#define CR_RETURN_GRADIENT_2(a, b) \
  if constexpr (k == 0) {          \
    return a;                      \
  }                                \
  if constexpr (k == 1) {          \
    return b;                      \
  }
#define CR_RETURN_GRADIENT_3(a, b, c) \
  if constexpr (k == 0) {             \
    return a;                         \
  }                                   \
  if constexpr (k == 1) {             \
    return b;                         \
  }                                   \
  if constexpr (k == 2) {             \
    return c;                         \
  }

namespace chainrule {

// Which dtypes a line takes; see the head of elementwise.def.
enum class Domain : unsigned char {
  ANY,
  NUMERIC,
  REAL,
  NUMBER,
  INTEGER,
  WHOLE,
  FLOAT,
  REALFLOAT,
  WIDEFLOAT,
  INEXACT,
  FLOATING
};
inline constexpr const char* kDomainNames[] = {"ANY",   "NUMERIC",   "REAL",      "NUMBER",  "INTEGER", "WHOLE",
                                               "FLOAT", "REALFLOAT", "WIDEFLOAT", "INEXACT", "FLOATING"};
// Bool and integers are converted to the default floating dtype first.
constexpr bool promotes(Domain d) { return d == Domain::FLOAT || d == Domain::REALFLOAT || d == Domain::WIDEFLOAT; }
constexpr bool takes_integers(Domain d) { return d <= Domain::WHOLE; }
constexpr bool takes_floating(Domain d) { return d != Domain::INTEGER && d != Domain::WHOLE; }
constexpr bool takes_complex(Domain d) {
  return d == Domain::ANY || d == Domain::NUMERIC || d == Domain::FLOAT || d == Domain::INEXACT;
}
constexpr bool takes_bool(Domain d) {
  return promotes(d) || d == Domain::ANY || d == Domain::REAL || d == Domain::INTEGER;
}

constexpr bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// Whether a formula's text mentions `name` as a whole word.
constexpr bool names_in(const char* text, const char* name) {
  auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (const char* at = text; *at;) {
    if (!in_word(*at)) {
      ++at;
      continue;
    }
    const char *c = at, *n = name;
    while (*n && *c == *n) ++c, ++n;
    if (!*n && !in_word(*c)) return true;
    while (in_word(*at)) ++at;
  }
  return false;
}
static_assert(names_in("g * cos(x)", "x") && !names_in("g * exp(b)", "x") && !names_in("g", "y"));

}  // namespace chainrule
