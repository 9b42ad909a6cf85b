// Windows of a pooling that lie side by side.
#pragma once
#include <cstdint>
#include <span>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// Windows side by side that are all alike: element `tap` of window i in a row is at row + begin + i * stride + tap *
// step.
struct WindowRow {
  std::span<const int64_t> rows;  // where the rows begin in the plane; there is one
  int64_t begin, count, stride, taps, step;
};

}  // namespace chainrule::cpu

// The largest element of each window and where it is in its plane, which has fewer than 2^31 elements.
CR_DECLARE_PER_ISA(void max_windows_float(const WindowRow& w, const float* plane, float* y, int64_t* index))
CR_DECLARE_PER_ISA(void max_windows_double(const WindowRow& w, const double* plane, double* y, int64_t* index))
CR_DECLARE_PER_ISA(void max_windows_int64(const WindowRow& w, const int64_t* plane, int64_t* y, int64_t* index))
