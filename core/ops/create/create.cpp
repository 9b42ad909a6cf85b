// Fresh tensors.
#include "ops/create/create.hpp"

#include <algorithm>
#include <cmath>

#include "backends/copy.hpp"
#include "backends/range.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/views/copy.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

OpInfo kFill{"fill", "FillBackward0", "self: 0"}, kFillInplace{"fill_", "FillBackward2", "self: 0"};
OpInfo kFillTensor{"fill", "FillBackward1", "self: 0, value: the sum of g"},
    kFillTensorInplace{"fill_", "FillBackward3", "self: 0, value: the sum of g"};
OpInfo kZero{"zero_", "ZeroBackward0", "self: 0"};

[[noreturn]] void refuse(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

// The number that is left of it in an integer dtype.
double as_element(const Scalar& value, DType dtype) {
  check_fits(value, dtype);
  alignas(8) char bytes[8];
  store(value, dtype, bytes);
  return load(dtype, bytes).real;
}

void zero_elements(const Tensor& t) {
  backend().copy->zero({t->data, t.numel() * static_cast<int64_t>(size_of(t.dtype()))});
}

void fill_elements(const Tensor& t, const Scalar& value) {
  if (t->storage->device == Device::Meta) return;
  bool zero_bits = value.real == 0 && value.imaginary == 0 && !std::signbit(value.real);
  if (zero_bits && t.is_contiguous()) return zero_elements(t);
  if (t.is_contiguous()) {
    alignas(16) char bytes[16];
    store(value, t.dtype(), bytes);
    return backend().copy->fill({t.dtype(), t.numel(), bytes, t->data});
  }
  Tensor one = empty({}, t.dtype());
  set_item(one, value);
  copy_elements(t, one);
}

Tensor diagonal_of(const Tensor& matrix) {
  int64_t rows = matrix.size(0), columns = matrix.size(1);
  return tensor_over(matrix->storage, Dims{std::min(rows, columns)}, Dims{columns + 1}, 0, matrix.dtype());
}

void give_zeros(Backward& b) {
  if (b.needs(0)) b.give(0, zeros(b.g().sizes(), b.g().dtype()));
}

Scalar whole(const Scalar& s) {
  return Scalar::of_int(s.kind > Scalar::kInt ? static_cast<int64_t>(s.real) : s.integer);
}

constexpr int64_t kTooLong = int64_t{1} << 58;

int64_t range_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (step.real == 0) raise(PyExc_RuntimeError, "step must be nonzero");
  if (!std::isfinite(start.real) || !std::isfinite(end.real)) {
    raise(PyExc_RuntimeError, "unsupported range: ", start.real, " -> ", end.real);
  }
  if ((step.real > 0) != (end.real >= start.real) && end.real != start.real) {
    raise(PyExc_RuntimeError, "upper bound and lower bound inconsistent with step sign");
  }
  if (start.kind <= Scalar::kInt && end.kind <= Scalar::kInt && step.kind <= Scalar::kInt) {
    __int128 span = static_cast<__int128>(end.integer) - start.integer;
    __int128 length = span == 0 ? 0 : (span + step.integer - (step.integer > 0 ? 1 : -1)) / step.integer;
    check(length < kTooLong, "invalid size, possible overflow?");
    return static_cast<int64_t>(length);
  }
  double length = std::ceil((end.real - start.real) / step.real);
  check(length < static_cast<double>(kTooLong), "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

Tensor equal_steps(double start, double end, int64_t n, DType dtype) {
  Tensor t = empty(Dims{n}, is_floating(dtype) ? dtype : DType::Float64);
  backend().range->linspace({t.dtype(), n, start, end, t->data});
  return t;
}

}  // namespace

void check_fits(const Scalar& value, DType dtype) {
  if (fits(value, dtype)) return;
  constexpr const char* names[kDTypesWithKernels] = {"bool",          "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                                                     "int8_t",        "int16_t", "int",      "int64_t",  "c10::Half",
                                                     "c10::BFloat16", "float",   "double"};
  raise(PyExc_RuntimeError, "value cannot be converted to type ",
        is_stored_only(dtype) ? facts(dtype).cpp_name : names[static_cast<int>(dtype)], " without overflow");
}

Tensor zeros(Span sizes, DType dtype) {
  Tensor t = empty(sizes, dtype);
  zero_elements(t);
  return t;
}

Tensor full(Span sizes, const Scalar& value, DType dtype) {
  check_fits(value, dtype);
  Tensor t = empty(sizes, dtype);
  if (t.numel() == 1)
    set_item(t, value);
  else
    fill_elements(t, value);
  return t;
}

Tensor ones(Span sizes, DType dtype) { return full(sizes, Scalar::of_int(1), dtype); }
Tensor scalar_tensor(const Scalar& value, DType dtype) { return full({}, value, dtype); }

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype) {
  if (is_bool(dtype) || is_complex(dtype) || is_limited(dtype) || is_stored_only(dtype)) refuse("arange_cpu", dtype);
  bool has_fractions = start.kind > Scalar::kInt || end.kind > Scalar::kInt || step.kind > Scalar::kInt;
  if (dtype == DType::Int64 &&
      has_fractions) {  // narrower integers count the steps before they are rounded, as in PyTorch
    if (step.real != 0 && std::fabs(step.real) < 1) raise(PyExc_ValueError, "step must be nonzero");
    return arange(whole(start), whole(end), whole(step), dtype);
  }
  const bool floating = is_floating(dtype);
  Tensor t = empty(Dims{range_length(start, end, step)}, floating ? dtype : DType::Int64);
  backend().range->arange(
      {t.dtype(), t.numel(), floating ? start : whole(start), floating ? step : whole(step), t->data});
  return to_dtype(t, dtype);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps, DType dtype) {
  if (steps < 0) raise(PyExc_RuntimeError, "number of steps must be non-negative");
  if ((is_bool(dtype) || is_limited(dtype) || is_stored_only(dtype)) && steps > 1) refuse("linspace_cpu", dtype);
  double first = start.real, last = end.real;
  if (is_integral(dtype)) {
    first = as_element(start, dtype);
    last = as_element(end, dtype);
  }
  Tensor t = equal_steps(first, last, steps, real_of(dtype));
  if (is_complex(dtype)) t = complex_of_parts(t, equal_steps(start.imaginary, end.imaginary, steps, real_of(dtype)));
  return to_dtype(t, dtype);
}

Tensor eye(int64_t n, int64_t m, DType dtype) {
  if (is_limited(dtype) || dtype == DType::Complex32) refuse("eye", dtype);
  check(n >= 0, "n must be greater or equal to 0, got ", n);
  check(m >= 0, "m must be greater or equal to 0, got ", m);
  Tensor t = zeros(Dims{n, m}, dtype);
  if (t.numel()) fill_elements(diagonal_of(t), Scalar::of_int(1));
  return t;
}

Tensor record_fill(OpInfo& op, const Tensor& self, const Tensor& other) {
  Node* n = make_node(&op, other ? 2 : 1, 0, 1);
  set_edge(n, 0, gradient_edge(self));
  if (other) set_edge(n, 1, gradient_edge(other));
  set_function(n, [two = static_cast<bool>(other)](Backward& b) {
    for (int i = 0; i <= two; ++i) {
      if (b.needs(i)) b.give(i, zeros(b.g().sizes(), b.g().dtype()));
    }
  });
  n->outputs[0].describe(self);
  finish_node(n);
  rebase_history(self, n);
  return self;
}

Tensor fill(const Tensor& x, const Scalar& value, Place place) {
  check_fits(value, x.dtype());
  Tensor out = open_expanded_write(nullptr, place, {&x});
  fill_elements(out, value);
  return record_write(place == Place::Copy ? kFill : kFillInplace, place, out, {&x}, {}, give_zeros);
}

Tensor fill(const Tensor& x, const Tensor& value, Place place) {
  if (value.ndim() != 0) {
    raise(PyExc_RuntimeError, "fill_ only supports 0-dimension value tensor but got tensor with ", value.ndim(),
          " dimensions.");
  }
  Tensor out = open_write(place, {&x, &value});
  copy_elements(out, value);
  OpInfo& op = place == Place::Copy ? kFillTensor : kFillTensorInplace;
  return record_write(op, place, out, {&x, &value}, {}, [](Backward& b) {
    give_zeros(b);
    if (b.needs(1)) b.give(1, sum_to(b.g(), {}));
  });
}

Tensor zero_(const Tensor& self) {
  open_expanded_write(nullptr, Place::Itself, {&self});
  fill_elements(self, Scalar(0.0));
  return record_write(kZero, Place::Itself, self, {&self}, {}, give_zeros);
}

void fill_zero(const Tensor& target) { zero_(target); }

}  // namespace chainrule
