// Every line of elementwise.def as functions and methods, in the forms that PyTorch has.
#include "bindings/bindings.hpp"
#include "bindings/calls/elementwise_forms.hpp"
#include "ops/create/create.hpp"

namespace chainrule {
namespace {

std::string python_name(const char* input) {
  std::string name = input;
  return name == "x" || name == "a" ? "input" : name == "b" ? "other" : name;
}

// "POSITIONAL(beta, 1, threshold, 20)" -> "float beta=1, float threshold=20", with "*, " in front for KEYWORD.
std::string parameters_text(const OpRecord& op) {
  std::string text = op.parameters;
  bool keyword_only = text.starts_with("KEYWORD");
  if (!op.parameter_count) return "";
  text = text.substr(text.find('(') + 1);
  text.pop_back();
  std::string result = keyword_only ? ", *" : "";
  for (size_t at = 0; at < text.size();) {
    size_t middle = text.find(", ", at), end = std::min(text.find(", ", middle + 2), text.size());
    std::string value = text.substr(middle + 2, end - middle - 2);
    result += ", float " + text.substr(at, middle - at) + (value == "REQUIRED" ? "" : "=" + value);
    at = end + 2;
  }
  return result;
}

bool takes_number(const OpRecord& op, int i) {
  bool first = i == 0, last = i == op.input_count - 1;
  if (first == last) return false;
  const Numbers numbers = op.attributes.numbers;
  return numbers == Numbers::First_or_last || (last && numbers == Numbers::Last);
}

std::string inputs_text(const OpRecord& op) {
  std::string text;
  for (int i = 0; i < op.input_count; ++i) {
    text +=
        (i ? ", " : "") + std::string(takes_number(op, i) ? "Operand " : "Tensor ") + python_name(op.input_names[i]);
  }
  return text;
}

// As an element of that dtype: PyTorch compares half numbers with a limit of their own precision.
double rounded_to(DType dtype, double number) {
  if (!is_floating(dtype)) return number;
  alignas(16) char bytes[16];
  store(Scalar(number), dtype, bytes);
  return load(dtype, bytes).real;
}

Tensor call(const OpRecord& op, const Target& target, const BoundArguments& a) {
  Operand operands[kMaxInputs];
  double parameters[8];
  bool any_tensor = false;
  for (int i = 0; i < op.input_count; ++i) {
    operands[i] = to_operand(a[i]);
    any_tensor |= operands[i].tensor != nullptr;
  }
  for (int i = 0; i < op.parameter_count; ++i) parameters[i] = to_double(a[op.input_count + i]);
  if (op.id == OpId::hardshrink && operands[0].tensor)
    parameters[0] = rounded_to(operands[0].tensor->dtype, parameters[0]);
  std::span<const Operand> in(operands, static_cast<size_t>(op.input_count));
  if (!any_tensor && op.id == OpId::mul) {  // of the table's lines only this one multiplies plain numbers in PyTorch
    Tensor first = scalar_tensor(operands[0].scalar, dtype_of(operands[0].scalar));
    return apply(op.id, {Operand(first), operands[1]}, nullptr, target);
  }
  if (!any_tensor) raise_two_numbers(op.name, a);
  if (target.inplace) return elementwise_inplace(op.id, in, parameters);
  return target.out ? elementwise_out(op.id, in, parameters, target.out) : elementwise_later(op.id, in, parameters);
}

// x.sin(): nothing to bind but the tensor itself.
PyObject* quick_line(int id, PyObject* self) {
  Operand operand;
  operand.tensor = reinterpret_cast<TensorObject*>(self);
  return to_python(elementwise_later(static_cast<OpId>(id), {&operand, 1}, nullptr));
}

void bind_line(const OpRecord& op) {
  define_forms(
      op.name, inputs_text(op) + parameters_text(op),
      [&op](const Target& target, const BoundArguments& a) { return call(op, target, a); }, op.attributes.has_out);
  for (bool method : {false, true}) {
    if (Callable* c = find_callable(op.name, method)) c->settles = false;
  }
  if (op.input_count == 1 && !op.parameter_count) define_quick(op.name, {quick_line, static_cast<int>(op.id)});
}

// ---- documentation: the line's own texts

std::string refused_dtypes(Domain d) {
  std::string list;
  auto add = [&](bool taken, const char* name) {
    if (!taken) list += (list.empty() ? " Refuses " : ", ") + std::string(name);
  };
  add(takes_bool(d), "bool");
  add(takes_integers(d) || promotes(d), "integers");
  add(takes_floating(d), "floating dtypes");
  add(d != Domain::WIDEFLOAT, "float16, bfloat16");
  add(takes_complex(d), "complex numbers");
  return list.empty() ? "" : list + ".";
}

std::string dtype_rule(const OpRecord& op) {
  if (op.attributes.dtypes_text) return op.attributes.dtypes_text;
  const char* result = op.is_test            ? "The result is bool."
                       : promotes(op.domain) ? "Bool and integers are converted to the default float dtype first."
                                             : "Keeps the dtype of its inputs, after type promotion.";
  return result + refused_dtypes(op.domain);
}

// "Keeps the dtype ...", then the value and, for each input, the gradient as they stand in the table.
std::string description_of(const OpRecord& op) {
  std::string names, formulas = "    y = " + std::string(op.value) + "\n";
  for (int i = 0; i < op.input_count; ++i) {
    std::string formula = op.input_names[i], name = python_name(op.input_names[i]);
    if (formula != name) names += (names.empty() ? "    where " : ", ") + formula + " is " + name;
    if (op.gradients[i] && !(op.reads[i] & kIsNone))
      formulas += "    gradient of " + name + " = " + op.gradients[i] + "\n";
  }
  if (op.differentiable)
    names += std::string(names.empty() ? "    where " : ", ") + "g is the gradient of y";
  else
    formulas += op.is_test ? "" : "    not differentiable\n";
  return dtype_rule(op) + "\n\n" + formulas + names;
}

}  // namespace

void bind_elementwise() {
  define_choices();
  for (const OpRecord& op : op_table()) {
    if (!op.attributes.is_internal) bind_line(op);
    describe_callable(op.name, description_of(op));
    describe_callable(std::string(op.name) + "_", description_of(op));
  }
  for (const OpAlias& alias : op_aliases()) {
    uint8_t places = places_of(alias.name);
    define_alias(alias.name, alias.target, places & METHOD ? kBoth : kFunction);
    auto inplace = static_cast<Forms>((places & FUNCTION_ ? kFunction : 0) | (places & METHOD_ ? kMethod : 0));
    define_alias(std::string(alias.name) + "_", std::string(alias.target) + "_", inplace);
    describe_callable(alias.name, description_of(*find_op(alias.target)));  // names bound by define_choices
  }
}

}  // namespace chainrule
