// The gated linear unit and its gradient, one pass over memory each.
#include "backends/cpu/glu.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
//
#include "backends/cpu/scalar/exponential.hpp"
}  // namespace number

namespace {

template <class T>
void forward(const T* a, const T* b, T* y, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * number::sigmoid(b[i]);
}

template <class T>
void backward(const T* g, const T* a, const T* b, T* to_a, T* to_b, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T gate = number::sigmoid(b[i]), passed = g[i] * gate;
    to_a[i] = passed;
    to_b[i] = passed * a[i] * (1 - gate);
  }
}

}  // namespace

constinit const GluLoops<float> glu_float{&forward<float>, &backward<float>};
constinit const GluLoops<double> glu_double{&forward<double>, &backward<double>};

}  // namespace chainrule::cpu::CR_ISA
