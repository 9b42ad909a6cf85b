// What all reductions share: which dimensions, which shape, and the way to the kernels.
#include "ops/fold.hpp"

#include <bit>
#include <string_view>

#include "ops/view.hpp"

namespace chainrule {
namespace {

constexpr int64_t kSmall = 16 * 1024;  // up to here one call of the kernel does it
constexpr int64_t kSmallKept = 256;

uint64_t lowest_bits(int n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Contiguous, and the reduced dimensions are the last or the first: no loop needed. False: not such a case.
bool fold_small(const cpu::FoldKernels& kernels, const Tensor& x, uint64_t reduced, double divisor, char* out) {
  int edge;
  bool by_rows = true;
  if (reduced == lowest_bits(x.ndim())) {
    edge = 0;
  } else if (reduced == 0) {
    edge = 0;
    by_rows = false;
  } else if (edge = std::countr_zero(reduced); reduced >> edge == lowest_bits(x.ndim() - edge)) {
  } else if (edge = std::countr_one(reduced); reduced == lowest_bits(edge)) {
    by_rows = false;
  } else {
    return false;
  }
  int64_t before = 1;
  for (int i = 0; i < edge; ++i) before *= x.size(i);
  int64_t after = x.numel() / before, kept = by_rows ? before : after, folded = by_rows ? after : before;
  if (kept > kSmallKept) return false;
  alignas(64) char accumulators[kSmallKept * 16];
  kernels.start(accumulators, kept);
  (by_rows ? kernels.rows : kernels.columns)(x->data, after, kept, folded, accumulators, 0);
  kernels.finish(accumulators, kept, divisor, out, nullptr);
  return true;
}

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

Tensor fold(cpu::Fold f, const Tensor& x, uint64_t reduced, bool keepdim, const FoldOptions& o) {
  // As int64 these would be in the wrong order.
  if (is_limited(o.as) && f >= cpu::Fold::Max && f <= cpu::Fold::ArgMin)
    refuse_limited(f == cpu::Fold::Min || f == cpu::Fold::ArgMin ? "min_values_cpu" : "max_values_cpu", o.as);
  reduced &= lowest_bits(x.ndim());
  Dims sizes = reduced_sizes(x.sizes(), reduced, keepdim);
  Tensor out = empty(sizes, o.out);
  cpu::FoldType type = cpu::fold_type(f, o.as);
  bool as_is = cpu::dtype_of(type) == o.as || (type == cpu::FoldType::U8 && o.as == DType::Bool);
  bool plain = x.dtype() == o.as && o.out == o.as && as_is && f < cpu::Fold::ArgMax;
  if (plain && x.is_contiguous() && x.numel() <= kSmall && x.numel() > 0 &&
      fold_small(cpu::fold_kernels(f, type), x, reduced, o.divisor, out->data)) {
    return out;
  }
  if (o.second) *o.second = empty(sizes, f == cpu::Fold::Spread ? o.out : DType::Int64);
  cpu::reduce({f, x->data, x.dtype(), o.as, x.sizes(), x.strides(), reduced, out->data, o.out, o.divisor,
               o.second ? (*o.second)->data : nullptr});
  return out;
}

void check_autograd_dtype(const Tensor& x, DType dtype) {
  if (is_differentiable(dtype) || !grad_enabled() || !requires_grad(x)) return;
  raise(PyExc_RuntimeError, "Autograd not support dtype: ", facts(dtype).tensor_name);
}

}  // namespace chainrule
