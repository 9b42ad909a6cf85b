// Anomaly detection: gradients are looked at for NaN, and errors tell where the forward call was.
#include "autograd/anomaly.hpp"

#include "autograd/node_error.hpp"
#include "autograd/source_line.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

std::string forward_call(const Node* n) {
  std::string line = describe(n->line);
  return std::string("  The forward call of ") + n->op->node_name + " was here: " + (line.empty() ? "(unknown)" : line);
}

// A Python exception gets the line as a note.
void add_note(const Node* n) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Owned done(value ? PyObject_CallMethod(value, "add_note", "s", forward_call(n).c_str()) : nullptr);
  if (!done) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

// As PyTorch warns, before the error itself goes on its way. A filter may make an error of the warning; then it is
// printed.
void warn_of_error(const Node* n) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  std::string line = describe(n->line);
  std::string text =
      std::string("Error detected in ") + n->op->node_name + ". " +
      (line.empty() ? "No forward pass information available. Enable detect anomaly during forward pass for more "
                      "information."
                    : "Traceback of forward call that caused the error:\n  " + line);
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) {
    PyErr_Clear();
    PySys_FormatStderr("UserWarning: %s\n", text.c_str());
  }
  PyErr_Restore(type, value, traceback);
}

void check_nan(Node* n, Backward& backward) {
  for (int i = 0; i < n->edge_count; ++i) {
    const Tensor& gradient = backward.result(i);
    if (!gradient || !has_nan(gradient)) continue;
    raise(PyExc_RuntimeError, "Function '", n->op->node_name, "' returned nan values in its ", i, "th output.");
  }
}

}  // namespace

void invoke_watched(Node* n, Backward& backward) {
  try {
    n->function->invoke(n->capture, backward);
    if (anomaly.checks_nan) check_nan(n, backward);
  } catch (const NodeError& e) {
    warn_of_error(n);
    throw NodeError(e.node(), std::string(e.what()) + "\n" + forward_call(n));
  } catch (const Error& e) {
    warn_of_error(n);
    throw Error(e.type(), std::string(e.what()) + "\n" + forward_call(n));
  } catch (const PythonError&) {
    warn_of_error(n);
    add_note(n);
    throw;
  }
}

}  // namespace chainrule
