// Subclasses of Tensor: results of operations on them keep their class, and a class may take operations over.
#include "bindings/types/subclass.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/forward_mode.hpp"
#include "autograd/record.hpp"
#include "bindings/calls/devices.hpp"
#include "ops/elementwise/pending.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {

bool watching = false;

namespace {

PyTypeObject* parameter_type = nullptr;
PyObject *ordinary_function = nullptr, *disabled_function = nullptr;  // strong
thread_local bool overriding = true;
PyObject* watcher = nullptr;  // strong
thread_local bool in_watcher = false;

PyObject* function_name() {
  static PyObject* name = PyUnicode_InternFromString("__torch_function__");
  return name;
}

bool is_parameter_class(PyTypeObject* type) { return parameter_type && PyType_IsSubtype(type, parameter_type); }

// The class's __torch_function__ as it stands in the class, borrowed; null if it has no say. A class that dispatches
// makes its results itself, so the one that every class has is not for it.
PyObject* say_of(PyTypeObject* type) {
  PyObject* f = _PyType_Lookup(type, function_name());
  if (f == ordinary_function && classes_dispatch && has_dispatch(type)) return nullptr;
  return f == disabled_function ? nullptr : f;
}

void look_at_class(PyTypeObject* type, Classes& found) {
  PyObject* say = say_of(type);
  if (classes_dispatch && PyType_IsSubtype(type, &TensorType) && has_dispatch(type)) found.dispatches = true;
  if (say && say != ordinary_function) found.override = true;
  if (!say || !PyType_IsSubtype(type, &TensorType) || is_parameter_class(type)) return;
  if (!found.result || PyType_IsSubtype(type, found.result))
    found.result = type;
  else if (!PyType_IsSubtype(found.result, type))
    found.override = true;  // unrelated classes: neither knows what the result is
}

// A list of plain numbers has nothing to say; the first entry tells.
bool holds_numbers(PyObject* sequence) {
  if (PySequence_Fast_GET_SIZE(sequence) == 0) return true;
  PyObject* first = PySequence_Fast_GET_ITEM(sequence, 0);
  return PyFloat_CheckExact(first) || PyLong_CheckExact(first);
}

// A tensor that is neither on the CPU nor where this thread works already, or a list or tuple with one.
bool is_elsewhere(PyObject* o) {
  const Device device = device_of_argument(o);
  return device != Device::CPU && device != Storage::making.device && !mixing_devices;
}
bool holds_elsewhere(PyObject* o) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) return is_elsewhere(o);
  PyObject** entries = PySequence_Fast_ITEMS(o);
  return std::any_of(entries, entries + PySequence_Fast_GET_SIZE(o), is_elsewhere);
}

// Calls f with what has a class of its own: the argument, or, as in cat([x, y]), the entries of a list. A list within a
// list is data, as it is in PyTorch; it might contain itself.
template <class F>
void each_object(PyObject* o, F f) {
  if (Py_TYPE(o) == &TensorType) return;
  if (!PyList_Check(o) && !PyTuple_Check(o)) {
    if (Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE) f(o);
    return;
  }
  if (holds_numbers(o)) return;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* entry = PySequence_Fast_GET_ITEM(o, i);
    bool plain = Py_TYPE(entry) == &TensorType || PyList_Check(entry) || PyTuple_Check(entry);
    if (!plain && (Py_TYPE(entry)->tp_flags & Py_TPFLAGS_HEAPTYPE)) f(entry);
  }
}

// The same value, layout and history as an instance of `type`.
PyObject* recast(PyTypeObject* type, PyObject* plain) {
  Tensor from = Tensor::borrow(plain), to = alias_as(type, from);
  to->output_number = from->output_number;
  to->flags |= from->flags & (kRequiresGrad | kViewNoGrad | kViewOfMany);
  to->view_epoch = from->view_epoch;
  to->base = reinterpret_cast<TensorObject*>(Py_XNewRef((PyObject*)from->base));
  to->node = reinterpret_cast<Node*>(Py_XNewRef((PyObject*)from->node));
  if (forward_mode::active() && forward_mode::has_tangent(from.get())) [[unlikely]]
    forward_mode::set_tangent(to, forward_mode::tangent(from));
  Py_DECREF(plain);
  return to.release_py();
}

// ---- overriding

// One argument of each class that has a say, in the order of asking: from the left, a subclass before its base.
void ask(PyObject* o, std::vector<PyObject*>& asked) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject* say = say_of(type);
  if (!say || (say == ordinary_function && is_parameter_class(type))) return;
  auto at = asked.end();
  for (auto it = asked.begin(); it != asked.end(); ++it) {
    if (Py_TYPE(*it) == type) return;
    if (at == asked.end() && PyType_IsSubtype(type, Py_TYPE(*it))) at = it;
  }
  asked.insert(at, o);
}

void gather(PyObject* o, std::vector<PyObject*>& asked) {
  each_object(o, [&](PyObject* found) { ask(found, asked); });
}

PyObject* types_of(const std::vector<PyObject*>& asked) {
  PyObject* types = checked(PyTuple_New(static_cast<Py_ssize_t>(asked.size())));
  for (size_t i = 0; i < asked.size(); ++i) PyTuple_SET_ITEM(types, i, Py_NewRef((PyObject*)Py_TYPE(asked[i])));
  return types;
}

[[noreturn]] void raise_unanswered(const char* name, const std::vector<PyObject*>& asked) {
  std::string list;
  for (PyObject* o : asked) {
    Owned shown(from_python(PyObject_Repr((PyObject*)Py_TYPE(o))));
    list +=
        std::string("\n\n  - ") + (is_tensor(o) ? "tensor subclass " : "object of ") + PyUnicode_AsUTF8(shown.get());
  }
  raise(PyExc_TypeError, "Multiple dispatch failed for 'torch.", name,
        "'; all __torch_function__ handlers returned NotImplemented:", list);
}

PyObject* call_watcher(PyObject* function, PyObject* args, PyObject* kwargs) {
  struct Inside {
    Inside() { in_watcher = true; }
    ~Inside() { in_watcher = false; }
  } inside;
  Owned held(Py_NewRef(watcher));  // it may take itself off
  return handed_on(PyObject_CallFunctionObjArgs(held.get(), function, args, kwargs, nullptr));
}

}  // namespace

void set_watcher(PyObject* w) {
  onlookers += (w != nullptr) - watching;
  watching = w != nullptr;
  may_wait = !watching;
  PyObject* old = std::exchange(watcher, Py_XNewRef(w));
  Py_XDECREF(old);
}

void let_watch(bool on) { in_watcher = !on; }

void set_parameter_type(PyTypeObject* type) { parameter_type = type; }
void set_torch_functions(PyObject* ordinary, PyObject* disabled) {
  ordinary_function = Py_NewRef(ordinary);
  disabled_function = Py_NewRef(disabled);
}
bool overriding_enabled() { return overriding; }
void set_overriding_enabled(bool on) { overriding = on; }

Classes classes_of(PyObject* const* args, Py_ssize_t n) {
  Classes found;
  for (Py_ssize_t i = 0; i < n; ++i) {
    each_object(args[i], [&](PyObject* o) { look_at_class(Py_TYPE(o), found); });
  }
  const bool dispatches = found.dispatches;  // below all that __torch_function__ does
  if (!overriding) found = Classes();
  if (watching && !in_watcher) found.override = true;
  if (storages_elsewhere > 0 && std::any_of(args, args + n, holds_elsewhere)) [[unlikely]] {
    found.only_elsewhere = !found.override;
    found.override = true;
  }
  if (dispatches || (sparse_tensors > 0 && std::any_of(args, args + n, holds_sparse))) [[unlikely]] {
    found.sparse = !found.override || found.only_elsewhere;
    found.override = true;
  }
  return found;
}

void refuse_nested(const char* name, PyObject* data) {
  if (!is_tensor(data) || Py_TYPE(data) == &TensorType) return;
  Owned nested(checked(PyObject_GetAttrString(data, "is_nested")));
  if (nested.get() == Py_True)
    raise(PyExc_NotImplementedError, name, "() takes no nested tensor; values() has its items");
}

PyObject* as_subclass(PyTypeObject* type, PyObject* result) {
  if (Py_TYPE(result) == &TensorType) return recast(type, result);
  if (PyTuple_Check(result) && Py_REFCNT(result) == 1) {  // plain or with named fields
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
      PyTuple_SET_ITEM(result, i, as_subclass(type, PyTuple_GET_ITEM(result, i)));
    }
  }
  return result;
}

PyObject* call_override(PyObject* function, const char* name, PyObject* args, PyObject* kwargs, bool gives_up) {
  if (watching && !in_watcher) return call_watcher(function, args, kwargs);
  std::vector<PyObject*> asked;
  PyObject *key, *value;
  if (overriding) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) gather(PyTuple_GET_ITEM(args, i), asked);
    for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) gather(value, asked);
  }
  if (asked.empty()) return call_elsewhere(function, args, kwargs);
  Owned types(types_of(asked));
  for (PyObject* o : asked) {
    Owned handler(from_python(PyObject_GetAttr(o, function_name())));
    PyObject* answer =
        handed_on(PyObject_CallFunctionObjArgs(handler.get(), function, types.get(), args, kwargs, nullptr));
    if (answer != Py_NotImplemented) return answer;
    Py_DECREF(answer);
  }
  if (gives_up) return nullptr;
  raise_unanswered(name, asked);
}

PyObject* call_override_of_operator(const std::string& name, PyObject* args) {
  Owned positional(args), named(checked(PyDict_New()));
  Owned function(from_python(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&TensorType), name.c_str())));
  PyObject* result = call_override(function.get(), name.c_str(), args, named.get(), true);
  return result ? result : Py_NewRef(Py_NotImplemented);
}

PyObject* call_override(PyObject* function, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  Owned positional(checked(PyTuple_New(n))), named(checked(PyDict_New()));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    checked(PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[n + i]));
  return call_override(function, name, positional.get(), named.get());
}

}  // namespace chainrule
