#include "bindings/calls/former_orders.hpp"

#include <map>

#include "tensor/owned.hpp"

namespace chainrule {
namespace {

// The parameters in their former order, with the names that they have today: the call is made anew by name.
constexpr std::pair<const char*, const char*> kFormer[] = {
    {"add", "Tensor input, Number alpha, Operand other"},
    {"sub", "Tensor input, Number alpha, Operand other"},
    {"addcmul", "Tensor input, Number value, Tensor tensor1, Tensor tensor2"},
    {"addcdiv", "Tensor input, Number value, Tensor tensor1, Tensor tensor2"},
    {"addmm", "Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2"},
    {"addmm", "Number beta, Tensor input, Tensor mat1, Tensor mat2"},
    {"addmv", "Number beta, Tensor input, Number alpha, Tensor mat, Tensor vec"},
    {"addmv", "Number beta, Tensor input, Tensor mat, Tensor vec"},
    {"addr", "Number beta, Tensor input, Number alpha, Tensor vec1, Tensor vec2"},
    {"addr", "Number beta, Tensor input, Tensor vec1, Tensor vec2"},
    {"addbmm", "Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2"},
    {"addbmm", "Number beta, Tensor input, Tensor batch1, Tensor batch2"},
    {"baddbmm", "Number beta, Tensor input, Number alpha, Tensor batch1, Tensor batch2"},
    {"baddbmm", "Number beta, Tensor input, Tensor batch1, Tensor batch2"},
};

using Former = std::vector<Signature>;
std::map<const Callable*, Former> former;

// A method has the tensor in front, wherever it stands in the function.
std::string as_method(std::string parameters) {
  const std::string input = "Tensor input, ";
  parameters.erase(parameters.find(input), input.size());
  return input + parameters;
}

void mark(const std::string& name, bool method, const std::string& parameters) {
  Callable* c = find_callable(name, method);
  if (!c) return;
  Signature s = Signature::parse(name + "(" + parameters + ")");
  s.method = method;
  former[c].push_back(std::move(s));
}

// "\n * (Number alpha, Tensor other)" -> "\n\tadd(Number alpha, Tensor other)"
std::string shown(const Signature& s) {
  std::string line = s.overload_lines(), both = " or Number";
  for (size_t at; (at = line.find(both)) != line.npos;) line.erase(at, both.size());
  return "\n\t" + s.name + line.substr(line.find('('));
}

void warn(const Callable& c, const Signature& s) {
  std::string text = "This overload of " + c.name + " is deprecated:" + shown(s) +
                     "\nConsider using one of the following signatures instead:" + shown(c.overloads[0].signature);
  from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
}

}  // namespace

void mark_former_orders() {
  for (auto [name, parameters] : kFormer) {
    mark(name, false, std::string(parameters) + ", *, Tensor? out=None");
    mark(name, true, as_method(parameters));
    mark(std::string(name) + "_", true, as_method(parameters));
  }
}

PyObject* call_former(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  auto found = former.find(&c);
  if (found == former.end()) return nullptr;
  for (const Signature& s : found->second) {
    BoundArguments bound;
    if (!bound.bind(s, args, n, keywords, false)) continue;
    warn(c, s);
    std::vector<PyObject*> values;
    Owned names(checked(PyTuple_New(static_cast<Py_ssize_t>(s.parameters.size()))));
    for (size_t i = 0; i < s.parameters.size(); ++i) {
      values.push_back(bound[static_cast<int>(i)]);
      PyTuple_SET_ITEM(names.get(), static_cast<Py_ssize_t>(i), Py_NewRef(s.parameters[i].key));
    }
    return call(self, c, values.data(), 0, names.get());
  }
  return nullptr;
}

}  // namespace chainrule
