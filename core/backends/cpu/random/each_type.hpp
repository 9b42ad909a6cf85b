// The element types that the random functions are instantiated for, by category.
#pragma once
#include <cstdint>

#include "tensor/half.hpp"

#define CR_EACH_FLOAT(F) F(float) F(double) F(::chainrule::Half) F(::chainrule::BFloat16)
#define CR_EACH_INTEGER(F) F(uint8_t) F(int8_t) F(int16_t) F(int32_t) F(int64_t)
