// The bytes of a tensor as elements of another dtype.
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/error.hpp"

namespace chainrule {

Tensor view_dtype(const Tensor& t, DType dtype) {
  if (t->has(kConj) && t.dtype() != dtype) {
    raise(PyExc_RuntimeError,
          "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype.");
  }
  if (t->has(kNeg) && t.dtype() != dtype) {
    raise(PyExc_RuntimeError,
          "torch.Tensor.view is not supported for tensors with negative bit set when converting to a different dtype.");
  }
  auto old_size = static_cast<int64_t>(size_of(t.dtype())), new_size = static_cast<int64_t>(size_of(dtype));
  Dims sizes(t.sizes()), strides(t.strides());
  if (old_size != new_size) {
    if (t.ndim() == 0)
      raise(PyExc_RuntimeError, "self.dim() cannot be 0 to view ", facts(t.dtype()).tensor_name, " as ",
            facts(dtype).tensor_name, " (different element sizes)");
    if (t.stride(t.ndim() - 1) != 1)
      raise(PyExc_RuntimeError, "self.stride(-1) must be 1 to view ", facts(t.dtype()).tensor_name, " as ",
            facts(dtype).tensor_name, " (different element sizes), but got ", t.stride(t.ndim() - 1));
    auto rescaled = [&](int64_t count, const char* what) {
      const int64_t bytes = (CheckedSize(count) * old_size).value();
      if (bytes % new_size)
        raise(PyExc_RuntimeError, what, " must be divisible by ", new_size / old_size, " to view ",
              facts(t.dtype()).tensor_name, " as ", facts(dtype).tensor_name, " (different element sizes), but got ",
              count);
      return bytes / new_size;
    };
    sizes.back() = rescaled(sizes.back(), "self.size(-1)");
    for (int i = 0; i + 1 < strides.size(); ++i) strides[i] = rescaled(strides[i], "self.stride()");
    rescaled(t.offset(), "self.storage_offset()");
  }
  Tensor result = tensor_over(t->storage, sizes, strides, 0, dtype);
  result->data = t->data;
  return result;
}

}  // namespace chainrule
