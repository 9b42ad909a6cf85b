// What the factors of a product must satisfy, and what is said when they do not.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

// Element types as PyTorch's messages spell them where they show the C++ type.
const char* element_name(DType t);

[[noreturn]] void raise_not_matrix(const char* argument, const char* op, const Tensor& t);
[[noreturn]] void raise_inner_mismatch(const Tensor& a, const Tensor& b, int64_t rows, int64_t columns);
[[noreturn]] void raise_batch_mismatch(int64_t batch, int64_t k, int64_t rows, const Tensor& a, const Tensor& b);
[[noreturn]] void raise_dtypes(const Tensor& a, const Tensor& b);
[[noreturn]] void raise_factor_dtypes(const Tensor& a, const Tensor& b);  // of products that something is added to

// rows(a) @ (rows, columns); `b` is the tensor that the second matrix was taken from.
inline void check_inner(const Tensor& a, const Tensor& b, int64_t rows, int64_t columns) {
  if (a.size(a.ndim() - 1) != rows) [[unlikely]]
    raise_inner_mismatch(a, b, rows, columns);
}
inline void check_same_dtype(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) [[unlikely]]
    raise_dtypes(a, b);
}
void check_same_batch_dtype(const Tensor& a, const Tensor& b);
// The sizes and dtypes of rows(a) @ vector.
void check_matrix_vector(const Tensor& a, const Tensor& vector);
// Two vectors of equal length and dtype.
void check_vectors(const Tensor& a, const Tensor& b);
// (batch, m, k) and (batch, k, n).
void check_batches(const Tensor& a, const Tensor& b);

}  // namespace chainrule
