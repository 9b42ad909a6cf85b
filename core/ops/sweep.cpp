// Running the table's kernels over large arrays.
#include "ops/sweep.hpp"

#include "backends/cpu/thread_pool.hpp"
#include "ops/accumulate.hpp"
#include "ops/elementwise.hpp"

namespace chainrule {
namespace {

bool reads(const Sweep& s, const void* data) { return std::find(s.in, s.in + s.count, data) != s.in + s.count; }

}  // namespace

void run_parallel(const Sweep& s, const Tensor& out) {
  auto item = static_cast<int64_t>(size_of(out.dtype()));
  bool stream = s.may_stream && out.numel() * item >= thresholds.stream &&
                reinterpret_cast<uintptr_t>(out->data) % 64 == 0 && !reads(s, out->data);
  cpu::parallel_for(out.numel(), kSweepGrain, [&](int64_t begin, int64_t end) {
    if (!stream) return s.at(out->data + begin * item, begin, end - begin);
    s.tiles(begin, end, item, [&](const char* tile, int64_t at, int64_t n) {
      CR_DISPATCH(stream_copy)(out->data + at * item, tile, n * item);
    });
    CR_DISPATCH(stream_fence)();
  });
}

void accumulate_parallel(const Sweep& s, const Tensor& sum, Compute compute) {
  ElementwiseKernel add = all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(compute)];
  auto item = static_cast<int64_t>(size_of(sum.dtype()));
  cpu::parallel_for(sum.numel(), kSweepGrain, [&](int64_t begin, int64_t end) {
    s.tiles(begin, end, item, [&](const char* tile, int64_t at, int64_t n) {
      char* target = sum->data + at * item;
      const void* both[2] = {target, tile};
      add(target, both, n, nullptr);
    });
  });
}

void (*add_kernel(DType dtype))(void*, const void* const*, int64_t, const double*) {
  if (dtype != DType::Float32 && dtype != DType::Float64) return nullptr;
  return all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(compute_of(dtype))];
}

bool add_in_memory(const Tensor& target, const Tensor& source) {
  bool single = target.dtype() == DType::Float32;
  if ((!single && target.dtype() != DType::Float64) || !target.is_contiguous() || !matches(source.get(), target.get()))
    return false;
  ElementwiseKernel kernel =
      all_kernels[static_cast<int>(OpId::add)].forward[static_cast<int>(single ? Compute::F32 : Compute::F64)];
  const void* pointers[2] = {target->data, source->data};
  if (target.numel() <= thresholds.sweep)
    kernel(target->data, pointers, target.numel(), nullptr);
  else
    run_parallel({kernel, pointers, 2, single ? 4 : 8, nullptr}, target);
  return true;
}

}  // namespace chainrule
