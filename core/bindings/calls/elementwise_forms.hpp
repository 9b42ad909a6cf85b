// In which forms PyTorch has each name of the table, and how a function is registered in them.
#pragma once
#include "bindings/calls/callable.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace chainrule {

// The forms of a name, as bits. Names that begin with special_ are functions of the module special.
uint8_t places_of(std::string_view name);

// Where a result goes: a new tensor, the first operand, or the tensor given as out=.
struct Target {
  bool inplace = false;
  Tensor out;
};

inline Target given_out(PyObject* out) { return {false, out == Py_None ? Tensor() : Tensor::borrow(out)}; }

Tensor apply(OpId id, std::initializer_list<Operand> operands, const double* parameters, const Target& target);
// For a result that no line of the table can write: copies it to where it goes.
Tensor deliver(const Tensor& result, const Target& target, PyObject* self);

// Raises TypeError: two numbers, and no tensor among them.
[[noreturn]] void raise_two_numbers(const char* name, const BoundArguments& a);

using Form = std::function<Tensor(const Target&, const BoundArguments&)>;
// Registers f as name(arguments, out=None), name_(arguments) and the methods, wherever places_of(name) says.
void define_forms(const std::string& name, const std::string& arguments, Form f, bool has_out = true);

// The names whose arguments choose between lines of the table, or that are made of several.
void define_choices();

}  // namespace chainrule
