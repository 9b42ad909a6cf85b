#include "bindings/calls/help.hpp"

#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/errors.hpp"

namespace chainrule {
namespace {

PyObject* ask_documentation(const char* question, std::initializer_list<std::string> texts) {
  PyObject* arguments[4] = {};
  size_t n = 0;
  for (const std::string& text : texts) arguments[n++] = to_python(text);
  PyObject* module = PyImport_ImportModule("chainrule.documentation");
  PyObject* function = module ? PyObject_GetAttrString(module, question) : nullptr;
  PyObject* answer = function ? PyObject_Vectorcall(function, arguments, n, nullptr) : nullptr;
  while (n > 0) Py_DECREF(arguments[--n]);
  Py_XDECREF(function);
  Py_XDECREF(module);
  return checked(answer);
}

}  // namespace

std::string signature_text(const Signature& s) {
  std::string text = "(";
  bool starred = false;
  for (const Parameter& p : s.parameters) {
    if (text.size() > 1) text += ", ";
    if (p.kind == Kind::SpreadInts || p.kind == Kind::SpreadTensors) {
      text += "*" + p.name;
      starred = true;
      continue;
    }
    if (p.keyword_only && !starred) text += "*, ", starred = true;
    text += p.name;
    if (p.default_value) {
      PyObject* shown = checked(PyObject_Repr(p.default_value));
      text += std::string("=") + PyUnicode_AsUTF8(shown);
      Py_DECREF(shown);
    }
  }
  return text + ")";
}

PyObject* signature_object(const Signature& s) { return ask_documentation("signature", {signature_text(s)}); }

PyObject* help_text(const Callable& c) {
  return ask_documentation("describe", {c.name, c.document, c.description, c.alias_of});
}

}  // namespace chainrule
