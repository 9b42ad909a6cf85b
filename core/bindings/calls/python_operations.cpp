// Operations whose body is Python: bound by the same signatures as those of the core, imported when first called.
#include <memory>

#include "autograd/record.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/errors.hpp"
#include "ops/elementwise/accumulate.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {
// An operation that no training loop waits for is a Python function over the core's operations. Its signature stands
// in chainrule/ops/table.py, so that it has the core's argument checks, errors, out=, stubs and both forms, and costs
// nothing at import: the module that holds the body is imported by the first call.
class PythonBody {
 public:
  PythonBody(std::string module, std::string name) : module_(std::move(module)), name_(std::move(name)) {}

  // `out` is not the body's business: the result is copied into it. `first`, if given, stands for the first argument.
  PyObject* operator()(const Signature& s, const BoundArguments& a, PyObject* first = nullptr) {
    PyObject* arguments[BoundArguments::kMax] = {};
    size_t n = 0;
    for (int i = 0; i < static_cast<int>(s.parameters.size()); ++i) {
      if (i != s.out) arguments[n++] = plain(s.parameters[i].kind, i == 0 && first ? first : a[i]);
    }
    PyObject* called = body();
    PyObject* result = PyObject_Vectorcall(called, arguments, n, nullptr);
    for (size_t i = 0; i < n; ++i) Py_DECREF(arguments[i]);
    if (!result) add_line_to_python_error();
    return handed_on(result);
  }

 private:
  PyObject* body() {
    if (body_) return body_;
    PyObject* module = checked(PyImport_ImportModule(module_.c_str()));
    body_ = PyObject_GetAttrString(module, name_.c_str());
    Py_DECREF(module);
    return checked(body_);
  }

  // A list of ints is always a tuple for the body: one int, a list and a Size come as one too.
  static PyObject* plain(Kind kind, PyObject* value) {
    if ((kind != Kind::Ints && kind != Kind::SpreadInts) || value == Py_None) return Py_NewRef(value);
    if (PySequence_Check(value) && !is_tensor(value)) return from_python(PySequence_Tuple(value));
    return checked(PyTuple_Pack(1, value));
  }

  std::string module_, name_;
  PyObject* body_ = nullptr;
};

// "median.dim(...)" is an overload of median whose body is median_dim.
std::string take_overload_name(std::string& text) {
  size_t open = text.find('('), dot = text.find('.');
  if (dot >= open) return text.substr(0, open);
  std::string body = text.substr(0, open);
  body[dot] = '_';
  text.erase(dot, open - dot);
  return body;
}

// "renorm(Tensor input, ..., *, Tensor? out=None)" -> "renorm_(Tensor input, ...)"
std::string inplace_text(std::string text) {
  for (std::string_view out : {", *, Tensor? out=None", ", Tensor? out=None"}) {
    if (size_t at = text.find(out); at != text.npos) text.erase(at, out.size());
  }
  return text.insert(text.find('('), 1, '_');
}

// With `inplace`, also the method name_, which copies the result into its first argument.
void define_python(std::string text, Forms forms, bool inplace, const std::string& module) {
  auto body = std::make_shared<PythonBody>(module, take_overload_name(text));
  auto s = std::make_shared<Signature>(Signature::parse(text));
  define_call(*s, forms, [body, s](const BoundArguments& a) { return (*body)(*s, a); }, s->out >= 0);
  if (!inplace) return;
  auto written = std::make_shared<Signature>(Signature::parse(inplace_text(text)));
  define_call(*written, kMethod, [body, written](const BoundArguments& a) {
    Tensor self = Tensor::borrow(a[0]);
    // What the body saves for the gradient must outlive the write.
    Tensor before = grad_enabled() && requires_grad(self) ? clone(self) : self;
    Tensor result = Tensor::steal(reinterpret_cast<TensorObject*>((*body)(*written, a, before.py())));
    settle();
    if (!can_cast(result.dtype(), self.dtype())) {
      raise(PyExc_RuntimeError, "result type ", facts(result.dtype()).tensor_name,
            " can't be cast to the desired output type ", facts(self.dtype()).tensor_name);
    }
    copy_(self, result);
    return Py_NewRef(a[0]);
  });
}

Forms forms_of(std::string_view word) {
  if (word == "function") return kFunction;
  if (word == "method") return kMethod;
  if (word == "both") return kBoth;
  if (word == "functional") return kFunctional;
  raise(PyExc_SystemError, "unknown form in the table of operations in Python: ", word);
}

// "both+inplace renorm(Tensor input, ...)"
void define_line(std::string_view line, const std::string& module) {
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (line.empty() || line.front() == '#') return;
  std::string_view word = line.substr(0, line.find(' ')), text = line.substr(word.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  bool inplace = word.ends_with("+inplace");
  if (inplace) word.remove_suffix(std::string_view("+inplace").size());
  define_python(std::string(text), forms_of(word), inplace, module);
}

}  // namespace

void bind_python_operations() {
  PyObject* module = checked(PyImport_ImportModule("chainrule.ops.table"));
  PyObject* table = checked(PyObject_GetAttrString(module, "OPERATIONS"));
  Py_DECREF(module);
  PyObject *key, *lines;
  for (Py_ssize_t at = 0; PyDict_Next(table, &at, &key, &lines);) {
    std::string name = PyUnicode_AsUTF8(key);  // with a dot it is in another room than ops
    name.insert(0, name.find('.') == name.npos ? "chainrule.ops." : "chainrule.");
    std::string_view text = PyUnicode_AsUTF8(lines);
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size() - 1);
      define_line(text.substr(0, end + (text[end] != '\n')), name);
      text.remove_prefix(end + 1);
    }
  }
  Py_DECREF(table);
}

}  // namespace chainrule
