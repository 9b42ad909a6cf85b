// Large elementwise operations, and a product before them, that wait, so that a run of them can be calculated tile by
// tile in one pass.
#pragma once
#include <functional>

#include "backends/matmul.hpp"
#include "ops/elementwise/promotion.hpp"
#include "ops/elementwise/table.hpp"
#include "tensor/python_call.hpp"
#include "tensor/thresholds.hpp"

namespace chainrule {

// Note [Pending operations]
// An elementwise operation on millions of elements is bound by memory, and in a chain of them each reads back what the
// one before has just written. So a large one that a user calls (an operator, or a function of the table) is recorded
// in the graph as always, but its calculation waits. The next one joins it, as long as it has the same shape and dtype.
// Whatever else is called settles them first: they run as one chain (Note [Chains]), with the values between them in
// the caches, and a result that nobody can see any more is never written to memory.
//
// A large product of rows (linear, mm, x @ w) or a convolution waits as well, as the first of the queue: it hands over
// each block of its result as soon as that is complete, and the operations that wait run over it then and there; a row
// that is added to every row may join. So linear, bias and activation are one pass, and what nobody can see of it is
// never written.
//
// Nothing else has to know: Note [Who may see a waiting buffer]. Memory that others can write (NumPy arrays, exported
// buffers) takes no part. Results are equal to the bit: each element goes through the same kernels in the same order.

extern bool may_wait;  // not while somebody watches each call, and may take its time

// The result of an operation that waits; a null handle if it has to be calculated at once.
Tensor defer(const OpRecord& op, std::span<const Operand> in, const double* parameters);
// Writes to `out`, or gives rows of the result to `finish`, block by block, where that is not null.
using MakeBlocks = std::function<void(char* out, const GemmFinish* finish)>;
// Likewise a result that is rows of `width`, made from these factors.
Tensor defer_blocks(Span sizes, DType dtype, int64_t width, std::initializer_list<const Tensor*> factors,
                    MakeBlocks make);
// A quick first look: whether a product of these can be large enough to wait.
inline bool may_be_large(const Tensor& a, const Tensor& b) {
  return static_cast<double>(a.numel()) * static_cast<double>(b.numel()) >= static_cast<double>(thresholds.pending);
}

}  // namespace chainrule
