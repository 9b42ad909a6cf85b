// Subclasses of Tensor: results of operations on them keep their class, and a class may take operations over.
#pragma once
#include <string>

#include "tensor/onlookers.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {
// A class with a __torch_function__ of its own is asked first: it gets the function and the arguments and says what the
// result is. Tensor's own __torch_function__ means "run the operation and give the result my class", which the core
// does without the detour. Only classes made in Python can have one, so arguments of built-in types and plain tensors
// cost a look at their type and no more.
struct Classes {
  PyTypeObject* result = nullptr;  // that results take; null: plain tensors
  bool override = false;           // some argument's class takes the operation over
  bool only_elsewhere = false;     // no class does, but some argument is not on the CPU
  bool sparse = false;             // no class does, but some argument is sparse or of a class that dispatches
  bool dispatches = false;         // some argument's class does
};
Classes classes_of(PyObject* const* args, Py_ssize_t n);

// A watcher sees every call before any class is asked: watcher(function, args, kwargs) runs the function itself and
// says what the result is. What it calls is not watched. Null: nobody watches.
extern bool watching;  // a quick first look
void set_watcher(PyObject* watcher);
void let_watch(bool on);  // by the watcher: whether the calls that it makes itself are watched too

// Whether an object's class may have a say; all others are plain.
inline bool may_have_a_say(PyObject* o) {
  return onlookers || (Py_TYPE(o) != &TensorType && Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

// The class that results take, or null for plain tensors. Parameters give plain tensors.
inline PyTypeObject* subclass_of(PyObject* const* args, Py_ssize_t n) { return classes_of(args, n).result; }
// Takes over `result`; plain tensors in it (also inside a tuple) become instances of `type`.
PyObject* as_subclass(PyTypeObject* type, PyObject* result);
// Raises for nested tensors, which to the core are their packed values: see python/chainrule/nested/kinds.py.
void refuse_nested(const char* name, PyObject* data);
// Instances of this class and of classes derived from it give plain results.
void set_parameter_type(PyTypeObject* type);

// Calls the __torch_function__ of the arguments' classes in PyTorch's order until one answers. `name` is what an error
// calls the function. Null without an error if all returned NotImplemented and `gives_up`; else that raises.
PyObject* call_override(PyObject* function, const char* name, PyObject* args, PyObject* kwargs, bool gives_up = false);
PyObject* call_override(PyObject* function, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
// For the method of this name of Tensor; takes `args` over, and gives NotImplemented to Python if nobody answered.
PyObject* call_override_of_operator(const std::string& name, PyObject* args);

// The two answers that are no override: Tensor's own, and "results are plain tensors".
void set_torch_functions(PyObject* ordinary, PyObject* disabled);
// Whether classes have their say on this thread.
bool overriding_enabled();
void set_overriding_enabled(bool on);

}  // namespace chainrule
