// What all reductions share: running a fold over some dimensions of a tensor, and recording it.
#pragma once
#include "autograd/record.hpp"
#include "backends/cpu/reduce.hpp"
#include "ops/reduce.hpp"

namespace chainrule {

struct FoldOptions {
  DType as;   // elements are converted to this first
  DType out;  // dtype of the result
  double divisor = 1;
  Tensor* second = nullptr;  // receives the indices of ArgMax and ArgMin or the mean of Spread
};
// Not recorded.
Tensor fold(cpu::Fold f, const Tensor& x, uint64_t reduced, bool keepdim, const FoldOptions& options);

// What a reduction's gradient must know of its input.
struct ReducedShape {
  uint64_t reduced;
  const Dims& sizes;
  bool keepdim;
  int64_t folded() const;  // how many elements became one
  // The tensor with the reduced dimensions back as size 1.
  Tensor restore(const Tensor& t) const { return restore_dims(t, sizes, reduced, keepdim); }
};

// record() for a reduction; gradient(Backward&, const ReducedShape&) captures nothing larger than a number.
template <class F>
Tensor record_reduction(OpInfo& op, Tensor out, const Tensor& x, uint64_t reduced, bool keepdim,
                        std::initializer_list<const Tensor*> saved, F gradient) {
  constexpr int kShort = 5;  // a shape this long still fits into the node
  if (x.ndim() > kShort) {
    return record(op, std::move(out), {&x}, saved,
                  [=, sizes = Dims(x.sizes())](Backward& b) { gradient(b, ReducedShape{reduced, sizes, keepdim}); });
  }
  struct Short {
    int64_t sizes[kShort];
    uint32_t reduced;
    uint8_t ndim;
    bool keepdim;
  } shape{{}, static_cast<uint32_t>(reduced), static_cast<uint8_t>(x.ndim()), keepdim};
  std::copy(x.sizes().begin(), x.sizes().end(), shape.sizes);
  return record(op, std::move(out), {&x}, saved, [=](Backward& b) {
    gradient(b, ReducedShape{shape.reduced, Dims(Span(shape.sizes, shape.ndim)), shape.keepdim});
  });
}

// Refuses a differentiable call whose result could not carry a gradient.
void check_autograd_dtype(const Tensor& x, DType dtype);

}  // namespace chainrule
