// vmap: calls on batched tensors go to Python.
#pragma once
#include <Python.h>

namespace chainrule {

// How many calls of vmap we are inside of, less those that the rule being run has peeled off.
extern thread_local int vmap_depth __attribute__((tls_model("initial-exec")));
// The class of tensors that vmap hands to its function, and what a call does with them: handler(function, args,
// kwargs).
// `subscript` and `assign` are x[key] and x[key] = value as functions.
void set_batched_type(PyTypeObject* type, PyObject* handler, PyObject* subscript, PyObject* assign);
bool is_batched(PyObject* o);
// It is one, or a list or tuple with one inside: in a key, a tuple of lists. Lists may contain themselves.
bool holds_batched(PyObject* o, int deep = 2);
PyObject* subscript_batched(PyObject* self, PyObject* key);
PyObject* assign_batched(PyObject* self, PyObject* key, PyObject* value);
[[noreturn]] void raise_batched_write(const char* function);
PyObject* call_batched(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* keywords);
[[noreturn]] void raise_escaped(const char* function);
// backward(), requires_grad_() and retain_grad() are for graphs of the user's own.
[[noreturn]] void raise_in_transform(const char* method);
void refuse_in_transform(const char* method);  // within vmap, func.grad and their kin

}  // namespace chainrule
