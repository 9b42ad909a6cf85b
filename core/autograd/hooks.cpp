// Calling the user's hooks during a backward pass.
#include "autograd/hooks.hpp"

#include "ops/accumulate.hpp"

namespace chainrule {
namespace {

// A copy of the dict's values, so that a hook may remove itself while we iterate.
std::vector<PyObject*> callables(PyObject* hooks) {
  std::vector<PyObject*> result;
  if (!hooks) return result;
  PyObject* values = checked(PyDict_Values(hooks));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) result.push_back(Py_NewRef(PyList_GET_ITEM(values, i)));
  Py_DECREF(values);
  return result;
}

// Calls each hook with `arguments()`; hands what it returns, unless None, to `use`.
template <class Arguments, class Use>
void call_each(PyObject* hooks, Arguments arguments, Use use) {
  std::vector<PyObject*> list = callables(hooks);
  PyObject* failed = nullptr;
  for (PyObject* hook : list) {
    if (!failed) {
      PyObject* args = arguments();
      PyObject* result = args ? PyObject_CallObject(hook, args) : nullptr;
      Py_XDECREF(args);
      if (!result) failed = hook;
      else if (result != Py_None) use(result);
      Py_XDECREF(result);
    }
    Py_DECREF(hook);
  }
  if (failed) throw PythonError();
}

PyObject* gradient_tuple(Tensor* gradients, int n) {
  PyObject* tuple = checked(PyTuple_New(n));
  for (int i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(gradients[i] ? gradients[i].py() : Py_None));
  return tuple;
}

void take_tuple(PyObject* result, Tensor* gradients, int n) {
  PyObject* sequence = PySequence_Fast(result, "hooks should return a tuple of gradients or None");
  if (!sequence) throw PythonError();
  for (int i = 0; i < n && i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    gradients[i] = is_tensor(item) ? Tensor::borrow(item) : Tensor();
  }
  Py_DECREF(sequence);
}

void keep_gradient(PyObject* reference, const Tensor& gradient) {
  PyObject* target = PyWeakref_GetObject(reference);
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
        if (!is_tensor(result)) raise(PyExc_TypeError, "hook should return a Tensor or None, not ", Py_TYPE(result)->tp_name);
        gradient = Tensor::borrow(result);
      });
  return gradient;
}

void run_post_accumulate_hooks(const Tensor& leaf) {
  call_each(
      leaf->rare->post_hooks, [&] { return PyTuple_Pack(1, leaf.py()); },
      [](PyObject*) { raise(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None."); });
}

void run_before(Node* n, Tensor* gradients) {
  NodeExtras* e = n->extras;
  for (size_t i = 0; i < e->tensor_hooks.size(); ++i) {
    if (e->tensor_hooks[i] && gradients[i]) gradients[i] = run_tensor_hooks(e->tensor_hooks[i], std::move(gradients[i]));
  }
  call_each(
      e->prehooks, [&] {
        PyObject* tuple = gradient_tuple(gradients, n->output_count);
        PyObject* arguments = PyTuple_Pack(1, tuple);
        Py_DECREF(tuple);
        return arguments;
      },
      [&](PyObject* result) { take_tuple(result, gradients, n->output_count); });
  for (size_t i = 0; i < e->retained.size(); ++i) {
    if (e->retained[i]) keep_gradient(e->retained[i], gradients[i]);
  }
}

void run_after(Node* n, Backward& backward, Tensor* gradients) {
  call_each(
      n->extras->hooks, [&] {
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
