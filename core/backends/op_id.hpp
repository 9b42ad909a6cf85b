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

}  // namespace chainrule
