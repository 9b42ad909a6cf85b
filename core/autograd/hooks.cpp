// Calling the user's hooks during a backward pass.
#include "autograd/hooks.hpp"

#include "autograd/source_line.hpp"
#include "ops/accumulate.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

// Calls each hook with `arguments()`; hands what it returns, unless None, to `use`.
template <class Arguments, class Use>
void call_each(PyObject* hooks, Arguments arguments, Use use) {
  if (!hooks) return;
  LineScope own_lines{SourceLine()};          // what a hook calculates belongs to the hook's own lines
  Owned list(checked(PyDict_Values(hooks)));  // a copy, so that a hook may remove itself
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    Owned args(checked(arguments()));
    Owned result(checked(PyObject_CallObject(PyList_GET_ITEM(list.get(), i), args.get())));
    if (result.get() != Py_None) use(result.get());
  }
}

void check_replacement(const Tensor& gradient, PyObject* result) {
  if (!is_tensor(result)) {
    raise(PyExc_TypeError, "expected Variable, but hook returned '", Py_TYPE(result)->tp_name,
          "'; return a tensor or None");
  }
  auto* t = reinterpret_cast<TensorObject*>(result);
  if (t->dtype != gradient.dtype()) {
    raise(PyExc_RuntimeError, "hook has changed the type of value (was torch.", facts(gradient.dtype()).name,
          " got torch.", facts(t->dtype).name, ")");
  }
  if (!equal({t->sizes(), t->ndim}, gradient.sizes())) {
    raise(PyExc_RuntimeError, "hook has changed the size of value (was ", gradient.sizes(), " got ",
          Span(t->sizes(), t->ndim), ")");
  }
}

PyObject* gradient_tuple(Tensor* gradients, int n) {
  PyObject* tuple = checked(PyTuple_New(n));
  for (int i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(gradients[i] ? gradients[i].py() : Py_None));
  return tuple;
}

void take_tuple(PyObject* result, Tensor* gradients, int n) {
  PyObject* one[] = {result};
  bool single = is_tensor(result);  // a hook of one gradient may return it bare
  Owned sequence(single ? nullptr
                        : checked(PySequence_Fast(result, "hooks should return a tuple of gradients or None")));
  auto size = single ? 1 : PySequence_Fast_GET_SIZE(sequence.get());
  if (size != n)
    raise(PyExc_RuntimeError, "hook has returned an incorrect number of values (got ", size, ", but expected ", n, ")");
  PyObject** items = single ? one : PySequence_Fast_ITEMS(sequence.get());
  for (int i = 0; i < n; ++i) {
    if (gradients[i] && items[i] != Py_None) check_replacement(gradients[i], items[i]);
    gradients[i] = is_tensor(items[i]) ? Tensor::borrow(items[i]) : Tensor();
  }
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
  Tensor kept = t->grad ? add_gradients(Tensor::borrow(t->grad), gradient) : gradient;
  Py_XDECREF((PyObject*)std::exchange(t->grad, kept.release()));
}

}  // namespace

Tensor run_tensor_hooks(PyObject* hooks, Tensor gradient) {
  if (!hooks) return gradient;
  call_each(
      hooks, [&] { return PyTuple_Pack(1, gradient.py()); },
      [&](PyObject* result) {
        check_replacement(gradient, result);
        gradient = Tensor::borrow(result);
      });
  return gradient;
}

void run_post_accumulate_hooks(const Tensor& leaf) {
  call_each(
      leaf->rare->post_hooks, [&] { return PyTuple_Pack(1, leaf.py()); },
      [](PyObject*) { raise(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None."); });
}

void run_output_hooks(Node* n, Tensor* gradients) {
  NodeExtras* e = n->extras;
  for (size_t i = 0; i < e->tensor_hooks.size(); ++i) {
    if (e->tensor_hooks[i] && gradients[i])
      gradients[i] = run_tensor_hooks(e->tensor_hooks[i], std::move(gradients[i]));
  }
  for (size_t i = 0; i < e->retained.size(); ++i) {
    if (e->retained[i]) keep_gradient(e->retained[i], gradients[i]);
  }
}

void run_before(Node* n, Tensor* gradients) {
  call_each(
      n->extras->prehooks,
      [&] {
        PyObject* tuple = gradient_tuple(gradients, n->output_count);
        PyObject* arguments = PyTuple_Pack(1, tuple);
        Py_DECREF(tuple);
        return arguments;
      },
      [&](PyObject* result) { take_tuple(result, gradients, n->output_count); });
}

void run_after(Node* n, Backward& backward, Tensor* gradients) {
  call_each(
      n->extras->hooks,
      [&] {
        PyObject* inputs = gradient_tuple(&backward.result(0), n->edge_count);
        PyObject* outputs = gradient_tuple(gradients, n->output_count);
        PyObject* arguments = PyTuple_Pack(2, inputs, outputs);
        Py_DECREF(inputs);
        Py_DECREF(outputs);
        return arguments;
      },
      [&](PyObject* result) { take_tuple(result, &backward.result(0), n->edge_count); });
}

}  // namespace chainrule
