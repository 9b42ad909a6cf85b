// The CPU's kernels of the table's lines, for tensors so small that a chain would take longer to describe than to run.
#pragma once
#include <cstdint>

#include "backends/op_id.hpp"
#include "tensor/dtype.hpp"
#include "tensor/recorder.hpp"

namespace chainrule {

// out[i] = f(in[0][i], ...) over n contiguous elements of one floating dtype; `out` may be an input, not overlap it.
// The pointers are those of a ChainStep's operands; null where the line's text does not name one.
using LineKernel = void (*)(void* out, const void* const* in, int64_t n, const double* parameters);

// By line, of float32 and float64; null where a line has none.
struct LineKernels {
  LineKernel value[2], gradient[kMaxInputs][2];
};
extern const LineKernels* const line_kernels;
inline const LineKernels& line_kernels_of(OpId id) { return line_kernels[static_cast<int>(id)]; }
inline bool has_line_kernels(DType t) { return t == DType::Float32 || t == DType::Float64; }
inline int line_kernel_index(DType t) { return t == DType::Float64; }

struct LineCall {
  OpId op;
  DType dtype;
  void* out;
  const void* const* in;
  int64_t n;
  const double* parameters;
  int operands;         // of `in`, with those that are not read
  uint8_t numbers = 0;  // bit i: in[i] is a row on the stack
};
void record_line(LineKernel kernel, const LineCall& call);

inline void run_line(LineKernel kernel, const LineCall& call) {
  kernel(call.out, call.in, call.n, call.parameters);
  if (recorder) [[unlikely]]
    record_line(kernel, call);
}

// A number as the row of n elements that a kernel reads.
struct WrittenNumber {
  static constexpr int64_t kMost = 64;  // a longer row is a chain's work
  alignas(64) char bytes[kMost * 8];

  const void* write(double value, DType dtype, int64_t n) {
    return dtype == DType::Float32 ? fill<float>(value, n) : fill<double>(value, n);
  }

 private:
  template <class T>
  const void* fill(double value, int64_t n) {
    auto* row = reinterpret_cast<T*>(bytes);
    for (int64_t i = 0; i < n; ++i) row[i] = static_cast<T>(value);
    return row;
  }
};

}  // namespace chainrule
