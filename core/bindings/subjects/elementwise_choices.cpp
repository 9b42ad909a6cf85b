// Names whose arguments choose between lines of the table, or that are made of several.
#include <cmath>
#include <limits>

#include "autograd/record.hpp"
#include "bindings/calls/elementwise_forms.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/refusals.hpp"
#include "ops/indexing/nonzero.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

// ---- arithmetic

// Of two numbers the first becomes a tensor, which the result keeps alive.
Tensor first_as_tensor(Operand& a, const Operand& b) {
  if (a.tensor || b.tensor) return Tensor();
  Tensor first = scalar_tensor(a.scalar, dtype_of(a.scalar));
  a = Operand(first);
  return first;
}

void refuse_alpha(const Scalar& alpha, DType common) {
  if (alpha.kind == Scalar::kBool && !is_bool(common))
    raise(PyExc_RuntimeError, "Boolean alpha only supported for Boolean results.");
  if (alpha.kind >= Scalar::kFloat && !is_differentiable(common))
    raise(PyExc_RuntimeError, "For integral input tensors, argument alpha must not be a floating point number.");
  if (alpha.kind == Scalar::kComplex && !holds_complex(common))
    raise(PyExc_RuntimeError, "For non-complex input tensors, argument alpha must not be a complex number.");
  check_fits(alpha, common);
}

Scalar product(const Scalar& a, const Scalar& b) {
  return Scalar::of_complex(a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real);
}

// a + alpha * b; a complex alpha is multiplied first.
Tensor add_or_sub(bool subtract, const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]), y = to_operand(a[1]);
  Scalar s = to_scalar(a[2]);
  Tensor held = first_as_tensor(x, y);
  Operand both[2] = {x, y};
  if (subtract) refuse_operands(record_of(OpId::sub), both, nullptr, result_type(both));
  refuse_alpha(s, result_type(both));
  OpId plain = subtract ? OpId::sub : OpId::add, scaled = subtract ? OpId::sub_scaled : OpId::add_scaled;
  if (s.kind != Scalar::kComplex && s.real == 1) return apply(plain, {x, y}, nullptr, target);
  if (s.kind == Scalar::kComplex && !y.tensor) return apply(plain, {x, product(y.scalar, s)}, nullptr, target);
  if (s.kind == Scalar::kComplex) return apply(plain, {x, elementwise(OpId::mul, {y, Operand(s)})}, nullptr, target);
  return apply(scaled, {x, y}, &s.real, target);
}

// input + value * a * b, or a / b; the table's lines have a real value, so a complex one is multiplied first.
template <OpId id, OpId join>
Tensor add_scaled_pair(const Target& target, const BoundArguments& a) {
  Operand in[3] = {to_operand(a[0]), to_operand(a[1]), to_operand(a[2])};
  Scalar value = to_scalar(a[3]);
  if (value.kind != Scalar::kComplex || !holds_complex(result_type(in))) {
    double factor = to_double(a[3]);
    if (target.inplace || target.out) return apply(id, {in[0], in[1], in[2]}, &factor, target);
    return elementwise_later(id, in, &factor);
  }
  Tensor pair = elementwise(join, {elementwise(OpId::mul, {in[1], Operand(value)}), in[2]});
  return apply(OpId::add, {in[0], pair}, nullptr, target);
}

void define_scaled_pair(const char* name, Form f) {
  define_forms(name, "Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=1", f);
  for (bool method : {false, true}) find_callable(name, method)->settles = false;
}

Tensor divide(const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]), y = to_operand(a[1]);
  Tensor held = first_as_tensor(x, y);
  std::string mode = a[2] == Py_None ? "" : PyUnicode_AsUTF8(a[2]);
  if (mode.empty()) return apply(OpId::div, {x, y}, nullptr, target);
  if (mode == "floor") return apply(OpId::div_floor, {x, y}, nullptr, target);
  if (mode == "trunc") return apply(OpId::div_trunc, {x, y}, nullptr, target);
  raise(PyExc_RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", mode, "'");
}

Tensor floor_divide(const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]), y = to_operand(a[1]);
  Tensor held = first_as_tensor(x, y);
  return apply(OpId::floor_divide, {x, y}, nullptr, target);
}

Tensor square(const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]);
  if (is_bool(x.tensor->dtype)) return apply(OpId::pow, {x, Operand(Scalar::of_int(2))}, nullptr, target);
  return apply(OpId::square, {x}, nullptr, target);
}

// In double precision, whatever the operands are.
Tensor float_power(const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]), y = to_operand(a[1]);
  if (!x.tensor && !y.tensor) raise_two_numbers("float_power", a);
  Operand both[2] = {x, y};
  DType wide = holds_complex(result_type(both)) ? DType::Complex128 : DType::Float64;
  if (target.inplace && x.tensor->dtype != wide) {
    raise(PyExc_RuntimeError, "the base given to float_power_ has dtype ", facts(x.tensor->dtype).tensor_name,
          " but the operation's result requires dtype ", facts(wide).tensor_name);
  }
  if (target.out && target.out.dtype() != wide) {
    raise(PyExc_RuntimeError, "the output given to float_power has dtype ", facts(target.out.dtype()).tensor_name,
          " but the operation's result requires dtype ", facts(wide).tensor_name);
  }
  Tensor base = x.tensor ? to_dtype(Tensor::borrow(x.tensor), wide) : Tensor();
  Tensor exponent = y.tensor ? to_dtype(Tensor::borrow(y.tensor), wide) : Tensor();
  return apply(OpId::pow, {base ? Operand(base) : x, exponent ? Operand(exponent) : y}, nullptr, target);
}

// ---- bounds

// A negative bound of unsigned numbers wraps around, as in PyTorch.
Operand bound(PyObject* o, const Operand& x) {
  Operand b = to_operand(o);
  bool wraps = !b.tensor && x.tensor->dtype == DType::UInt8 && b.scalar.kind == Scalar::kInt;
  if (wraps && b.scalar.integer < 0 && b.scalar.integer >= -255) return Operand(Scalar::of_int(b.scalar.integer + 256));
  if (!b.tensor && is_floating(x.tensor->dtype) && b.scalar.kind <= Scalar::kFloat)
    check_fits(b.scalar, x.tensor->dtype);
  return b;
}

Tensor clamp(const Target& target, const BoundArguments& a) {
  if (a[1] == Py_None && a[2] == Py_None)
    raise(PyExc_RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None");
  Operand x = to_operand(a[0]);
  for (PyObject* number : {a[1], a[2]}) {
    if (PyComplex_Check(number) && is_floating(x.tensor->dtype)) to_double(number);  // raises
  }
  Operand low = a[1] == Py_None ? Operand(-HUGE_VAL) : bound(a[1], x),
          high = a[2] == Py_None ? Operand(HUGE_VAL) : bound(a[2], x);
  bool has_infinity = is_differentiable(x.tensor->dtype);
  if (a[2] == Py_None && !has_infinity) return apply(OpId::clamp_min, {x, low}, nullptr, target);
  if (a[1] == Py_None && !has_infinity) return apply(OpId::clamp_max, {x, high}, nullptr, target);
  return apply(OpId::clamp, {x, low, high}, nullptr, target);
}

template <OpId id>
Tensor clamp_side(const Target& target, const BoundArguments& a) {
  Operand x = to_operand(a[0]);
  return apply(id, {x, bound(a[1], x)}, nullptr, target);
}

// ---- complex numbers

// The rule of the table's line for out=, where complex numbers do not go through it.
void refuse_complex_out(OpId id, const Tensor& x, const Target& target) {
  Operand in[] = {x};
  if (target.out) refuse_out(record_of(id), in, x.dtype(), target.out.dtype());
}

// Complex absolute values and angles are real, which a line of the table cannot say.
template <OpId id, Tensor (*of_complex)(const Tensor&)>
Tensor real_or_complex(const Target& target, const BoundArguments& a) {
  Tensor t = Tensor::borrow(a[0]);
  if (!is_complex(t.dtype()) && !(t.dtype() == DType::Complex32 && id == OpId::abs))
    return apply(id, {t}, nullptr, target);
  if (target.inplace && id == OpId::abs)
    raise(PyExc_RuntimeError, "In-place abs is not supported for complex tensors.");
  if (id == OpId::sgn) refuse_complex_out(id, t, target);
  const Tensor* inputs[] = {&t};
  // What the gradient reads must outlive the write.
  return deliver(of_complex(target.inplace && should_record(inputs) ? clone(t) : t), target, a[0]);
}

// ---- PyTorch's overloads for numbers

// Functions that PyTorch composes in C++ use them. Their nodes have one edge and keep no tensor.
OpInfo scalar_overload(const char* name, const char* node_name, const char* formula) {
  OpInfo op(name, node_name, formula);
  op.hidden_edges = 2;
  return op;
}
OpInfo kMulScalar = scalar_overload("mul", "MulBackward1", "g * other");
OpInfo kDivScalar = scalar_overload("div", "DivBackward1", "g / other");

template <OpId id>
Tensor with_number(const Tensor& x, const Scalar& number) {
  Tensor y = elementwise(id, {x, number});
  if (y->node) rename_node(y->node, id == OpId::mul ? kMulScalar : kDivScalar);
  return y;
}

// ---- rounding and replacing

Tensor round_to(const Target& target, const BoundArguments& a) {
  double places = to_double(a[1]);
  if (places == 0) return apply(OpId::round, {Tensor::borrow(a[0])}, nullptr, target);
  return apply(OpId::round_decimals, {Tensor::borrow(a[0])}, &places, target);
}
Tensor special_round(const Target& target, const BoundArguments& a) {
  double places = to_double(a[1]);
  return apply(OpId::round_decimals, {Tensor::borrow(a[0])}, &places, target);
}

Tensor logit(const Target& target, const BoundArguments& a) {
  double eps = a[1] == Py_None ? -1 : to_double(a[1]);
  return apply(OpId::logit, {Tensor::borrow(a[0])}, &eps, target);
}

// None stands for the largest and smallest finite values of the dtype. Complex numbers are treated part by part.
Tensor nan_to_num(const Target& target, const BoundArguments& a) {
  Tensor x = Tensor::borrow(a[0]);
  double limit = largest(x.dtype());
  double p[3] = {a[1] == Py_None ? 0 : to_double(a[1]), a[2] == Py_None ? limit : to_double(a[2]),
                 a[3] == Py_None ? -limit : to_double(a[3])};
  if (!is_complex(x.dtype())) return apply(OpId::nan_to_num, {x}, p, target);
  refuse_complex_out(OpId::nan_to_num, x, target);
  Tensor result = view_as_complex(elementwise(OpId::nan_to_num, {view_as_real(x)}, p));
  return deliver(target.inplace || target.out ? result : clone(result), target, a[0]);
}

// ---- others

Tensor invert(const Target& target, const BoundArguments& a) {
  Tensor t = Tensor::borrow(a[0]);
  return apply(is_bool(t.dtype()) ? OpId::logical_not : OpId::bitwise_not, {t}, nullptr, target);
}

Tensor polygamma(const Target& target, PyObject* n, PyObject* x) {
  double order = static_cast<double>(to_int(n));
  if (order < 0) raise(PyExc_RuntimeError, "polygamma(n, x) does not support negative n.");
  return apply(OpId::polygamma, {Tensor::borrow(x)}, &order, target);
}

Tensor gelu(const Target& target, const BoundArguments& a) {
  std::string approximate = PyUnicode_AsUTF8(a[1]);
  if (approximate == "none") return apply(OpId::gelu, {Tensor::borrow(a[0])}, nullptr, target);
  if (approximate == "tanh") return apply(OpId::gelu_tanh, {Tensor::borrow(a[0])}, nullptr, target);
  raise(PyExc_RuntimeError, "approximate argument must be either none or tanh.");
}

// The weights belong to dimension 1, the channels.
Tensor prelu(const Tensor& x, const Tensor& weight) {
  if (x.dtype() != weight.dtype()) {
    raise(PyExc_RuntimeError, "prelu: Type promoting not supported. Got ", facts(x.dtype()).tensor_name, " and ",
          facts(weight.dtype()).tensor_name);
  }
  if (weight.ndim() > 1)
    raise(PyExc_RuntimeError, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.ndim());
  if (weight.numel() == 1) return elementwise(OpId::prelu, {x, weight.ndim() ? select(weight, 0, 0) : weight});
  if (x.ndim() == 0) raise(PyExc_RuntimeError, "Not allow zero-dim input tensor.");
  int64_t channels = x.ndim() > 1 ? x.size(1) : 1;
  if (weight.numel() != channels) {
    raise(PyExc_RuntimeError,
          "Mismatch of parameter numbers and input channel size. Found parameter numbers = ", weight.numel(),
          " and channel size = ", channels, ".");
  }
  Dims shape(x.ndim() - 1);
  for (int64_t& size : shape) size = 1;
  shape[0] = channels;
  return elementwise(OpId::prelu, {x, view(weight, shape)});
}

Tensor where(const Target& target, const Tensor& condition, const Operand& a, const Operand& b) {
  if (!is_bool(condition.dtype()) && condition.dtype() != DType::UInt8) {
    raise(PyExc_RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with dtype ",
          facts(condition.dtype()).tensor_name);
  }
  return apply(OpId::where, {Operand(condition), a, b}, nullptr, target);
}

Tensor positive(const Tensor& x) {
  if (is_bool(x.dtype())) raise(PyExc_RuntimeError, "The `+` operator, on a bool tensor is not supported.");
  return x;
}

void define_arithmetic() {
  for (bool subtract : {false, true}) {
    define_forms(subtract ? "sub" : "add", "Operand input, Operand other, *, Number alpha=1",
                 [subtract](const Target& t, const BoundArguments& a) { return add_or_sub(subtract, t, a); });
  }
  define("rsub(Tensor input, Operand other, *, Number alpha=1)", kFunction,
         [](const Tensor& x, const Operand& other, const Scalar& alpha) {
           Operand both[2] = {Operand(x), other};
           refuse_alpha(alpha, result_type(both));
           return elementwise(OpId::rsub, both, &alpha.real);
         });
  define_scaled_pair("addcmul", add_scaled_pair<OpId::addcmul, OpId::mul>);
  define_scaled_pair("addcdiv", add_scaled_pair<OpId::addcdiv, OpId::div>);
  define_forms("div", "Operand input, Operand other, *, str? rounding_mode=None", divide);
  define("_mul_scalar(Tensor input, Number other)", kFunction, with_number<OpId::mul>);
  define("_div_scalar(Tensor input, Number other)", kFunction, with_number<OpId::div>);
  define_forms("floor_divide", "Operand input, Operand other", floor_divide);
  define_forms("square", "Tensor input", square);
  define_forms("float_power", "Operand input, Operand exponent", float_power);
  define("positive(Tensor input)", kBoth, positive);
}

void define_roundings() {
  define_forms("clamp", "Tensor input, Operand? min=None, Operand? max=None", clamp);
  define_forms("clamp_min", "Tensor input, Operand min", clamp_side<OpId::clamp_min>);
  define_forms("clamp_max", "Tensor input, Operand max", clamp_side<OpId::clamp_max>);
  define_forms("round", "Tensor input, *, int decimals=0", round_to);
  define_forms("special_round", "Tensor input, *, int decimals=0", special_round);
  define_forms("nan_to_num", "Tensor input, float? nan=None, float? posinf=None, float? neginf=None", nan_to_num);
}

void define_polygamma() {
  define_call(Signature::parse("polygamma(int n, Tensor input, *, Tensor? out=None)"), kFunction,
              [](const BoundArguments& a) { return to_python(polygamma(given_out(a[2]), a[0], a[1])); });
  define("polygamma(Tensor input, int n)", kMethod, [](PyObject* x, PyObject* n) { return polygamma(Target{}, n, x); });
  define("polygamma_(Tensor input, int n)", kMethod,
         [](PyObject* x, PyObject* n) { return polygamma(Target{true, Tensor()}, n, x); });
}

}  // namespace

void define_choices() {
  define_arithmetic();
  define_roundings();
  define_polygamma();
  define_forms("abs", "Tensor input", real_or_complex<OpId::abs, abs_complex>);
  define_forms("angle", "Tensor input", real_or_complex<OpId::angle, angle_complex>);
  define_forms("sgn", "Tensor input", real_or_complex<OpId::sgn, sgn_complex>);
  define_forms("sign", "Tensor input", [](const Target& t, const BoundArguments& a) {
    return apply(OpId::sign, {Tensor::borrow(a[0])}, nullptr, t);
  });
  define_forms("bitwise_not", "Tensor input", invert);
  define_forms("logit", "Tensor input, float? eps=None", logit);
  define("prelu(Tensor input, Tensor weight)", kBoth, prelu);
  define_forms("gelu", "Tensor input, *, str approximate='none'", gelu);
  define_call(Signature::parse("where(Tensor condition, Operand input, Operand other, *, Tensor? out=None)"), kFunction,
              [](const BoundArguments& a) {
                return to_python(where(given_out(a[3]), Tensor::borrow(a[0]), to_operand(a[1]), to_operand(a[2])));
              });
  define("where(Tensor condition)", kFunction, nonzero_by_dimension);
  define("where(Tensor input, Tensor condition, Operand other)", kMethod,
         [](const Tensor& x, const Tensor& condition, const Operand& other) {
           return where(Target{}, condition, Operand(x), other);
         });
}

}  // namespace chainrule
