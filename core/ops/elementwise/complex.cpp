// Operations between real and complex numbers that the table's one-compute-type lines cannot express.
#include "ops/elementwise/complex.hpp"

#include "autograd/record.hpp"
#include "backends/copy.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/resolve.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/error.hpp"
#include "tensor/memory_order.hpp"

namespace chainrule {
namespace {

OpInfo kComplexOfParts{"complex", "ComplexBackward0", "real: real(g), imag: imag(g)", true};
OpInfo kPolar{"polar", "PolarBackward0", "abs: real(conj(g) * y / abs), angle: real(conj(g) * i * y)"};
OpInfo kConjPhysical{"conj_physical", "ConjPhysicalBackward0", "conj(g)"};
OpInfo kReal{"view_as_real", "ViewAsRealBackward0", "g as complex numbers"};
OpInfo kAbs{"abs", "AbsBackward0", "g * sgn(x)"};
OpInfo kAngle{"angle", "AngleBackward0", "g * i * x / |x|^2"};
OpInfo kSgn{"sgn", "SgnBackward0", "(g - real(g * conj(y)) * y) / |x|"};
OpInfo kComplex{"view_as_complex", "ViewAsComplexBackward0", "g as pairs of real numbers"};

// The same bytes read as another dtype; sizes and strides count elements of the new dtype.
Tensor reinterpret(const Tensor& t, Span sizes, Span strides, DType dtype) {
  int64_t offset = (t->data - t->storage->data) / static_cast<int64_t>(size_of(dtype));
  return tensor_over(t->storage, sizes, strides, offset, dtype);
}

}  // namespace

Tensor view_as_real(const Tensor& t) {
  if (!holds_complex(t.dtype())) raise(PyExc_RuntimeError, "view_as_real is only supported for complex tensors");
  if (t->has(kConj)) {
    raise(
        PyExc_RuntimeError,
        "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view "
        "it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
        "original.");
  }
  Dims sizes(t.sizes()), strides(t.strides());
  for (int64_t& s : strides) s = wrapped(s, 2);
  sizes.push_back(2);
  strides.push_back(1);
  return record_view(kReal, reinterpret(t, sizes, strides, real_of(t.dtype())), t,
                     [](Backward& b) { b.give(0, view_as_complex(contiguous(b.g()))); });
}

Tensor view_as_complex(const Tensor& t) {
  if (t.dtype() != DType::Float16 && t.dtype() != DType::Float32 && t.dtype() != DType::Float64) {
    raise(PyExc_RuntimeError,
          "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: ",
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
                     [](Backward& b) { b.give(0, view_as_real(b.g())); });
}

Tensor conj(const Tensor& t) {
  if (!holds_complex(t.dtype())) return t;
  Tensor result = empty_strided(t.sizes(), dense_strides_like(t), t.dtype());
  copy_elements(result, t);
  backend().copy->conjugate({result.sizes(), result->data, result.strides(), result.dtype()});
  return record(kConjPhysical, result, {&t}, {}, [](Backward& b) { b.give(0, conj(b.g())); });
}

Tensor real(const Tensor& t) {
  if (!holds_complex(t.dtype())) return t;
  return select(view_as_real(t->has(kConj) ? conj_view(t) : t), -1, 0);
}

Tensor imag(const Tensor& t) {
  if (!holds_complex(t.dtype()))
    raise(PyExc_RuntimeError, "imag is not implemented for tensors with non-complex dtypes.");
  if (t->has(kConj)) return select(neg_view(view_as_real(conj_view(t))), -1, 1);
  return select(view_as_real(t), -1, 1);
}

namespace {

Tensor div(const Operand& a, const Operand& b) { return elementwise(OpId::div, {a, b}); }

// a / b, and 0 where b is 0.
Tensor safe_quotient(const Tensor& a, const Tensor& b) {
  Tensor is_zero = elementwise(OpId::eq, {b, Operand(0.0)});
  Tensor divisor = elementwise(OpId::where, {is_zero, Operand(1.0), b});
  return elementwise(OpId::where, {is_zero, Operand(0.0), div(a, divisor)});
}

// f(real part, imaginary part), without history.
Tensor of_parts(OpId f, const Tensor& t, bool imaginary_first) {
  GradModeScope off(false);
  Tensor parts = view_as_real(t);
  return elementwise(f, {select(parts, -1, imaginary_first), select(parts, -1, !imaginary_first)});
}

}  // namespace

Tensor abs_complex(const Tensor& t) {
  return record(kAbs, of_parts(OpId::hypot, t, false), {&t}, {&t},
                [](Backward& b) { b.give(0, mul(b.g(), sgn_complex(b.saved(0)))); });
}

Tensor angle_complex(const Tensor& t) {
  return record(kAngle, contiguous(of_parts(OpId::atan2, t, true)), {&t}, {&t}, [](Backward& b) {
    Tensor x = b.saved(0), size = abs_complex(x);
    Tensor slope = safe_quotient(safe_quotient(x, size), size);
    b.give(0, mul(mul(b.g(), slope), Operand(Scalar::of_complex(0, 1))));
  });
}

Tensor sgn_complex(const Tensor& t) {
  Tensor result;
  {
    GradModeScope off(false);
    result = safe_quotient(t, abs_complex(t));
  }
  return record(kSgn, result, {&t}, {&t}, [](Backward& b) {
    Tensor x = b.saved(0), y = sgn_complex(x), along = real(mul(b.g(), conj(y)));
    b.give(0, safe_quotient(elementwise(OpId::sub, {b.g(), mul(along, y)}), abs_complex(x)));
  });
}

namespace {

void check_parts(const Tensor& a, const Tensor& b) {
  auto holds = [](DType t) { return t == DType::Float16 || t == DType::Float32 || t == DType::Float64; };
  if (!holds(a.dtype()) || !holds(b.dtype())) {
    raise(PyExc_RuntimeError, "Expected both inputs to be Half, Float or Double tensors but got ",
          facts(a.dtype()).tensor_name, " and ", facts(b.dtype()).tensor_name);
  }
  if (a.dtype() != b.dtype()) {
    raise(PyExc_RuntimeError, "Expected object of scalar type ", facts(a.dtype()).tensor_name, " but got scalar type ",
          facts(b.dtype()).tensor_name, " for second argument");
  }
}

// A complex tensor of two real ones, broadcast; not recorded.
Tensor joined(const Tensor& real, const Tensor& imaginary, const char* op) {
  GradModeScope off(false);
  Dims sizes = broadcast_shapes(real.sizes(), imaginary.sizes(), op);
  Dims orders[] = {broadcast_strides(real.get(), sizes), broadcast_strides(imaginary.get(), sizes)};
  const bool plain = real.is_contiguous() && imaginary.is_contiguous();
  Tensor result = plain ? empty(sizes, complex_of(real.dtype()))
                        : empty_strided(sizes, dense_strides(sizes, orders), complex_of(real.dtype()));
  Tensor parts = view_as_real(result);
  copy_elements(select(parts, -1, 0), real);
  copy_elements(select(parts, -1, 1), imaginary);
  return alias(result);  // without the view that wrote it
}

Tensor plus(const Tensor& a, const Tensor& b) { return elementwise(OpId::add, {a, b}); }

}  // namespace

Tensor complex_of_parts(const Tensor& re, const Tensor& im) {
  check_parts(re, im);
  return record(kComplexOfParts, joined(re, im, "complex"), {&re, &im}, {}, [](Backward& b) {
    if (b.needs(0)) b.give(0, real(b.g()));
    if (b.needs(1)) b.give(1, imag(b.g()));
  });
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  check_parts(abs, angle);
  Tensor result;
  {
    GradModeScope off(false);
    Tensor cosine = elementwise(OpId::cos, {angle}), sine = elementwise(OpId::sin, {angle});
    result = joined(mul(abs, cosine), mul(abs, sine), "polar");
  }
  return record(kPolar, result, {&abs, &angle}, {&abs, &angle}, [](Backward& b) {
    Tensor re = real(b.g()), im = imag(b.g()), size = b.saved(0), angle = b.saved(1);
    Tensor cosine = elementwise(OpId::cos, {angle}), sine = elementwise(OpId::sin, {angle});
    if (b.needs(0)) b.give(0, plus(mul(re, cosine), mul(im, sine)));
    if (b.needs(1)) b.give(1, mul(size, elementwise(OpId::sub, {mul(im, cosine), mul(re, sine)})));
  });
}

}  // namespace chainrule
