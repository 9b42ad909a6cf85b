// Broadcasting of shapes and promotion of dtypes, each in one place.
#pragma once
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// An argument of an elementwise op: a tensor, borrowed, or a Python number.
struct Operand {
  TensorObject* tensor = nullptr;
  Scalar scalar;

  Operand() = default;
  Operand(const Tensor& t) : tensor(t.get()) {}  // NOLINT: a tensor is an operand
  Operand(const Scalar& s) : scalar(s) {}        // NOLINT: so is a number
  Operand(double v) : scalar(v) {}               // NOLINT
};

// The dtype of a calculation with these operands: tensors with dimensions decide, then 0-d tensors, then numbers, each
// later group only by category (bool < integer < float < complex).
DType result_type(std::span<const Operand> operands);

// The common shape; raises and names both shapes and the dimension where they clash.
Dims broadcast_shapes(Span a, Span b, const char* op);
// Strides of `t` as if it had `sizes`: 0 along broadcast dimensions.
Dims broadcast_strides(const TensorObject* t, Span sizes);

}  // namespace chainrule
