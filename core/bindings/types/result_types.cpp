// The named tuples that functions with several results give, as torch.return_types.
#include "bindings/types/result_types.hpp"

#include <structmember.h>

#include <algorithm>
#include <deque>
#include <map>

#include "bindings/calls/errors.hpp"

namespace chainrule {
namespace {

// A field a line, as PyTorch shows them.
PyObject* represent_results(PyObject* self) {
  PyObject* text = PyUnicode_FromFormat("%s(", Py_TYPE(self)->tp_name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    const char* field = Py_TYPE(self)->tp_members[i].name;
    PyUnicode_AppendAndDel(&text, PyUnicode_FromFormat("%s\n%s=%R", i ? "," : "", field, PyTuple_GET_ITEM(self, i)));
  }
  PyUnicode_AppendAndDel(&text, PyUnicode_FromString(")"));
  return text;
}

// The named tuples by their functions' names; a method gives what the function gives.
std::map<std::string, PyTypeObject*> named_results;

PyTypeObject* make_result_type(const Signature& s) {
  static std::deque<std::string> texts;
  std::vector<PyStructSequence_Field> fields;
  std::string list = s.returns.substr(1, s.returns.size() - 2);
  for (size_t at = 0; at < list.size();) {
    size_t comma = std::min(list.find(", ", at), list.size());
    texts.push_back(list.substr(at, comma - at));
    fields.push_back({texts.back().c_str(), nullptr});
    at = comma + 2;
  }
  fields.push_back({nullptr, nullptr});
  texts.push_back("torch.return_types." + s.name);
  PyStructSequence_Desc description{texts.back().c_str(), nullptr, fields.data(), static_cast<int>(fields.size()) - 1};
  PyTypeObject* type = checked(PyStructSequence_NewType(&description));
  type->tp_repr = represent_results;
  PyObject* module = checked(PyUnicode_FromString("chainrule.return_types"));  // where a pickle finds it
  if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(type), "__module__", module) < 0) throw PythonError();
  Py_DECREF(module);
  return type;
}

}  // namespace

PyTypeObject* result_type_of(const Signature& s) {
  if (s.returns.empty() || s.returns.front() != '(') return nullptr;
  PyTypeObject*& type = named_results[s.name];
  if (!type) type = make_result_type(s);
  return type;
}

PyObject* name_results(const Callable& c, PyObject* result) {
  if (!c.result_type || !PyTuple_CheckExact(result)) return result;
  PyObject* named = checked(PyStructSequence_New(c.result_type));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
    PyStructSequence_SET_ITEM(named, i, Py_NewRef(PyTuple_GET_ITEM(result, i)));
  }
  Py_DECREF(result);
  return named;
}

PyObject* result_types() {
  PyObject* types = checked(PyDict_New());
  for (auto& [name, type] : named_results) {
    if (PyDict_SetItemString(types, name.c_str(), reinterpret_cast<PyObject*>(type)) < 0) throw PythonError();
  }
  return types;
}

}  // namespace chainrule
