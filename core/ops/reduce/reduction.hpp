// What all reductions share: running a fold over some dimensions of a tensor, and recording it.
#pragma once
#include "autograd/record.hpp"
#include "backends/reduce.hpp"
#include "ops/reduce/reduce.hpp"

namespace chainrule {

struct ReductionOptions {
  DType as;   // elements are converted to this first
  DType out;  // dtype of the result
  double divisor = 1;
  Tensor* second = nullptr;  // receives the indices of ArgMax and ArgMin or the mean of Variance
};
// Not recorded.
Tensor run_reduction(ReduceOp f, const Tensor& x, uint64_t reduced, bool keepdim, const ReductionOptions& options);

// What a reduction's gradient must know of its input.
struct ReducedShape {
  uint64_t reduced;
  const Dims& sizes;
  bool keepdim;
  int64_t folded() const;  // how many elements became one
  Dims dims() const;       // the reduced dimensions, in order
  // The tensor with the reduced dimensions back as size 1.
  Tensor restore(const Tensor& t) const { return restore_dims(t, sizes, reduced, keepdim); }
};

void show_reduction(Kept& kept, const Node* n, const ReducedShape& s);

// Calls a reduction's gradient, or shows what it keeps: shape and dimensions, then its own values.
template <class F>
void run_reduction(const F& gradient, Backward& b, const ReducedShape& s, Kept* kept) {
  if (kept) show_reduction(*kept, b.node(), s);
  if constexpr (std::is_invocable_v<const F&, Backward&, const ReducedShape&, Kept*>)
    gradient(b, s, kept);
  else if (!kept)
    gradient(b, s);
}

// record() for a reduction; gradient(Backward&, const ReducedShape&) captures nothing larger than a number. It may take
// a Kept* besides, see autograd/kept.hpp.
template <class F>
Tensor record_reduction(OpInfo& op, Tensor out, const Tensor& x, uint64_t reduced, bool keepdim,
                        std::initializer_list<const Tensor*> saved, F gradient) {
  constexpr int kShort = 5;  // a shape this long still fits into the node
  if (x.ndim() > kShort) {
    return record(op, std::move(out), {&x}, saved, [=, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
      run_reduction(gradient, b, ReducedShape{reduced, sizes, keepdim}, kept);
    });
  }
  struct Short {
    int64_t sizes[kShort];
    uint32_t reduced;
    uint8_t ndim;
    bool keepdim;
  } shape{{}, static_cast<uint32_t>(reduced), static_cast<uint8_t>(x.ndim()), keepdim};
  std::copy(x.sizes().begin(), x.sizes().end(), shape.sizes);
  return record(op, std::move(out), {&x}, saved, [=](Backward& b, Kept* kept) {
    Dims sizes(Span(shape.sizes, shape.ndim));
    run_reduction(gradient, b, ReducedShape{shape.reduced, sizes, shape.keepdim}, kept);
  });
}

// Refuses a differentiable call whose result could not carry a gradient.
void check_autograd_dtype(const Tensor& x, DType dtype);

}  // namespace chainrule
