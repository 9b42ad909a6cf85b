// Rows that are added to others, rounded once.
#include "backends/cpu/embedding.hpp"

namespace chainrule::cpu::CR_ISA {
namespace number {
#include "backends/cpu/scalar/number.hpp"
}  // namespace number

namespace {

template <class T>
void add_row(const T* row, T factor, T* to, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = number::fma(factor, row[i], to[i]);
}

}  // namespace

void add_float_row(const float* row, float factor, float* to, int64_t n) { add_row(row, factor, to, n); }
void add_double_row(const double* row, double factor, double* to, int64_t n) { add_row(row, factor, to, n); }

}  // namespace chainrule::cpu::CR_ISA
