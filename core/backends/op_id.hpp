// The lines of the table of elementwise operations, by number.
#pragma once
#include <cstdint>

namespace chainrule {

enum class OpId : uint16_t {
#define OP(name, ...) name,
#define TEST(name, ...) name,
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
  kCount
};
inline constexpr int kOpCount = static_cast<int>(OpId::kCount);
inline constexpr int kMaxInputs = 3, kMaxParameters = 4;

// How many parameters a line has: pairs of name and default, separated by commas.
constexpr int parameter_count(OpId op) {
  constexpr const char* texts[] = {
#define OP(name, inputs, domain, parameters, ...) #parameters,
#define TEST(...) "NONE",
#define ALIAS(...)
#include "ops/elementwise/elementwise.def"
#undef OP
#undef TEST
#undef ALIAS
  };
  int commas = 0;
  for (const char* c = texts[static_cast<int>(op)]; *c; ++c) commas += *c == ',';
  return (commas + 1) / 2;
}

}  // namespace chainrule
