// Fourier transforms along the middle dimension of contiguous (outer, n, inner) arrays.
#pragma once
#include <cstdint>

#include "tensor/dtype.hpp"

namespace chainrule::cpu {

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

// Results are multiplied by `scale`; dtype is that of the real numbers or of the parts, float32 or float64. A complex
// transform may write over its input.
void fft(Fft kind, DType dtype, const void* x, void* out, const FftShape& shape, double scale);

}  // namespace chainrule::cpu
