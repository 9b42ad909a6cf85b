// Turning the core's exceptions into Python's at the boundary.
#include "bindings/errors.hpp"

#include <nanobind/nanobind.h>

#include <new>
#include <string>

#include "autograd/source_line.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

// Python knows what the user calls his tensors and what he wrote on the line; see Note [Error words]. Whatever goes
// wrong there, the error itself comes through.
std::string retold(const std::string& text) {
  PyObject* module = PyImport_ImportModule("chainrule.error_words");
  PyObject* told = module ? PyObject_CallMethod(module, "retold", "s", text.c_str()) : nullptr;
  const char* words = told ? PyUnicode_AsUTF8(told) : nullptr;
  std::string result = words ? words : text;
  PyErr_Clear();
  Py_XDECREF(told);
  Py_XDECREF(module);
  return result;
}

void set_with_line(PyObject* type, std::string text) {
  std::string where = describe(current_line());
  if (!where.empty()) text += "\n  at " + where;
  PyErr_SetString(type, retold(text).c_str());
}

}  // namespace

void set_python_error() {
  try {
    throw;
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an error was raised without a message");
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const Error& e) {
    set_with_line(e.type(), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    set_with_line(PyExc_RuntimeError, e.what());
  }
}

}  // namespace chainrule
