// Fourier transforms along the middle dimension of contiguous (outer, n, inner) arrays.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

enum class Fft : uint8_t {
  Forward,       // complex to complex
  Backward,      // the same with the other sign in the exponent
  FromReal,      // n real numbers to the frequencies 0 .. n / 2; the others are their conjugates
  FromRealFull,  // to all n frequencies
  ToReal         // backward from the frequencies 0 .. n / 2 to n real numbers
};

struct FftShape {
  int64_t outer, n, inner;
};

// Results are multiplied by `scale`. A complex transform may write over its input.
struct FourierTransform {
  Fft kind;
  DType dtype;  // of the real numbers or of the parts, float32 or float64
  const void* x;
  void* out;
  FftShape shape;
  double scale;
};

struct FftKernels {
  Kernel<void(const FourierTransform&)> run;
};

}  // namespace chainrule
