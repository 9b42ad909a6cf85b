// Broadcasting of shapes and promotion of dtypes, each in one place.
#include "ops/elementwise/promotion.hpp"

#include <optional>

#include "tensor/error.hpp"

namespace chainrule {
namespace {

using Group = std::optional<DType>;

void join(Group& group, DType t) { group = group ? promote(*group, t) : t; }

// A lower group changes the result only if its category is higher.
Group combine(Group higher, Group lower) {
  if (!higher) return lower;
  if (!lower || holds_complex(*higher)) return higher;
  if (holds_floating(*higher)) {
    if (!holds_complex(*lower)) return higher;
    return complex_of(*higher);
  }
  if (holds_complex(*lower)) return lower;
  if (is_bool(*higher) || holds_floating(*lower)) return promote(*higher, *lower);
  return higher;
}

}  // namespace

DType result_type(std::span<const Operand> operands) {
  Group with_dims, zero_dim, numbers;
  for (const Operand& o : operands) {
    if (!o.tensor)
      join(numbers, dtype_of(o.scalar));
    else
      join(o.tensor->ndim ? with_dims : zero_dim, o.tensor->dtype);
  }
  return *combine(combine(with_dims, zero_dim), numbers);
}

Dims broadcast_shapes(Span a, Span b, const char* op) {
  auto na = static_cast<int>(a.size()), nb = static_cast<int>(b.size()), n = std::max(na, nb);
  Dims result(n);
  for (int i = n; i-- > 0;) {  // from the right, so that an error names the dimension that PyTorch names
    int64_t sa = i < n - na ? 1 : a[static_cast<size_t>(i - (n - na))];
    int64_t sb = i < n - nb ? 1 : b[static_cast<size_t>(i - (n - nb))];
    if (sa != sb && sa != 1 && sb != 1) {
      raise(PyExc_RuntimeError, "The size of tensor a (", sa, ") must match the size of tensor b (", sb,
            ") at non-singleton dimension ", i, "\n  ", op, ": the shapes ", a, " and ", b,
            " do not broadcast: counted from the right, sizes must be equal or 1, and here ", sa, " meets ", sb, ".");
    }
    result[i] = sa == 1 ? sb : sa;
  }
  return result;
}

Dims broadcast_strides(const TensorObject* t, Span sizes) {
  auto n = static_cast<int>(sizes.size());
  Dims strides(n);
  int skipped = n - t->ndim;
  for (int i = skipped; i < n; ++i) strides[i] = t->sizes()[i - skipped] == 1 ? 0 : t->strides()[i - skipped];
  return strides;
}

}  // namespace chainrule
