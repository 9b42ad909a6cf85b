// Operations between real and complex numbers that the table's one-compute-type lines cannot express.
#include "ops/complex.hpp"

#include "autograd/record.hpp"
#include "ops/accumulate.hpp"
#include "ops/copy.hpp"
#include "ops/elementwise.hpp"
#include "ops/view.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

OpInfo kConj{"conj", "ConjBackward0", "conj(g)"};
OpInfo kReal{"view_as_real", "ViewAsRealBackward0", "g as complex numbers"};
OpInfo kComplex{"view_as_complex", "ViewAsComplexBackward0", "g as pairs of real numbers"};

DType complex_of(DType t) { return t == DType::Float64 ? DType::Complex128 : DType::Complex64; }

// The same bytes read as another dtype; sizes and strides count elements of the new dtype.
Tensor reinterpret(const Tensor& t, Span sizes, Span strides, DType dtype) {
  int64_t offset = (t->data - t->storage->data) / static_cast<int64_t>(size_of(dtype));
  return tensor_over(t->storage, sizes, strides, offset, dtype);
}

}  // namespace

Tensor view_as_real(const Tensor& t) {
  if (!is_complex(t.dtype())) raise(PyExc_RuntimeError, "view_as_real is only supported for complex tensors");
  Dims sizes(t.sizes()), strides(t.strides());
  for (int64_t& s : strides) s *= 2;
  sizes.push_back(2);
  strides.push_back(1);
  return record_view(kReal, reinterpret(t, sizes, strides, real_of(t.dtype())), t,
                     [](const Tensor& g) { return view_as_complex(contiguous(g)); });
}

Tensor view_as_complex(const Tensor& t) {
  if (t.dtype() != DType::Float32 && t.dtype() != DType::Float64) {
    raise(PyExc_RuntimeError, "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: ",
          facts(t.dtype()).tensor_name);
  }
  if (t.ndim() == 0) raise(PyExc_RuntimeError, "Input tensor must have one or more dimensions");
  if (t.size(t.ndim() - 1) != 2) raise(PyExc_RuntimeError, "Tensor must have a last dimension of size 2");
  if (t.stride(t.ndim() - 1) != 1) raise(PyExc_RuntimeError, "Tensor must have a last dimension with stride 1");
  Dims sizes(t.sizes()), strides(t.strides());
  sizes.resize(t.ndim() - 1);
  strides.resize(t.ndim() - 1);
  for (int64_t& s : strides) {
    if (s % 2) raise(PyExc_RuntimeError, "Tensor must have a stride divisible by 2 for all but last dimension");
    s /= 2;
  }
  if (t.offset() % 2) raise(PyExc_RuntimeError, "Tensor must have a storage_offset divisible by 2");
  return record_view(kComplex, reinterpret(t, sizes, strides, complex_of(t.dtype())), t,
                     [](const Tensor& g) { return view_as_real(g); });
}

Tensor conj(const Tensor& t) {
  if (!is_complex(t.dtype())) return t;
  Tensor result;
  {
    GradModeScope off(false);
    result = clone(t);
    Tensor imaginary = select(view_as_real(result), -1, 1);
    elementwise_inplace(OpId::neg, {imaginary});
  }
  return record(kConj, alias(result), {&t}, {}, [](Backward& b) { b.give(0, conj(b.g())); });
}

Tensor real(const Tensor& t) { return is_complex(t.dtype()) ? select(view_as_real(t), -1, 0) : t; }

Tensor imag(const Tensor& t) {
  if (!is_complex(t.dtype())) raise(PyExc_RuntimeError, "imag is not implemented for tensors with non-complex dtypes.");
  return select(view_as_real(t), -1, 1);
}

Tensor abs_complex(const Tensor& t) {
  Tensor parts = view_as_real(t);
  return elementwise(OpId::hypot, {select(parts, -1, 0), select(parts, -1, 1)});
}

}  // namespace chainrule
