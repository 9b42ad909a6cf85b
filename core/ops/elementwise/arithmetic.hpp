// Tensors in formulas: arithmetic with history, written as arithmetic.
#pragma once
#include "ops/elementwise/elementwise.hpp"

namespace chainrule {

inline Tensor operator+(const Operand& a, const Operand& b) { return elementwise(OpId::add, {a, b}); }
inline Tensor operator-(const Operand& a, const Operand& b) { return elementwise(OpId::sub, {a, b}); }
inline Tensor operator*(const Operand& a, const Operand& b) { return elementwise(OpId::mul, {a, b}); }
inline Tensor mul(const Operand& a, const Operand& b) { return a * b; }
inline Tensor operator/(const Operand& a, const Operand& b) { return elementwise(OpId::div, {a, b}); }
inline Tensor operator-(const Tensor& a) { return elementwise(OpId::neg, {a}); }

}  // namespace chainrule
