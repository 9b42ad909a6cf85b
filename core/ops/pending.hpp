// Large elementwise operations that wait, so that a run of them can be calculated tile by tile in one pass.
#pragma once
#include "ops/promotion.hpp"
#include "ops/table.hpp"

namespace chainrule {

// Note [Pending operations]
// An elementwise operation on millions of elements is bound by memory, and in a chain of them each reads back what the
// one before has just written. So a large one that a user calls (an operator, or a function of the table) is recorded
// in the graph as always, but its calculation waits. The next one joins it, as long as it has the same shape and dtype.
// Whatever else is called settles them first: they run over a tile of a thousand elements after another, with the
// values between them in the cache, and a result that nobody can see any more is never written to memory.
//
// Nothing else has to know. Every other way into the core settles what is pending before it does anything (guarded, in
// the bindings), so code below the bindings never meets a tensor without its content. Memory that others can write
// (NumPy arrays, exported buffers) takes no part. Results are equal to the bit: each element goes through the same
// kernels in the same order.

extern int pending_count;
void run_pending();
inline void settle() {
  if (pending_count) [[unlikely]]
    run_pending();
}

inline constexpr int64_t kPendingSmallest = 256 * 1024;  // elements; smaller tensors stay in the caches anyway

// The result of an operation that waits; a null handle if it has to be calculated at once.
Tensor defer(const OpRecord& op, std::span<const Operand> in, const double* parameters);

}  // namespace chainrule
