// In which forms PyTorch has each name of the table, and how a function is registered in them.
#include "bindings/calls/elementwise_forms.hpp"

#include "autograd/inplace.hpp"
#include "ops/elementwise/refusals.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

// Those of the table's line, or of the alias.
const Attributes* attributes_of(std::string_view name) {
  for (const OpAlias& alias : op_aliases()) {
    if (name == alias.name) return &alias.attributes;
  }
  const OpRecord* op = find_op(name);
  return op ? &op->attributes : nullptr;
}

}  // namespace

uint8_t places_of(std::string_view name) {
  const Attributes* own = attributes_of(name);
  if (own && own->places != USUAL) return own->places;
  if (name.starts_with("special_")) return FUNCTION;
  const OpRecord* op = find_op(name);
  bool unary = op && op->input_count == 1;
  return FUNCTION | (unary ? FUNCTION_ : 0) | METHOD | METHOD_;
}

Tensor apply(OpId id, std::initializer_list<Operand> operands, const double* parameters, const Target& target) {
  std::span<const Operand> in(operands.begin(), operands.size());
  if (target.inplace) return elementwise_inplace(id, in, parameters);
  if (target.out) return elementwise_out(id, in, parameters, target.out);
  return elementwise(id, in, parameters);
}

Tensor deliver(const Tensor& result, const Target& target, PyObject* self) {
  if (target.inplace) {
    Tensor to = Tensor::borrow(self);
    copy_(to, result);
    return to;
  }
  if (!target.out) return result;
  check_out_unrecorded("", {&result, &target.out});
  check_cast(result.dtype(), target.out.dtype());
  prepare_out(target.out, result.sizes());
  copy_elements(target.out, result);
  mark_written(target.out);
  return target.out;
}

void raise_two_numbers(const char* name, const BoundArguments& a) {
  PyObject* numbers[] = {a[0], a[1]};
  raise_no_overload(*find_callable(name, false), numbers, 2, nullptr);
}

void define_forms(const std::string& name, const std::string& arguments, Form f, bool has_out) {
  uint8_t places = places_of(name);
  std::string out = arguments.find("*, ") == arguments.npos ? ", *, Tensor? out=None)" : ", Tensor? out=None)";
  Signature plain = Signature::parse(name + "(" + arguments + ")"),
            inplace = Signature::parse(name + "_(" + arguments + ")");
  if (inplace.parameters[0].kind == Kind::Operand) inplace.parameters[0].kind = Kind::Tensor;  // nothing to write into
  auto out_at = static_cast<int>(plain.parameters.size());
  Call fresh = [f](const BoundArguments& a) { return to_python(f(Target{}, a)); };
  Call filled = [f, out_at](const BoundArguments& a) { return to_python(f(given_out(a[out_at]), a)); };
  Call written = [f](const BoundArguments& a) { return to_python(f(Target{true, Tensor()}, a)); };
  Forms function = places & FUNCTIONAL ? kFunctional : kFunction;
  if (has_out)
    define_call(Signature::parse(name + "(" + arguments + out), function, filled);
  else
    define_call(plain, function, fresh);
  if (places & METHOD) define_call(plain, kMethod, fresh);
  if (places & FUNCTION_) define_call(inplace, function, written);
  if (places & METHOD_) define_call(inplace, kMethod, written);
}

}  // namespace chainrule
