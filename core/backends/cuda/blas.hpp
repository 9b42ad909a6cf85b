// cuBLASLt as far as it is used, declared by hand and opened at the first product.
#pragma once
#include <cstdint>

#include "tensor/complex.hpp"
#include "tensor/dtype.hpp"

namespace chainrule::cuda {

// A matrix as the library sees it: columns follow each other, `lead` elements apart; `turned`: its transpose is meant.
struct BlasMatrix {
  const void* data;
  int64_t lead;
  bool turned;
  int64_t batch_step;  // from one matrix of a batch to the next
};

// out (rows, columns), in the library's order: out = alpha * a @ b + beta * out + bias, the bias a number per row.
struct BlasProduct {
  int64_t rows, columns, depth, batch;
  DType factors, out_dtype;
  BlasMatrix a, b;
  void* out;
  int64_t out_lead, out_batch_step;
  Complex<double> alpha, beta;
  const void* bias = nullptr;
};

// False where the library has no way of doing it.
bool blas_product(const BlasProduct& p);

// torch.backends.cuda.matmul: whether factors may lose digits for speed.
struct BlasPrecision {
  bool tf32 = false;
};
extern BlasPrecision blas_precision;

}  // namespace chainrule::cuda
