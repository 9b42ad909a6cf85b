// Running the table's kernels: directly over contiguous arrays, or through the tile loop over anything else.
#pragma once
#include <algorithm>

#include "backends/cpu/elementwise.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/tile_loop.hpp"
#include "ops/promotion.hpp"
#include "ops/table.hpp"
#include "tensor/thresholds.hpp"

namespace chainrule {

using cpu::Compute;
using cpu::ElementwiseKernel;
inline constexpr int64_t kSweepGrain = 32 * 1024;  // elements of work for one thread

inline Compute compute_of(DType t) {
  switch (t) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return Compute::F32;
    case DType::Float64:
      return Compute::F64;
    case DType::Complex64:
      return Compute::C64;
    case DType::Complex128:
      return Compute::C128;
    default:
      return Compute::I64;
  }
}
inline constexpr DType kComputeDType[] = {DType::Float32, DType::Float64, DType::Int64, DType::Complex64,
                                          DType::Complex128};

inline const cpu::OpKernels* const all_kernels = CR_DISPATCH(elementwise_kernels);
inline const cpu::OpKernels& kernels_of(const OpRecord& op) { return all_kernels[static_cast<int>(op.id)]; }

// In PyTorch's words.
[[noreturn]] void raise_unsupported(const OpRecord& op, DType t);

// An operand as a lane of the tile loop; a number becomes one value that is repeated.
struct Numbers {
  alignas(16) char bytes[kMaxInputs + 2][16];
};
inline cpu::TileOperand lane(const Operand& o, DType wanted, Span sizes, char* number) {
  if (o.tensor) return {o.tensor->data, o.tensor->dtype, wanted, broadcast_strides(o.tensor, sizes)};
  store(o.scalar, wanted, number);
  return {number, wanted, wanted, Dims(static_cast<int>(sizes.size()))};
}

inline cpu::TileOperand output_lane(const Tensor& out, DType wanted) {
  return {out->data, out.dtype(), wanted, Dims(out.strides())};
}

inline constexpr int64_t kWrittenOut = 64;  // up to here a number is written out in full instead of running tiles

// Whether a kernel that runs over `g` can run over `t` beside it.
inline bool matches(const TensorObject* t, const TensorObject* g) {
  return t->has(kContiguous) && t->dtype == g->dtype && t->numel == g->numel &&
         equal({t->sizes(), t->ndim}, {g->sizes(), g->ndim});
}

template <class T>
const void* repeated(double value, char* buffer, int64_t n) {
  auto* values = reinterpret_cast<T*>(buffer);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(value);
  return values;
}

// A kernel over contiguous arrays, cut into chunks.
struct Sweep {
  ElementwiseKernel kernel;
  const void* const* in;
  int count;     // of pointers in `in`; null ones are not read
  int64_t item;  // bytes of an input's element
  const double* parameters;
  bool may_stream = false;  // pays when arithmetic is so cheap that memory decides

  void at(void* out, int64_t begin, int64_t n) const {
    const void* shifted[kMaxInputs + 2];
    for (int i = 0; i < count; ++i) shifted[i] = in[i] ? static_cast<const char*>(in[i]) + begin * item : nullptr;
    kernel(out, shifted, n, parameters);
  }
  // Calls use(tile, begin, n) for results made in the first-level cache.
  template <class F>
  void tiles(int64_t begin, int64_t end, int64_t out_item, F use) const {
    alignas(64) char tile[cpu::kStreamTile];
    for (int64_t step = cpu::kStreamTile / out_item; begin < end; begin += step) {
      int64_t n = std::min(step, end - begin);
      at(tile, begin, n);
      use(tile, begin, n);
    }
  }
};

// Writes the kernel's results to `out`, contiguous, on all threads.
void run_parallel(const Sweep& s, const Tensor& out);
// sum += result, without the result ever being in memory.
void accumulate_parallel(const Sweep& s, const Tensor& sum, Compute compute);

}  // namespace chainrule
