// cuFFT as far as it is used, declared by hand and opened at the first transform.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::cuda {

// `batch` transforms of length n. Numbers of one are `stride` apart, and the transforms `distance`; both in numbers,
// real or complex ones.
struct FftLines {
  int64_t stride, distance;
};
enum class FftDirection : int64_t { Forward, Backward, FromReal, ToReal };
struct CufftTransform {
  FftDirection direction;
  DType dtype;  // of the parts
  int64_t n, batch;
  FftLines from, to;
  void *x, *out;  // x is overwritten where the result is real
};

// False where the library is not there or has no way of doing it.
bool cufft_transform(const CufftTransform& t);

}  // namespace chainrule::cuda
