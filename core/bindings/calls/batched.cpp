// vmap: calls on batched tensors go to Python.
#include "bindings/calls/batched.hpp"

#include <algorithm>

#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"
#include "tensor/storage.hpp"

namespace chainrule {

// vmap gives its function tensors of a Python class that hide one dimension. While vmap runs, every call of a function
// of the core goes to a handler in Python, which finds the rule for that function: func/batched.py. Python's operators
// and subscripts reach it through the class's own methods. Outside of vmap all this costs one look at vmap_depth.
thread_local int vmap_depth = 0;
namespace {
PyTypeObject* batched_type = nullptr;
PyObject *batched_handler = nullptr, *subscript_function = nullptr, *assign_function = nullptr;
}  // namespace

void set_batched_type(PyTypeObject* type, PyObject* handler, PyObject* subscript, PyObject* assign) {
  subscript_function = Py_NewRef(subscript);
  assign_function = Py_NewRef(assign);
  batched_type = reinterpret_cast<PyTypeObject*>(Py_NewRef((PyObject*)type));
  batched_handler = Py_NewRef(handler);
}

bool is_batched(PyObject* o) { return batched_type && Py_TYPE(o) == batched_type; }

PyObject* call_batched(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  Owned positional(checked(PyTuple_New(n))), named(checked(PyDict_New()));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    checked(PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[n + i]));
  PyObject* all[] = {function, positional.get(), named.get()};
  return handed_on(PyObject_Vectorcall(batched_handler, all, 3, nullptr));
}

bool holds_batched(PyObject* o, int deep) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return is_batched(o);
  if (deep == 0) return false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  return std::any_of(items, items + PySequence_Fast_GET_SIZE(o),
                     [&](PyObject* item) { return holds_batched(item, deep - 1); });
}

PyObject* subscript_batched(PyObject* self, PyObject* key) {
  PyObject* args[] = {self, key};
  return call_batched(subscript_function, args, 2, nullptr);
}

PyObject* assign_batched(PyObject* self, PyObject* key, PyObject* value) {
  PyObject* args[] = {self, key, value};
  return call_batched(assign_function, args, 3, nullptr);
}

void raise_batched_write(const char* function) {
  raise(
      PyExc_RuntimeError, "vmap: ", function,
      "(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements "
      "than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a vmap. "
      "Please "
      "try to use out-of-place operators instead of ",
      function,
      ". Or make `self` inside the function that vmap calls from a tensor that is vmapped over (x.new_zeros).");
}

void raise_escaped(const char* function) {
  raise(PyExc_RuntimeError, function,
        "() was called with a tensor that belongs to a call of vmap which has ended. Return it from the function that "
        "vmap calls; outside of it the tensor has no meaning.");
}

void raise_in_transform(const char* method) {
  std::string_view name = method;
  if (name == "backward") {
    raise(PyExc_RuntimeError,
          "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
          "functorch.vjp instead or call backward() outside of functorch transforms.");
  }
  raise(PyExc_RuntimeError, "You are attempting to call Tensor.", method, "()",
        name == "requires_grad_" ? " (or perhaps using torch.autograd.functional.* APIs)" : "",
        " inside of a function being transformed by a functorch transform. This is unsupported, please attempt to use "
        "the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call ",
        method, "() outside of a function being transformed instead.");
}

void refuse_in_transform(const char* method) {
  if (Storage::transform || vmap_depth > 0) raise_in_transform(method);
}

}  // namespace chainrule
