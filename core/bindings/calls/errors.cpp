// Turning the core's exceptions into Python's at the boundary.
#include "bindings/calls/errors.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "autograd/node_error.hpp"
#include "autograd/source_line.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

// Python knows what the user calls his tensors and what he wrote on the line; see python/chainrule/error_words.py.
// Whatever goes wrong there, the error itself comes through.
std::string retold(const std::string& text, PyObject* about) {
  PyObject* module = PyImport_ImportModule("chainrule.error_words");
  PyObject* told =
      module ? PyObject_CallMethod(module, "retold", "sO", text.c_str(), about ? about : Py_None) : nullptr;
  const char* words = told ? PyUnicode_AsUTF8(told) : nullptr;
  std::string result = words ? words : text;
  PyErr_Clear();
  Py_XDECREF(told);
  Py_XDECREF(module);
  return result;
}

constexpr const char* kAt = "\n  at ";

std::string with_line_about(PyObject* about, std::string text) {
  std::string where = describe(current_line());
  if (!where.empty()) text += kAt + where;
  return retold(text, about);
}

void set_with_line(PyObject* type, std::string text) { PyErr_SetString(type, with_line(std::move(text)).c_str()); }

// The text of an error of the kinds that say what is wrong with arguments, if it has no line yet; else null.
const char* text_without_line(PyObject* error) {
  PyObject* kinds[] = {PyExc_RuntimeError, PyExc_ValueError, PyExc_TypeError, PyExc_IndexError};
  if (std::none_of(std::begin(kinds), std::end(kinds),
                   [&](PyObject* k) { return PyErr_GivenExceptionMatches(error, k); }))
    return nullptr;
  PyObject* arguments = reinterpret_cast<PyBaseExceptionObject*>(error)->args;
  if (!arguments || PyTuple_GET_SIZE(arguments) != 1 || !PyUnicode_Check(PyTuple_GET_ITEM(arguments, 0)))
    return nullptr;
  const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(arguments, 0));
  return text && !std::strstr(text, kAt) ? text : nullptr;
}

}  // namespace

std::string with_line(std::string text) { return with_line_about(nullptr, std::move(text)); }

void add_line_to_python_error() {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (const char* text = text_without_line(error)) {
    if (PyObject* arguments = Py_BuildValue("(s)", with_line(text).c_str())) {
      PyObject_SetAttrString(error, "args", arguments);
      Py_DECREF(arguments);
    }
    PyErr_Clear();
  }
  PyErr_Restore(type, error, trace);
}

void set_python_error() {
  try {
    throw;
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an error was raised without a message");
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const NodeError& e) {
    PyErr_SetString(e.type(), with_line_about((PyObject*)e.node(), e.what()).c_str());
  } catch (const Error& e) {
    set_with_line(e.type(), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    set_with_line(PyExc_RuntimeError, e.what());
  }
}

}  // namespace chainrule
