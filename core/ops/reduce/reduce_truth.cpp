// Whether any or all elements are true.
#include "ops/reduce/reduction.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

// uint8 is the one dtype that keeps itself, from the time before bool existed.
Tensor truth(ReduceOp f, const Tensor& x, uint64_t reduced, bool keepdim) {
  DType out = x.dtype() == DType::UInt8 ? DType::UInt8 : DType::Bool;
  return run_reduction(f, x, reduced, keepdim, {DType::Bool, out});
}

uint64_t listed_dims(const Dims& dims, int ndim) { return dims.empty() ? 0 : reduced_dims(dims, ndim); }

}  // namespace

Tensor any(const Tensor& x, const Dims& dims, bool keepdim) {
  return truth(ReduceOp::Max, x, reduced_dims(dims, x.ndim()), keepdim);
}
Tensor all(const Tensor& x, const Dims& dims, bool keepdim) {
  return truth(ReduceOp::Min, x, reduced_dims(dims, x.ndim()), keepdim);
}
Tensor any_dims(const Tensor& x, const Dims& dims, bool keepdim) {
  return truth(ReduceOp::Max, x, listed_dims(dims, x.ndim()), keepdim);
}
Tensor all_dims(const Tensor& x, const Dims& dims, bool keepdim) {
  return truth(ReduceOp::Min, x, listed_dims(dims, x.ndim()), keepdim);
}

}  // namespace chainrule
