// What all reductions share: which dimensions, which shape, and the way to the kernels.
#include "ops/reduce/reduction.hpp"

#include <string_view>

#include "ops/views/view.hpp"

namespace chainrule {
namespace {

uint64_t lowest_bits(int n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

}  // namespace

uint64_t reduced_dims(const Dims& dims, int ndim) {
  if (dims.empty()) return lowest_bits(ndim);
  uint64_t result = 0;
  for (int64_t d : dims) {
    int i = wrap_dim(d, ndim);
    if (result >> i & 1) raise(PyExc_RuntimeError, "dim ", i, " appears multiple times in the list of dims");
    result |= uint64_t{1} << i;
  }
  return result & lowest_bits(ndim);  // a 0-d tensor may be reduced over a dimension 0 that it does not have
}

Dims reduced_sizes(Span sizes, uint64_t reduced, bool keepdim) {
  Dims result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!(reduced >> i & 1))
      result.push_back(sizes[i]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

Tensor restore_dims(const Tensor& t, Span input_sizes, uint64_t reduced, bool keepdim) {
  if (keepdim || t.ndim() == static_cast<int>(input_sizes.size()) || t.ndim() == 0)
    return t;  // 0-d broadcasts as it is
  return reshape(t, reduced_sizes(input_sizes, reduced, true));
}

int64_t ReducedShape::folded() const {
  int64_t n = 1;
  for (int i = 0; i < sizes.size(); ++i) n *= reduced >> i & 1 ? sizes[i] : 1;
  return n;
}

Dims ReducedShape::dims() const {
  Dims result;
  for (int i = 0; i < sizes.size(); ++i) {
    if (reduced >> i & 1) result.push_back(i);
  }
  return result;
}

void show_reduction(Kept& kept, const Node* n, const ReducedShape& s) {
  if (!n->saved_count) kept.add("self_sym_sizes", s.sizes);  // PyTorch keeps the shape where it does not keep self
  // sum() and mean() of everything are overloads without dim.
  std::string_view name = n->op->node_name;
  if (name != "SumBackward0" && name != "MeanBackward0") kept.add("dim", s.dims(), "keepdim", s.keepdim);
}

// What PyTorch calls the kernel that it lacks.
const char* kernel_of(ReduceOp f) {
  switch (f) {
    case ReduceOp::Prod:
      return "prod_out_cpu";
    case ReduceOp::Max:
      return "max_values_cpu";
    case ReduceOp::Min:
      return "min_values_cpu";
    case ReduceOp::ArgMax:
      return "argmax_cpu";
    case ReduceOp::ArgMin:
      return "argmin_cpu";
    default:
      return f == ReduceOp::Variance ? "std_cpu" : "sum_cpu";
  }
}

Tensor run_reduction(ReduceOp f, const Tensor& x, uint64_t reduced, bool keepdim, const ReductionOptions& o) {
  if (is_stored_only(o.as)) refuse_limited(kernel_of(f), o.as);
  // As int64 these would be in the wrong order.
  if (is_limited(o.as) && f >= ReduceOp::Max && f <= ReduceOp::ArgMin)
    refuse_limited(f == ReduceOp::Min || f == ReduceOp::ArgMin ? "min_values_cpu" : "max_values_cpu", o.as);
  reduced &= lowest_bits(x.ndim());
  Dims sizes = reduced_sizes(x.sizes(), reduced, keepdim);
  Tensor out = empty(sizes, o.out);
  if (o.second) *o.second = empty(sizes, f == ReduceOp::Variance ? o.out : DType::Int64);
  backend().reduce->reduce.unlocked(work_on(x.numel(), 8),
                                    {f, x->data, x.dtype(), o.as, x.sizes(), x.strides(), x.is_contiguous(), reduced,
                                     out->data, o.out, o.divisor, o.second ? (*o.second)->data : nullptr});
  return out;
}

void check_autograd_dtype(const Tensor& x, DType dtype) {
  if (is_differentiable(dtype) || !grad_enabled() || !requires_grad(x)) return;
  raise(PyExc_RuntimeError, "Autograd not support dtype: ", facts(dtype).tensor_name);
}

}  // namespace chainrule
