// Calling the user's hooks during a backward pass.
#include "autograd/hooks.hpp"

#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

// Calls each hook with `arguments()`; hands it and what it returns, unless None, to `use`, and then to `check`.
template <class Arguments, class Use, class Check>
void call_each(PyObject* hooks, Arguments arguments, Use use, Check check) {
  if (!hooks) return;
  LineScope own_lines{SourceLine()};          // what a hook calculates belongs to the hook's own lines
  DeviceScope here(Device::CPU);              // and is where it says
  Owned list(checked(PyDict_Values(hooks)));  // a copy, so that a hook may remove itself
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    Owned args(checked(arguments()));
    PyObject* hook = PyList_GET_ITEM(list.get(), i);
    Owned result(from_python(PyObject_CallObject(hook, args.get())));
    if (result.get() != Py_None) use(hook, result.get());
    check(hook);
  }
}

std::string name_of(PyObject* hook) {
  Owned name(PyObject_GetAttrString(hook, "__name__"));
  const char* text = name.get() && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  return text ? text : "<unknown>";
}

// What a gradient was before a hook saw it: the hook may return another one, or lay this one out anew.
struct Kind {
  explicit Kind(const Tensor& gradient) : given(bool(gradient)) {
    if (!given) return;
    sizes = Dims(gradient.sizes());
    dtype = gradient.dtype();
  }

  void check(PyObject* hook, const Tensor& now) const {
    if (!now) return;
    if (now.dtype() != dtype) {
      raise(PyExc_RuntimeError, "hook '", name_of(hook), "' has changed the type of value (was torch.",
            facts(dtype).name, " got torch.", facts(now.dtype()).name, ")");
    }
    if (!equal(now.sizes(), sizes)) {
      raise(PyExc_RuntimeError, "hook '", name_of(hook), "' has changed the size of value (was ", Span(sizes), " got ",
            now.sizes(), ")");
    }
  }
  // What the hook returned in place of a gradient of this kind.
  Tensor replacement(PyObject* result) const {
    if (!given) raise(PyExc_RuntimeError, "can't replace a None gradient with a non-None value");
    if (!is_tensor(result)) {
      raise(PyExc_TypeError, "expected Variable, but hook returned '", Py_TYPE(result)->tp_name,
            "'; return a tensor or None");
    }
    return Tensor::borrow(result);
  }

  Dims sizes;
  DType dtype = DType::Float32;
  bool given;
};

PyObject* gradient_tuple(Tensor* gradients, int n) {
  PyObject* tuple = checked(PyTuple_New(n));
  for (int i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(gradients[i] ? gradients[i].py() : Py_None));
  return tuple;
}

void take_tuple(PyObject* hook, PyObject* result, Tensor* gradients, const std::vector<Kind>& kinds) {
  auto n = static_cast<int>(kinds.size());
  if (!PyTuple_Check(result)) {
    raise(PyExc_TypeError, "expected tuple, but hook returned '", Py_TYPE(result)->tp_name,
          "'; return a tuple of gradients or None");
  }
  Py_ssize_t size = PyTuple_GET_SIZE(result);
  if (size != n) {
    raise(PyExc_RuntimeError, "hook '", name_of(hook), "' has returned an incorrect number of values (got ", size,
          ", but expected ", n, ")");
  }
  for (int i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(result, i);
    gradients[i] = item != Py_None ? resolved(kinds[i].replacement(item)) : Tensor();
  }
}

// Calls hooks that are given tuples and may return one in the place of `gradients`.
template <class Arguments>
void call_on_tuple(PyObject* hooks, Arguments arguments, Tensor* gradients, int n) {
  if (!hooks) return;
  std::vector<Kind> kinds(gradients, gradients + n);
  call_each(
      hooks, arguments, [&](PyObject* hook, PyObject* result) { take_tuple(hook, result, gradients, kinds); },
      [&](PyObject* hook) {
        for (int i = 0; i < n; ++i) kinds[i].check(hook, gradients[i]);
      });
}

// What a weak reference leads to, borrowed, or null; a tensor on its way through backward is alive.
PyObject* referent(PyObject* reference) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* target = nullptr;
  if (PyWeakref_GetRef(reference, &target) < 0) throw PythonError();
  Py_XDECREF(target);
  return target;
#else
  return PyWeakref_GetObject(reference);
#endif
}

void keep_gradient(PyObject* reference, const Tensor& gradient) {
  PyObject* target = referent(reference);
  if (!target || target == Py_None || !gradient) return;
  auto* t = reinterpret_cast<TensorObject*>(target);
  Tensor kept = t->grad ? add_gradients(resolved(Tensor::borrow(t->grad)), gradient) : gradient;
  Py_XDECREF((PyObject*)std::exchange(t->grad, kept.release()));
}

}  // namespace

Tensor run_tensor_hooks(PyObject* hooks, Tensor gradient) {
  if (!hooks) return gradient;
  Kind kind(gradient);
  call_each(
      hooks, [&] { return PyTuple_Pack(1, gradient ? gradient.py() : Py_None); },
      [&](PyObject*, PyObject* result) { gradient = resolved(kind.replacement(result)); },
      [&](PyObject* hook) { kind.check(hook, gradient); });
  return gradient;
}

void run_post_accumulate_hooks(const Tensor& leaf) {
  call_each(
      leaf->extras->post_hooks, [&] { return PyTuple_Pack(1, leaf.py()); },
      [](PyObject*, PyObject* result) {
        if (is_tensor(result)) raise(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None.");
        raise(PyExc_TypeError, "expected Variable, but hook returned '", Py_TYPE(result)->tp_name, "'; return None");
      },
      [](PyObject*) {});
}

void run_output_hooks(Node* n, Tensor* gradients) {
  NodeExtras* e = n->extras;
  for (size_t i = 0; i < e->tensor_hooks.size(); ++i) {
    if (e->tensor_hooks[i]) gradients[i] = run_tensor_hooks(e->tensor_hooks[i], std::move(gradients[i]));
  }
  for (size_t i = 0; i < e->retained.size(); ++i) {
    if (e->retained[i]) keep_gradient(e->retained[i], gradients[i]);
  }
}

void run_before(Node* n, Tensor* gradients) {
  call_on_tuple(
      n->extras->prehooks,
      [&] {
        PyObject* tuple = gradient_tuple(gradients, n->output_count);
        PyObject* arguments = PyTuple_Pack(1, tuple);
        Py_DECREF(tuple);
        return arguments;
      },
      gradients, n->output_count);
}

void run_after(Node* n, Backward& backward, Tensor* gradients) {
  call_on_tuple(
      n->extras->hooks,
      [&] {
        PyObject* inputs = gradient_tuple(&backward.result(0), n->edge_count);
        PyObject* outputs = gradient_tuple(gradients, n->output_count);
        PyObject* arguments = PyTuple_Pack(2, inputs, outputs);
        Py_DECREF(inputs);
        Py_DECREF(outputs);
        return arguments;
      },
      &backward.result(0), n->edge_count);
}

}  // namespace chainrule
