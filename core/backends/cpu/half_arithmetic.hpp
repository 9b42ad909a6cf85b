// Operations that are halves' own: nextafter, whose neighbours are halves, and quotients that are rounded step by step.
#pragma once
#include <cmath>

#include "backends/cpu/elementwise.hpp"
#include "tensor/half.hpp"

namespace chainrule::cpu {

// nextafter of a half, which has other neighbours than the float that it is calculated in.
template <class H>
float half_neighbour(float from, float towards) {
  if (from == towards) return towards;
  if (from != from || towards != towards) return from + towards;
  H x(from);
  bool away = (from < towards) == (from > 0);
  if (from == 0)
    x.bits = towards < 0 ? 0x8001 : 1;
  else
    x.bits = static_cast<uint16_t>(away ? x.bits + 1 : x.bits - 1);
  return x;
}

// As PyTorch, whose quotient of two tensors of halves is one before it is cut off.
template <class H>
float half_div_trunc(float a, float b) {
  return std::trunc(H(a / b));
}

// div_floor of scalar/integer.hpp, with a half after every step.
template <class H>
float half_div_floor(float a, float b) {
  if (b == 0) return a / b;
  float rest = std::fmod(a, b), quotient = H(H(a - rest) / b);
  if (rest != 0 && (rest < 0) != (b < 0)) quotient = H(quotient - 1);
  if (quotient == 0) return std::copysign(0.0f, a / b);
  float floored = std::floor(quotient);
  return H(quotient - floored) > 0.5f ? H(floored + 1) : H(floored);
}

template <float (*f)(float, float)>
void half_kernel(void* out, const void* const* in, int64_t n, const double*) {
  auto *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = f(a[i], b[i]);
}

struct HalfKernels {
  ElementwiseKernel nextafter, div_trunc, div_floor;
};
template <class H>
inline constexpr HalfKernels kHalfKernels = {half_kernel<half_neighbour<H>>, half_kernel<half_div_trunc<H>>,
                                             half_kernel<half_div_floor<H>>};
inline const HalfKernels& half_kernels(DType t) {
  return t == DType::Float16 ? kHalfKernels<Half> : kHalfKernels<BFloat16>;
}

}  // namespace chainrule::cpu
