// Unsigned numbers that no kernel knows, as signed ones of the same order; see Note [Limited dtypes].
#pragma once
#include "ops/elementwise/elementwise.hpp"
#include "ops/views/view.hpp"

namespace chainrule {

// The signed dtype of the same size.
inline DType signed_of(DType t) {
  if (is_stored_only(t)) refuse_limited("sort", t);
  return t == DType::UInt16 ? DType::Int16 : t == DType::UInt32 ? DType::Int32 : DType::Int64;
}

// With the first bit flipped, zero is the smallest number.
inline Tensor flip_first_bit(const Tensor& t) {
  int64_t first = static_cast<int64_t>(~uint64_t{0} << (8 * size_of(t.dtype()) - 1));
  return elementwise(OpId::bitwise_xor, {t, Scalar::of_int(first)});
}
inline Tensor as_signed(const Tensor& t) { return flip_first_bit(view_dtype(t, signed_of(t.dtype()))); }
inline Tensor as_unsigned(const Tensor& t, DType dtype) { return view_dtype(flip_first_bit(t), dtype); }

}  // namespace chainrule
