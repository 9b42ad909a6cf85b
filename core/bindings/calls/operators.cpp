// Python's operators on tensors: number slots that go straight to the table.
#include "bindings/calls/operators.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "bindings/calls/autocast.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/unresolved.hpp"
#include "bindings/types/buffer.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "tensor/item.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

// A tensor or a plain number; false: let Python try the other operand.
inline bool read_operand(PyObject* o, Operand& operand) {
  if (Py_TYPE(o) == &TensorType) {
    operand.tensor = reinterpret_cast<TensorObject*>(o);
  } else if (PyFloat_CheckExact(o)) {
    operand.scalar = Scalar(PyFloat_AS_DOUBLE(o));
  } else if (is_tensor(o)) {
    operand.tensor = reinterpret_cast<TensorObject*>(o);
  } else if (is_number(o)) {
    operand.scalar = to_scalar(o);
  } else {
    return false;
  }
  return true;
}

inline PyObject* finish(Tensor result, PyObject* a, PyObject* b) {
  if (Py_TYPE(a) == &TensorType && Py_TYPE(b) == &TensorType) [[likely]]
    return result.release_py();
  PyObject* args[2] = {a, b};
  PyTypeObject* subclass = subclass_of(args, 2);
  return subclass ? as_subclass(subclass, result.release_py()) : result.release_py();
}

// ---- operators that a class takes over; see bindings/types/subclass.hpp

// The function that stands for an operator: "add" for x + y and y + x, "__rsub__" for 1 - x.
std::string function_of(const char* op, bool reflected) {
  std::string_view name = op;
  if (name == "add" || name == "mul") return op;
  if (reflected) {
    if (name == "div") name = "truediv";
    if (name == "remainder") name = "mod";
  } else if (name == "sub" || name == "div" || name == "remainder" || name == "pow" || name == "matmul") {
    return op;
  }
  return std::string(reflected ? "__r" : "__").append(name).append("__");
}

// A batched tensor on the right of another class's instance, a Parameter, say: Python asks it next, and its methods
// know the rules. (Of a plain tensor's it is a subclass, and is asked first.)
inline bool is_for_batched(PyObject* a, PyObject* b, PyObject*& result) {
  if (vmap_depth == 0 || !is_batched(b) || is_batched(a)) [[likely]]
    return false;
  result = Py_NewRef(Py_NotImplemented);
  return true;
}

// True when a class answered; `result` is what it said. Quick for plain operands.
inline bool overridden(const char* op, PyObject* a, PyObject* b, PyObject*& result) {
  if (!may_have_a_say(a) && !may_have_a_say(b)) [[likely]]
    return false;
  if (is_for_batched(a, b, result)) return true;
  PyObject* args[2] = {a, b};
  if (!classes_of(args, 2).override) return false;
  bool reflected = !is_tensor(a);
  std::string name = function_of(op, reflected);
  result = guarded(
      [&] { return call_override_of_operator(name, checked(PyTuple_Pack(2, reflected ? b : a, reflected ? a : b))); });
  return true;
}
inline bool overridden_here(const char* function, PyObject* a, PyObject* b, PyObject*& result) {
  PyObject* args[2] = {a, b ? b : a};
  if (!may_have_a_say(a) && !may_have_a_say(args[1])) [[likely]]
    return false;
  if (!classes_of(args, 2).override) return false;
  result = guarded([&] { return call_override_of_operator(function, checked(PyTuple_Pack(b ? 2 : 1, a, b))); });
  return true;
}

// ---- operators on unresolved tensors; see Note [Unresolved tensors]

inline bool may_be_unresolved(PyObject* a, PyObject* b) { return onlookers && (is_unresolved(a) || is_unresolved(b)); }

// The operator on resolved copies. What an in-place one wrote goes back.
PyObject* on_resolved(binaryfunc f, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    PyObject* args[2] = {a, b};
    ResolvedArguments resolved(args, 2);
    PyObject* result = resolved.finish(checked(f(resolved.data()[0], resolved.data()[1])));
    PyTypeObject* subclass = result == a || result == b ? nullptr : subclass_of(args, 2);
    return subclass ? as_subclass(subclass, result) : result;
  });
}
PyObject* on_resolved(unaryfunc f, PyObject* a) {
  return guarded([&]() -> PyObject* {
    Tensor resolved = resolved_argument(a);
    return finish(Tensor::steal(reinterpret_cast<TensorObject*>(checked(f(resolved.py())))), a, a);
  });
}

PyObject* apply(OpId id, PyObject* a, PyObject* b) {
  return guarded_unsettled([&]() -> PyObject* {
    Operand operands[2];
    if (!read_operand(a, operands[0]) || !read_operand(b, operands[1])) return Py_NewRef(Py_NotImplemented);
    return finish(elementwise_later(id, std::span<const Operand>(operands, 2)), a, b);
  });
}

// A name as a template's argument.
template <size_t n>
struct Name {
  consteval Name(const char (&given)[n]) { std::copy_n(given, n, text); }  // NOLINT: a string is a name
  char text[n];
};

// `name` as in Python's method of the operator, __and__.
template <OpId id, Name name>
PyObject* binary(PyObject* a, PyObject* b) {
  if (PyObject* result; overridden(name.text, a, b, result)) return result;
  if (may_be_unresolved(a, b)) [[unlikely]]
    return on_resolved(binary<id, name>, a, b);
  return apply(id, a, b);
}

PyObject* apply_inplace(OpId id, PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    Operand operands[2];
    if (!is_tensor(self) || !read_operand(other, operands[1])) return Py_NewRef(Py_NotImplemented);
    if (vmap_depth > 0 && is_batched(other)) [[unlikely]]
      raise_batched_write("inplace arithmetic");
    operands[0].tensor = reinterpret_cast<TensorObject*>(self);
    elementwise_inplace(id, std::span<const Operand>(operands, 2));
    return Py_NewRef(self);
  });
}

// `function` is what stands for it: x += y is x.add_(y); x //= y and x &= y have no such method of their own.
template <OpId id, Name function>
PyObject* inplace(PyObject* self, PyObject* other) {
  if (PyObject* result; overridden_here(function.text, self, other, result)) return result;
  if (may_be_unresolved(self, other)) [[unlikely]]
    return on_resolved(inplace<id, function>, self, other);
  return apply_inplace(id, self, other);
}

template <OpId id, Name function>
PyObject* unary(PyObject* self) {
  if (PyObject* result; overridden_here(function.text, self, nullptr, result)) return result;
  if (is_unresolved(self)) [[unlikely]]
    return on_resolved(unary<id, function>, self);
  return guarded_unsettled([&] {
    Operand operand;
    operand.tensor = reinterpret_cast<TensorObject*>(self);
    return finish(elementwise_later(id, std::span<const Operand>(&operand, 1)), self, self);
  });
}

// number - tensor is rsub, as in PyTorch, and named so in the graph.
PyObject* subtract(PyObject* a, PyObject* b) {
  if (PyObject* result; overridden("sub", a, b, result)) return result;
  if (may_be_unresolved(a, b)) [[unlikely]]
    return on_resolved(subtract, a, b);
  if (is_tensor(a) || !is_tensor(b)) return apply(OpId::sub, a, b);
  return guarded_unsettled([&]() -> PyObject* {
    Operand operands[2];
    if (!read_operand(b, operands[0]) || !read_operand(a, operands[1])) return Py_NewRef(Py_NotImplemented);
    double alpha = 1;
    return finish(elementwise_later(OpId::rsub, std::span<const Operand>(operands, 2), &alpha), a, b);
  });
}

// number / tensor is the tensor's reciprocal times the number, as PyTorch rounds and saves.
PyObject* divide(PyObject* a, PyObject* b) {
  if (PyObject* result; overridden("div", a, b, result)) return result;
  if (may_be_unresolved(a, b)) [[unlikely]]
    return on_resolved(divide, a, b);
  if (is_tensor(a) || !is_tensor(b)) return apply(OpId::div, a, b);
  return guarded_unsettled([&]() -> PyObject* {
    Operand operands[2] = {to_operand(b)};
    bool array = is_array(a);
    if (!array && !read_operand(a, operands[1])) return Py_NewRef(Py_NotImplemented);
    Tensor reciprocal = elementwise_later(OpId::reciprocal, std::span<const Operand>(operands, 1));
    if (array) return PyNumber_Multiply(reciprocal.py(), a);
    operands[0] = Operand(reciprocal);
    return finish(elementwise_later(OpId::mul, std::span<const Operand>(operands, 2)), a, b);
  });
}

// x ** 2 and its kin: small whole exponents need no logarithm.
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  if (!autocasting) [[likely]]
    return binary<OpId::pow, "pow">(a, b);
  return guarded([&]() -> PyObject* {
    const Owned base(is_tensor(a) ? cast_of_power(Tensor::borrow(a)).release_py() : Py_NewRef(a));
    const Owned exponent(is_tensor(b) ? cast_of_power(Tensor::borrow(b)).release_py() : Py_NewRef(b));
    return binary<OpId::pow, "pow">(base.get(), exponent.get());
  });
}
PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) { return inplace<OpId::pow, "pow_">(a, b); }

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  if (PyObject* result; overridden("matmul", a, b, result)) return result;
  if (may_be_unresolved(a, b)) [[unlikely]]
    return on_resolved(matrix_multiply, a, b);
  if (!is_tensor(a) || !is_tensor(b)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    Tensor left = Tensor::borrow(a), right = Tensor::borrow(b);
    if (autocasting) [[unlikely]]
      return finish(matmul_later(cast_lower(left), cast_lower(right)), a, b);
    return finish(matmul_later(left, right), a, b);
  });
}

PyObject* absolute(PyObject* self) {
  auto* t = reinterpret_cast<TensorObject*>(self);
  if (PyObject* result; holds_complex(t->dtype) && overridden_here("abs", self, nullptr, result)) return result;
  if (is_unresolved(self)) [[unlikely]]
    return on_resolved(absolute, self);
  if (holds_complex(t->dtype) && !is_sparse(t))
    return guarded([&] { return finish(abs_complex(Tensor::borrow(t)), self, self); });
  return unary<OpId::abs, "abs">(self);
}
PyObject* positive(PyObject* self) {
  if (reinterpret_cast<TensorObject*>(self)->dtype != DType::Bool) return Py_NewRef(self);
  PyErr_SetString(PyExc_RuntimeError, "The `+` operator, on a bool tensor is not supported.");
  return nullptr;
}
PyObject* invert(PyObject* self) {
  DType t = reinterpret_cast<TensorObject*>(self)->dtype;
  if (!is_differentiable(t))
    return t == DType::Bool ? unary<OpId::logical_not, "__invert__">(self)
                            : unary<OpId::bitwise_not, "__invert__">(self);
  PyErr_SetString(PyExc_TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
  return nullptr;
}

// ---- conversion to Python's numbers

Scalar single(PyObject* self) {
  auto* t = reinterpret_cast<TensorObject*>(self);
  if (t->numel != 1) {
    raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars (this one has ", t->numel,
          ")");
  }
  if (is_meta(self) && Storage::making.device != Device::Meta)
    raise(PyExc_RuntimeError, "Tensor.item() cannot be called on meta tensors");
  if (is_sparse(t)) [[unlikely]]
    return item(call_sparse(dispatches(t) ? "scalar" : "dense", Tensor::borrow(t)));
  return item(resolved_argument(self));
}

int truth(PyObject* self) {
  return guarded(
      [&]() -> int {
        auto* t = reinterpret_cast<TensorObject*>(self);
        if (t->numel != 1) {
          raise(PyExc_RuntimeError, "Boolean value of Tensor with ",
                t->numel == 0 ? "no values" : "more than one value", " is ambiguous");
        }
        Scalar s = single(self);
        return s.real != 0 || s.imaginary != 0;
      },
      -1);
}
Scalar real_single(PyObject* self, const char* type) {
  Scalar s = single(self);
  if (s.imaginary == 0) return s;
  raise(PyExc_RuntimeError, "value cannot be converted to type ", type, " without overflow");
}
// Once in a process, as in PyTorch: the number has no history.
void warn_of_lost_history(PyObject* self) {
  static bool warned = false;
  if (warned || !grad_enabled() || !requires_grad(reinterpret_cast<TensorObject*>(self))) return;
  warned = true;
  from_python(PyErr_WarnEx(PyExc_UserWarning,
                           "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                           "Consider using tensor.detach() first.",
                           1));
}
PyObject* to_float(PyObject* self) {
  return guarded([&] {
    double value = real_single(self, "double").real;
    warn_of_lost_history(self);
    return PyFloat_FromDouble(value);
  });
}
PyObject* to_integer(PyObject* self) {
  return guarded([&] {
    Scalar s = real_single(self, "int64_t");
    return s.kind <= Scalar::kInt ? PyLong_FromLongLong(s.integer) : PyLong_FromDouble(s.real);
  });
}
PyObject* to_index(PyObject* self) {
  return guarded([&] {
    auto* t = reinterpret_cast<TensorObject*>(self);
    if (t->numel != 1 || is_differentiable(t->dtype)) {
      raise(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
    }
    return PyLong_FromLongLong(single(self).integer);
  });
}

// x == array compares elements; an array of what no tensor holds differs as a whole.
PyObject* compare_with_array(OpId id, PyObject* a, PyObject* array) {
  return guarded([&]() -> PyObject* {
    Tensor other;
    try {
      other = from_buffer(array);
    } catch (const Error&) {
      return Py_NewRef(Py_NotImplemented);
    }
    return apply(id, a, other.py());
  });
}

template <int op>
PyObject* compare(PyObject* a, PyObject* b) {
  return tensor_compare(a, b, op);
}

}  // namespace

PyObject* tensor_compare(PyObject* a, PyObject* b, int op) {
  static constexpr OpId ids[] = {OpId::lt, OpId::le, OpId::eq, OpId::ne, OpId::gt, OpId::ge};
  static constexpr const char* names[] = {"lt", "le", "__eq__", "ne", "gt", "ge"};
  if (PyObject* result; is_for_batched(a, b, result)) return result;
  if (PyObject* result; overridden_here(names[op], a, b, result)) return result;
  if ((op == Py_EQ || op == Py_NE) && is_array(b)) [[unlikely]]
    return compare_with_array(ids[op], a, b);
  if (may_be_unresolved(a, b)) [[unlikely]] {
    static constexpr binaryfunc functions[] = {compare<Py_LT>, compare<Py_LE>, compare<Py_EQ>,
                                               compare<Py_NE>, compare<Py_GT>, compare<Py_GE>};
    return on_resolved(functions[op], a, b);
  }
  return apply(ids[op], a, b);
}

PyNumberMethods* tensor_number_methods() {
  static PyNumberMethods m = {};
  m.nb_add = binary<OpId::add, "add">;
  m.nb_subtract = subtract;
  m.nb_multiply = binary<OpId::mul, "mul">;
  m.nb_true_divide = divide;
  m.nb_floor_divide = binary<OpId::floor_divide, "floordiv">;
  m.nb_remainder = binary<OpId::remainder, "remainder">;
  m.nb_power = power;
  m.nb_matrix_multiply = matrix_multiply;
  m.nb_and = binary<OpId::bitwise_and, "and">;
  m.nb_or = binary<OpId::bitwise_or, "or">;
  m.nb_xor = binary<OpId::bitwise_xor, "xor">;
  m.nb_lshift = binary<OpId::bitwise_left_shift, "lshift">;
  m.nb_rshift = binary<OpId::bitwise_right_shift, "rshift">;
  m.nb_inplace_add = inplace<OpId::add, "add_">;
  m.nb_inplace_subtract = inplace<OpId::sub, "sub_">;
  m.nb_inplace_multiply = inplace<OpId::mul, "mul_">;
  m.nb_inplace_true_divide = inplace<OpId::div, "div_">;
  m.nb_inplace_floor_divide = inplace<OpId::floor_divide, "__ifloordiv__">;
  m.nb_inplace_remainder = inplace<OpId::remainder, "remainder_">;
  m.nb_inplace_power = inplace_power;
  m.nb_inplace_and = inplace<OpId::bitwise_and, "__iand__">;
  m.nb_inplace_or = inplace<OpId::bitwise_or, "__ior__">;
  m.nb_inplace_xor = inplace<OpId::bitwise_xor, "__ixor__">;
  m.nb_inplace_lshift = inplace<OpId::bitwise_left_shift, "__ilshift__">;
  m.nb_inplace_rshift = inplace<OpId::bitwise_right_shift, "__irshift__">;
  m.nb_negative = unary<OpId::neg, "neg">;
  m.nb_positive = positive;
  m.nb_absolute = absolute;
  m.nb_invert = invert;
  m.nb_bool = truth;
  m.nb_float = to_float;
  m.nb_int = to_integer;
  m.nb_index = to_index;
  return &m;
}

}  // namespace chainrule
