// Numbers at equal steps, in float and double; see backends/cpu/range.hpp.
#include "backends/cpu/range.hpp"

namespace chainrule::cpu::CR_ISA {
namespace {

float fused_step(float first, float step, int64_t i) { return __builtin_fmaf(step, static_cast<float>(i), first); }
double fused_step(double first, double step, int64_t i) { return __builtin_fma(step, static_cast<double>(i), first); }

template <class T>
void arange_elements(T* out, int64_t n, double start, double step) {
  constexpr int64_t lanes = 32 / sizeof(T);
  int64_t paired = n / (2 * lanes) * (2 * lanes);
  for (int64_t i = 0; i < paired; i += lanes) {
    T first = static_cast<T>(fused_step(start, step, i));
    for (int64_t k = 0; k < lanes; ++k) out[i + k] = static_cast<T>(fused_step(static_cast<double>(first), step, k));
  }
  for (int64_t i = paired; i < n; ++i) out[i] = static_cast<T>(fused_step(start, step, i));
}

template <class T>
void linspace_elements(T* out, int64_t n, T first, T last) {
  T step = n > 1 ? (last - first) / static_cast<T>(n - 1) : T(0);
  int64_t middle = n == 1 ? 1 : n / 2;
  for (int64_t i = 0; i < middle; ++i) out[i] = fused_step(first, step, i);
  for (int64_t i = middle; i < n; ++i) out[i] = fused_step(last, -step, n - 1 - i);
}

}  // namespace

void arange_floats(float* out, int64_t n, double start, double step) { arange_elements(out, n, start, step); }
void arange_doubles(double* out, int64_t n, double start, double step) { arange_elements(out, n, start, step); }
void linspace_floats(float* out, int64_t n, float first, float last) { linspace_elements(out, n, first, last); }
void linspace_doubles(double* out, int64_t n, double first, double last) { linspace_elements(out, n, first, last); }

}  // namespace chainrule::cpu::CR_ISA
