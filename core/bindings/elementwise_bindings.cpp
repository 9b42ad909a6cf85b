// Every line of elementwise.def as a function, a method, an in-place method and an out= form.
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/complex.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/elementwise.hpp"

namespace chainrule {
namespace {

// Where a result goes: a new tensor, the first operand, or the tensor given as out=.
struct Target {
  bool inplace = false;
  Tensor out;
};

Tensor apply(OpId id, std::initializer_list<Operand> operands, const double* parameters, const Target& target) {
  std::span<const Operand> in(operands.begin(), operands.size());
  if (target.inplace) return elementwise_inplace(id, in, parameters);
  if (target.out) return elementwise_out(id, in, parameters, target.out);
  return elementwise(id, in, parameters);
}

Tensor out_of(PyObject* o) { return o == Py_None ? Tensor() : Tensor::borrow(o); }

std::string python_name(const char* input) {
  std::string name = input;
  return name == "x" || name == "a" ? "input" : name == "b" ? "other" : name;
}

// "POSITIONAL(beta, 1, threshold, 20)" -> "float beta=1, float threshold=20", with "*, " in front for KEYWORD.
std::string parameters_text(const OpRecord& op, bool& keyword_only) {
  std::string text = op.parameters;
  keyword_only = text.starts_with("KEYWORD");
  if (!op.parameter_count) return "";
  text = text.substr(text.find('(') + 1);
  text.pop_back();
  std::string result = keyword_only ? ", *" : "";
  for (size_t at = 0; at < text.size();) {
    size_t middle = text.find(", ", at), end = std::min(text.find(", ", middle + 2), text.size());
    result += ", float " + text.substr(at, middle - at) + "=" + text.substr(middle + 2, end - middle - 2);
    at = end + 2;
  }
  return result;
}

std::string inputs_text(const OpRecord& op) {
  std::string text;
  for (int i = 0; i < op.input_count; ++i) {
    bool tensor_only = op.input_count == 1 || i == op.condition;
    text += (i ? ", " : "") + std::string(tensor_only ? "Tensor " : "Operand ") + python_name(op.input_names[i]);
  }
  return text;
}

PyObject* call(const OpRecord& op, const BoundArguments& a, bool inplace, int out_at) {
  Operand operands[kMaxInputs];
  double parameters[8];
  bool any_tensor = false;
  for (int i = 0; i < op.input_count; ++i) {
    operands[i] = to_operand(a[i]);
    any_tensor |= operands[i].tensor && i != op.condition;
  }
  for (int i = 0; i < op.parameter_count; ++i) parameters[i] = to_double(a[op.input_count + i]);
  std::span<const Operand> in(operands, static_cast<size_t>(op.input_count));
  if (inplace) return to_python(elementwise_inplace(op.id, in, parameters));
  if (!any_tensor && op.condition < 0) {
    raise(PyExc_TypeError, op.name, "(): argument 'input' (position 1) must be Tensor, not ", Py_TYPE(a[0])->tp_name);
  }
  if (out_at >= 0 && a[out_at] != Py_None) return to_python(elementwise_out(op.id, in, parameters, Tensor::borrow(a[out_at])));
  return to_python(elementwise(op.id, in, parameters));
}

// Activations that PyTorch keeps in nn.functional; they are found there and not among the top-level functions.
constexpr const char* kFunctionalOnly[] = {"leaky_relu", "elu", "relu6", "hardtanh", "gelu", "silu", "mish", "softplus",
                                           "softshrink", "tanhshrink", "softsign", "hardsigmoid", "hardswish", "logsigmoid"};
// Lines that serve other names; see define_special.
constexpr const char* kInternal[] = {"add_scaled", "sub_scaled", "div_trunc", "gelu_tanh", "round_decimals", "add", "sub", "rsub",
                                     "div", "div_floor", "clamp", "clamp_min", "clamp_max", "abs", "round", "bitwise_not",
                                     "polygamma", "logit", "nan_to_num", "gelu", "where", "positive", "angle", "sign"};

template <size_t n>
bool listed(const char* const (&list)[n], std::string_view name) {
  for (const char* entry : list) {
    if (name == entry) return true;
  }
  return false;
}

void bind_line(const OpRecord& op) {
  bool keyword_only;
  std::string head = inputs_text(op) + parameters_text(op, keyword_only), name = op.name;
  bool has_out = !listed(kFunctionalOnly, name);
  std::string text = name + "(" + head + (has_out ? (keyword_only ? ", Tensor? out=None" : ", *, Tensor? out=None") : "") + ")";
  int out_at = has_out ? op.input_count + op.parameter_count : -1;
  Forms forms = name.starts_with("special_") || !has_out ? kFunction : kBoth;
  define_call(Signature::parse(text), forms, [&op, out_at](const BoundArguments& a) { return call(op, a, false, out_at); });
  if (forms == kFunction && has_out) return;
  std::string inplace = name + "_(" + head + ")";
  define_call(Signature::parse(inplace), op.input_count == 1 && !op.is_test ? kBoth : kMethod,
              [&op](const BoundArguments& a) { return call(op, a, true, -1); });
}

// ---- documentation: the line's own texts

std::string dtype_rule(const OpRecord& op) {
  if (op.id == OpId::abs) return "Keeps the dtype; of complex numbers it gives the magnitude, a real number.";
  if (op.domain == Domain::INTEGER) return "Takes bool and integers only.";
  bool real = op.domain == Domain::REAL || op.domain == Domain::REALFLOAT;
  bool keeps = op.domain == Domain::ANY || op.domain == Domain::REAL;
  std::string text = op.is_test ? "The result is bool."
                     : keeps    ? "Keeps the dtype of its inputs, after type promotion."
                                : "Integers are converted to the default float dtype first.";
  return text + (real ? " Complex numbers are refused." : "");
}

// "Keeps the dtype ...", then the value and, for each input, the gradient as they stand in the table.
std::string description_of(const OpRecord& op) {
  std::string names, formulas = "    y = " + std::string(op.value) + "\n";
  for (int i = 0; i < op.input_count; ++i) {
    std::string formula = op.input_names[i], name = python_name(op.input_names[i]);
    if (formula != name) names += (names.empty() ? "    where " : ", ") + formula + " is " + name;
    if (op.gradients[i] && !(op.reads[i] & kIsNone)) formulas += "    gradient of " + name + " = " + op.gradients[i] + "\n";
  }
  if (op.differentiable) names += std::string(names.empty() ? "    where " : ", ") + "g is the gradient of y";
  else formulas += op.is_test ? "" : "    not differentiable\n";
  return dtype_rule(op) + "\n\n" + formulas + names;
}

// ---- names whose arguments choose between lines of the table

// Registers name, name_ and out= of a function f(target, a, b, parameter).
template <class F>
void define_forms(const std::string& name, const std::string& arguments, F f, bool keyword_started = false) {
  auto count = static_cast<int>(Signature::parse(name + "(" + arguments + ")").parameters.size());
  define_call(Signature::parse(name + "(" + arguments + (keyword_started ? "" : ", *") + ", Tensor? out=None)"), kBoth,
              [f, count](const BoundArguments& a) { return to_python(f(Target{false, out_of(a[count])}, a)); });
  define_call(Signature::parse(name + "_(" + arguments + ")"), kMethod,
              [f](const BoundArguments& a) { return to_python(f(Target{true, Tensor()}, a)); });
}

void refuse_bool_subtraction(const Operand& a, const Operand& b) {
  auto is_truth = [](const Operand& o) { return o.tensor ? o.tensor->dtype == DType::Bool : o.scalar.kind == Scalar::kBool; };
  if (is_truth(a) && is_truth(b)) {
    raise(PyExc_RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  }
  if (is_truth(a) || is_truth(b)) {
    raise(PyExc_RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
          "mask, use the `~` or `logical_not()` operator instead.");
  }
}

// a + alpha * b; a complex or huge alpha is multiplied first.
Tensor add_or_sub(bool subtract, const Target& target, PyObject* a, PyObject* b, PyObject* alpha) {
  Operand x = to_operand(a), y = to_operand(b);
  Scalar s = to_scalar(alpha);
  if (!x.tensor && !y.tensor) raise(PyExc_TypeError, subtract ? "sub" : "add", "(): argument 'input' (position 1) must be Tensor, not ", Py_TYPE(a)->tp_name);
  if (subtract) refuse_bool_subtraction(x, y);
  if (s.kind == Scalar::kFloat) {
    Operand both[2] = {x, y};
    if (!is_differentiable(result_type(both))) raise(PyExc_RuntimeError, "For integral input tensors, argument alpha must not be a floating point number.");
  }
  OpId plain = subtract ? OpId::sub : OpId::add, scaled = subtract ? OpId::sub_scaled : OpId::add_scaled;
  if (s.kind != Scalar::kComplex && s.real == 1) return apply(plain, {x, y}, nullptr, target);
  if (s.kind == Scalar::kComplex) return apply(plain, {x, elementwise(OpId::mul, {y, Operand(s)})}, nullptr, target);
  return apply(scaled, {x, y}, &s.real, target);
}

Tensor divide(const Target& target, PyObject* a, PyObject* b, PyObject* rounding) {
  Operand x = to_operand(a), y = to_operand(b);
  if (!x.tensor && !y.tensor) raise(PyExc_TypeError, "div(): argument 'input' (position 1) must be Tensor, not ", Py_TYPE(a)->tp_name);
  std::string mode = rounding == Py_None ? "" : PyUnicode_AsUTF8(rounding);
  if (mode.empty()) return apply(OpId::div, {x, y}, nullptr, target);
  if (mode == "floor") return apply(OpId::div_floor, {x, y}, nullptr, target);
  if (mode == "trunc") return apply(OpId::div_trunc, {x, y}, nullptr, target);
  raise(PyExc_RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", mode, "'");
}

Tensor clamp(const Target& target, PyObject* x, PyObject* low, PyObject* high) {
  if (low == Py_None && high == Py_None) raise(PyExc_RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (high == Py_None) return apply(OpId::clamp_min, {to_operand(x), to_operand(low)}, nullptr, target);
  if (low == Py_None) return apply(OpId::clamp_max, {to_operand(x), to_operand(high)}, nullptr, target);
  return apply(OpId::clamp, {to_operand(x), to_operand(low), to_operand(high)}, nullptr, target);
}

// Complex absolute values and angles are real, which a line of the table cannot say.
Tensor magnitude(const Target& target, PyObject* x) {
  Tensor t = Tensor::borrow(x);
  if (!is_complex(t.dtype())) return apply(OpId::abs, {t}, nullptr, target);
  if (target.inplace) raise(PyExc_RuntimeError, "In-place abs is not supported for complex tensors.");
  Tensor result = abs_complex(t);
  if (!target.out) return result;
  prepare_out(target.out, result.sizes());
  copy_elements(target.out, result);
  return target.out;
}

Tensor invert(const Target& target, PyObject* x) {
  Tensor t = Tensor::borrow(x);
  return apply(is_bool(t.dtype()) ? OpId::logical_not : OpId::bitwise_not, {t}, nullptr, target);
}

Tensor round_to(const Target& target, PyObject* x, PyObject* decimals) {
  double places = to_double(decimals);
  if (places == 0) return apply(OpId::round, {Tensor::borrow(x)}, nullptr, target);
  return apply(OpId::round_decimals, {Tensor::borrow(x)}, &places, target);
}

Tensor logit_of(const Target& target, PyObject* x, PyObject* eps) {
  double e = eps == Py_None ? -1 : to_double(eps);
  return apply(OpId::logit, {Tensor::borrow(x)}, &e, target);
}

// None stands for the largest and smallest finite values of the dtype; the kernel takes infinity for that.
Tensor without_nan(const Target& target, PyObject* x, PyObject* nan, PyObject* positive, PyObject* negative) {
  double p[3] = {nan == Py_None ? 0 : to_double(nan), positive == Py_None ? HUGE_VAL : to_double(positive),
                 negative == Py_None ? -HUGE_VAL : to_double(negative)};
  return apply(OpId::nan_to_num, {Tensor::borrow(x)}, p, target);
}

Tensor polygamma_of(const Target& target, PyObject* n, PyObject* x) {
  double order = static_cast<double>(to_int(n));
  if (order < 0) raise(PyExc_RuntimeError, "polygamma(n, x) does not support negative n.");
  return apply(OpId::polygamma, {Tensor::borrow(x)}, &order, target);
}

Tensor sign_of(const Target& target, PyObject* x) {
  Tensor t = Tensor::borrow(x);
  if (is_complex(t.dtype())) raise(PyExc_RuntimeError, "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
  return apply(OpId::sign, {t}, nullptr, target);
}

Tensor gelu_of(PyObject* x, const std::string& approximate) {
  if (approximate == "none") return elementwise(OpId::gelu, {Tensor::borrow(x)});
  if (approximate == "tanh") return elementwise(OpId::gelu_tanh, {Tensor::borrow(x)});
  raise(PyExc_RuntimeError, "approximate argument must be either none or tanh.");
}

Tensor where_of(const Tensor& condition, const Operand& a, const Operand& b) {
  if (!is_bool(condition.dtype()) && condition.dtype() != DType::UInt8) {
    raise(PyExc_RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with dtype ", facts(condition.dtype()).tensor_name);
  }
  return elementwise(OpId::where, {Operand(condition), a, b});
}

void define_special() {
  for (bool subtract : {false, true}) {
    define_forms(
        subtract ? "sub" : "add", "Operand input, Operand other, *, Number alpha=1",
        [subtract](const Target& t, const BoundArguments& a) { return add_or_sub(subtract, t, a[0], a[1], a[2]); }, true);
  }
  define("rsub(Tensor input, Operand other, *, Number alpha=1)", kFunction, [](const Tensor& x, const Operand& other, double alpha) {
    refuse_bool_subtraction(Operand(x), other);
    return elementwise(OpId::rsub, {Operand(x), other}, &alpha);
  });
  define_forms(
      "div", "Operand input, Operand other, *, str? rounding_mode=None",
      [](const Target& t, const BoundArguments& a) { return divide(t, a[0], a[1], a[2]); }, true);
  define_forms("floor_divide", "Operand input, Operand other", [](const Target& t, const BoundArguments& a) {
    return apply(OpId::div_floor, {to_operand(a[0]), to_operand(a[1])}, nullptr, t);
  });
  define_forms("clamp", "Tensor input, Operand? min=None, Operand? max=None",
               [](const Target& t, const BoundArguments& a) { return clamp(t, a[0], a[1], a[2]); });
  define_forms("clamp_min", "Tensor input, Operand min",
               [](const Target& t, const BoundArguments& a) { return clamp(t, a[0], a[1], Py_None); });
  define_forms("clamp_max", "Tensor input, Operand max",
               [](const Target& t, const BoundArguments& a) { return clamp(t, a[0], Py_None, a[1]); });
  define_forms("abs", "Tensor input", [](const Target& t, const BoundArguments& a) { return magnitude(t, a[0]); });
  define_forms("bitwise_not", "Tensor input", [](const Target& t, const BoundArguments& a) { return invert(t, a[0]); });
  define_forms(
      "round", "Tensor input, *, int decimals=0",
      [](const Target& t, const BoundArguments& a) { return round_to(t, a[0], a[1]); }, true);
  define_forms("logit", "Tensor input, float? eps=None", [](const Target& t, const BoundArguments& a) { return logit_of(t, a[0], a[1]); });
  define_forms("nan_to_num", "Tensor input, float? nan=None, float? posinf=None, float? neginf=None",
               [](const Target& t, const BoundArguments& a) { return without_nan(t, a[0], a[1], a[2], a[3]); });
  define_forms("sign", "Tensor input", [](const Target& t, const BoundArguments& a) { return sign_of(t, a[0]); });
  define("angle(Tensor input, *, Tensor? out=None)", kBoth, [](const Tensor& x) { return elementwise(OpId::angle, {Operand(x)}); });
  define("positive(Tensor input)", kBoth, [](const Tensor& x) {
    if (is_bool(x.dtype())) raise(PyExc_RuntimeError, "The `+` operator, on a bool tensor is not supported.");
    return x;
  });
  define_call(Signature::parse("polygamma(int n, Tensor input, *, Tensor? out=None)"), kFunction,
              [](const BoundArguments& a) { return to_python(polygamma_of(Target{false, out_of(a[2])}, a[0], a[1])); });
  define("polygamma(Tensor input, int n)", kMethod, [](PyObject* x, PyObject* n) { return polygamma_of(Target{}, n, x); });
  define("polygamma_(Tensor input, int n)", kMethod, [](PyObject* x, PyObject* n) { return polygamma_of(Target{true, Tensor()}, n, x); });
  define("gelu(Tensor input, *, str approximate='none')", kFunction, gelu_of);
  define("where(Tensor condition, Operand input, Operand other, *, Tensor? out=None)", kFunction, where_of);
  define("where(Tensor input, Tensor condition, Operand other)", kMethod,
         [](const Tensor& x, const Tensor& condition, const Operand& other) { return where_of(condition, Operand(x), other); });
}

}  // namespace

void bind_elementwise() {
  define_special();
  for (const OpRecord& op : op_table()) {
    if (!listed(kInternal, op.name)) bind_line(op);
    describe_callable(op.name, description_of(op));
    describe_callable(std::string(op.name) + "_", description_of(op));
  }
  for (const OpAlias& alias : op_aliases()) {
    define_alias(alias.name, alias.target);
    define_alias(std::string(alias.name) + "_", std::string(alias.target) + "_");
    describe_callable(alias.name, description_of(*find_op(alias.target)));  // names bound by define_special
  }
}

}  // namespace chainrule
