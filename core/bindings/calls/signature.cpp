// Parsing signatures, and binding arguments to them in PyTorch's manner and words.
#include "bindings/calls/signature.hpp"

#include <span>

#include "autograd/record.hpp"
#include "backends/cuda/driver.hpp"
#include "bindings/calls/conversions.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

struct KindName {
  const char* text;
  Kind kind;
  const char* spoken;
};
constexpr KindName kKinds[] = {
    {"Tensor", Kind::Tensor, "Tensor"},
    {"Operand", Kind::Operand, "Tensor or Number"},
    {"Number", Kind::Number, "Number"},
    {"int", Kind::Int, "int"},
    {"float", Kind::Float, "float"},
    {"bool", Kind::Bool, "bool"},
    {"str", Kind::String, "str"},
    {"dtype", Kind::DType, "torch.dtype"},
    {"device", Kind::Device, "torch.device"},
    {"layout", Kind::Layout, "torch.layout"},
    {"memory_format", Kind::MemoryFormat, "torch.memory_format"},
    {"Generator", Kind::Generator, "torch.Generator"},
    {"object", Kind::Object, "object"},
    {"int[]", Kind::Ints, "tuple of ints"},
    {"int[*]", Kind::SpreadInts, "tuple of ints"},
    {"Tensor[]", Kind::Tensors, "tuple of Tensors"},
    {"Tensor[*]", Kind::SpreadTensors, "tuple of Tensors"},
};

Kind kind_of(std::string_view text) {
  for (const KindName& k : kKinds) {
    if (text == k.text) return k.kind;
  }
  raise(PyExc_SystemError, "unknown type in a signature: ", text);
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

PyObject* default_of(std::string_view text);

// "-2,-1", of "(-2,-1)"
PyObject* default_tuple(std::string_view text) {
  PyObject* items = checked(PyList_New(0));
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    PyObject* item = checked(default_of(text.substr(0, comma)));
    PyList_Append(items, item);
    Py_DECREF(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  PyObject* result = PyList_AsTuple(items);
  Py_DECREF(items);
  return result;
}

PyObject* default_of(std::string_view text) {
  if (text == "None") return Py_NewRef(Py_None);
  if (text == "True") return Py_NewRef(Py_True);
  if (text == "False") return Py_NewRef(Py_False);
  std::string s(text);
  if (s.front() == '\'') return PyUnicode_FromStringAndSize(s.data() + 1, static_cast<Py_ssize_t>(s.size()) - 2);
  if (s.front() == '(') return default_tuple(text.substr(1, text.size() - 2));
  if (s.find_first_of(".ein") == std::string::npos) return PyLong_FromString(s.c_str(), nullptr, 10);
  return PyFloat_FromDouble(std::strtod(s.c_str(), nullptr));
}

Parameter parse_parameter(std::string_view text, bool keyword_only) {
  Parameter p{};
  p.keyword_only = keyword_only;
  if (size_t eq = text.find('='); eq != text.npos) {
    p.default_value = checked(default_of(trim(text.substr(eq + 1))));
    text = trim(text.substr(0, eq));
  }
  size_t space = text.rfind(' ');
  p.name = std::string(text.substr(space + 1));
  std::string_view type = trim(text.substr(0, space));
  p.optional = type.back() == '?';
  if (p.optional) type.remove_suffix(1);
  p.lends = type.back() == '~';
  p.exact = type.back() == '!' || p.lends;
  if (p.exact) type.remove_suffix(1);
  p.type_text = std::string(type);
  p.kind = kind_of(type);
  p.pins = p.name == "pin_memory";
  p.key = checked(PyUnicode_InternFromString(p.name.c_str()));
  return p;
}

const char* type_name(PyObject* o) {
  if (is_tensor(o)) return Py_TYPE(o) == &TensorType ? "Tensor" : Py_TYPE(o)->tp_name;
  return o == Py_None ? "NoneType" : Py_TYPE(o)->tp_name;
}

// NumPy's names for arguments that PyTorch accepts as well.
bool same_argument(const Parameter& p, PyObject* key) {
  if (p.key == key) return true;
  const char* given = PyUnicode_AsUTF8(key);
  if (p.name == given) return true;
  std::string_view g(given);
  return (p.name == "dim" && g == "axis") || (p.name == "keepdim" && g == "keepdims") ||
         (p.name == "input" && (g == "x" || g == "a" || g == "x1" || g == "self")) || (p.name == "other" && g == "x2");
}

bool is_spread_item(const Signature& s, PyObject* o) {
  return s.parameters[s.spread].kind == Kind::SpreadInts ? is_index(o) : is_tensor(o);
}

[[noreturn]] void raise_wrong_type(const Signature& s, int i, PyObject* value, bool by_position) {
  const Parameter& p = s.parameters[i];
  if (s.method && i == 0 && p.kind == Kind::Tensor) check_self(s, value);
  std::string position = by_position ? " (position " + std::to_string(i + 1 - s.method) + ")" : "";
  std::string found = type_name(value);
  if (PySequence_Check(value) && !PyUnicode_Check(value) && !is_tensor(value) && PySequence_Size(value) > 0 &&
      (p.kind == Kind::Ints || p.kind == Kind::SpreadInts)) {
    PyObject* first = PySequence_GetItem(value, 0);
    std::string element = first ? type_name(first) : "?";
    Py_XDECREF(first);
    raise(PyExc_TypeError, s.name, "(): argument '", p.name, "'", position, " must be ", kind_text(p.kind),
          ", but found element of type ", element, " at pos 0");
  }
  PyErr_Clear();
  if (p.kind == Kind::Tensors && (PyTuple_Check(value) || PyList_Check(value))) {
    Py_ssize_t at = 0;
    while (is_tensor(PySequence_Fast_GET_ITEM(value, at))) ++at;
    raise(PyExc_TypeError, "expected Tensor as element ", at, " in argument ", i - s.method, ", but got ",
          type_name(PySequence_Fast_GET_ITEM(value, at)));
  }
  raise(PyExc_TypeError, s.name, "(): argument '", p.name, "'", position, " must be ", kind_text(p.kind), ", not ",
        found);
}

// PyTorch says "argument" for several of them, and "arguments" for one.
[[noreturn]] void raise_missing(const Signature& s, PyObject* const* values) {
  std::string names;
  int count = 0;
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (values[i] || s.parameters[i].default_value) continue;
    names += (count++ ? ", \"" : "\"") + s.parameters[i].name + "\"";
  }
  raise(PyExc_TypeError, s.name, "() missing ", count, " required positional argument", count == 1 ? "s: " : ": ",
        names);
}

// PyTorch has one overload of these, and makes a tensor of a number.
bool makes_tensors_of_numbers(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  return name == "add" || name == "sub" || name == "mul" || name == "div";
}

}  // namespace

void check_self(const Signature& s, PyObject* self) {
  if (is_tensor(self)) return;
  raise(PyExc_TypeError, "descriptor '", s.name, "' for 'torch._C.TensorBase' objects doesn't apply to a '",
        Py_TYPE(self)->tp_name, "' object");
}

const char* kind_text(Kind kind) { return kKinds[static_cast<int>(kind)].spoken; }

Signature Signature::parse(std::string_view text) {
  Signature s;
  s.text = std::string(text);
  size_t open = text.find('('), close = text.rfind(") ->");
  bool has_return = close != text.npos;
  if (!has_return) close = text.rfind(')');
  s.name = std::string(text.substr(0, open));
  s.returns = has_return ? std::string(trim(text.substr(close + 4))) : "Tensor";
  std::string_view list = text.substr(open + 1, close - open - 1);
  bool keyword_only = false;
  while (!trim(list).empty()) {
    size_t comma = list.find(", ");
    std::string_view item = trim(list.substr(0, comma));
    list = comma == list.npos ? std::string_view() : list.substr(comma + 2);
    if (item == "*") {
      keyword_only = true;
      continue;
    }
    Parameter p = parse_parameter(item, keyword_only);
    auto index = static_cast<int>(s.parameters.size());
    if (p.name == "out") s.out = index;
    if (p.kind == Kind::DType && p.name == "dtype") s.dtype = index;
    if (p.kind == Kind::Device && p.default_value) s.device = index;
    if (p.kind == Kind::Layout) s.layout = index;
    if (p.pins) s.pins = index;
    if (p.kind == Kind::SpreadInts || p.kind == Kind::SpreadTensors) s.spread = index;
    if (!keyword_only) s.positional = index + 1;
    if (p.kind == Kind::Operand) s.by_kind = !makes_tensors_of_numbers(s.name);
    s.parameters.push_back(std::move(p));
  }
  return s;
}

// With an Operand shown as `operand`.
std::string Signature::overload_line(Kind operand) const {
  std::string text = "\n * (";
  bool first = true, starred = false;
  for (const Parameter& p : std::span(parameters).subspan(method)) {
    if (!std::exchange(first, false)) text += ", ";
    if (p.keyword_only && !starred) text += "*, ", starred = true;
    text += std::string(kind_text(p.kind == Kind::Operand ? operand : p.kind)) + " " + p.name;
    if (p.default_value) {
      PyObject* shown = PyObject_Repr(p.default_value);
      text += std::string(" = ") + (shown ? PyUnicode_AsUTF8(shown) : "?");
      Py_XDECREF(shown);
    }
  }
  return text + ")";
}

std::string Signature::overload_lines() const {
  return by_kind ? overload_line(Kind::Tensor) + overload_line(Kind::Number) : overload_line(Kind::Operand);
}

// A tensor that wants a gradient would get none.
bool stands_for_number(PyObject* value) { return is_number_tensor(value) && !requires_grad(Tensor::borrow(value)); }

bool fits(const Parameter& p, PyObject* value) {
  if (value == Py_None) return p.optional || p.kind == Kind::Object;
  switch (p.kind) {
    case Kind::Tensor:
      return is_tensor(value);
    case Kind::Operand:
      return is_tensor(value) || is_number(value);
    case Kind::Number:
      return is_number(value) || stands_for_number(value);
    case Kind::Int:
      return is_index(value);
    case Kind::Float:
      return is_number(value) || stands_for_number(value);
    case Kind::Bool:
      return PyBool_Check(value) || is_numpy_bool(value);
    case Kind::String:
      return PyUnicode_Check(value);
    case Kind::DType:
      return is_dtype(value);
    case Kind::Device:
      return is_device(value) || PyUnicode_Check(value) || (PyLong_Check(value) && !PyBool_Check(value));
    case Kind::Layout:
      return is_layout(value);
    case Kind::MemoryFormat:
      return is_memory_format(value);
    case Kind::Generator:
      return is_generator(value);
    case Kind::Object:
      return true;
    case Kind::Ints:
    case Kind::SpreadInts:
      return (is_index(value) && !p.exact) || is_index_sequence(value);
    case Kind::Tensors:
    case Kind::SpreadTensors:
      return is_tensor_sequence(value) || (p.kind == Kind::SpreadTensors && is_tensor(value));
  }
  return false;
}

bool BoundArguments::bind_positional(const Signature& s, PyObject* const* args, Py_ssize_t n, bool explain) {
  auto count = static_cast<int>(s.parameters.size());
  for (int i = 0; i < count; ++i) values_[i] = nullptr;
  Py_ssize_t plain = n;
  if (s.spread >= 0 && n > s.spread && is_spread_item(s, args[s.spread]) &&
      (n > s.spread + 1 || s.positional == s.spread + 1)) {
    // Trailing positional arguments are all of the list; a second positional parameter after it must come by keyword.
    plain = s.spread;
    spread_ = checked(PyTuple_New(n - plain));
    for (Py_ssize_t i = plain; i < n; ++i) PyTuple_SET_ITEM(spread_, i - plain, Py_NewRef(args[i]));
    values_[s.spread] = spread_;
  } else if (n > s.positional) {
    if (explain) {
      Py_ssize_t takes = s.positional - s.method, given = n - s.method, needs = 0;
      for (int i = s.method; i < s.positional; ++i) needs += !s.parameters[i].default_value;
      std::string range = needs == takes ? "" : "from " + std::to_string(needs) + " to ";
      raise(PyExc_TypeError, s.name, "() takes ", range, takes, " positional argument",
            takes == 1 && range.empty() ? "" : "s", " but ", given, given == 1 ? " was given" : " were given");
    }
    return false;
  }
  for (Py_ssize_t i = 0; i < plain; ++i) values_[i] = args[i];
  return true;
}

bool BoundArguments::bind_keywords(const Signature& s, PyObject* const* args, PyObject* keywords, bool explain) {
  auto count = static_cast<int>(s.parameters.size());
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* key = PyTuple_GET_ITEM(keywords, k);
    int at = 0;
    while (at < count && !same_argument(s.parameters[at], key)) ++at;
    bool is_new = at < count && !values_[at];
    if (is_new) values_[at] = args[k];
    if (is_new || explain) continue;  // what is missing is explained first
    return false;
  }
  return true;
}

void BoundArguments::refuse_keywords(const Signature& s, PyObject* const* args, PyObject* keywords) const {
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* key = PyTuple_GET_ITEM(keywords, k);
    size_t at = 0;
    while (at < s.parameters.size() && !same_argument(s.parameters[at], key)) ++at;
    const char* name = PyUnicode_AsUTF8(key);
    if (at == s.parameters.size()) raise(PyExc_TypeError, s.name, "() got an unexpected keyword argument '", name, "'");
    if (values_[at] != args[k]) raise(PyExc_TypeError, s.name, "() got multiple values for argument '", name, "'");
  }
}

bool BoundArguments::bind(const Signature& s, PyObject* const* args, Py_ssize_t n, PyObject* keywords, bool explain) {
  Py_CLEAR(spread_);
  if (!bind_positional(s, args, n, explain)) return false;
  if (keywords && !bind_keywords(s, args + n, keywords, explain)) return false;
  auto count = static_cast<int>(s.parameters.size());
  for (int i = 0; i < count; ++i) {
    const Parameter& p = s.parameters[i];
    if (!values_[i]) {
      if (!p.default_value) {
        if (explain) raise_missing(s, values_);
        return false;
      }
      values_[i] = p.default_value;
    } else if (!fits(p, values_[i]) || (p.kind == Kind::SpreadInts && i >= n && is_index(values_[i]))) {
      if (explain) raise_wrong_type(s, i, values_[i], i < n);
      return false;
    } else if (p.pins && values_[i] == Py_True && cuda::device_count() == 0) {
      raise(PyExc_RuntimeError,
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system.");
    }
  }
  if (keywords && explain) refuse_keywords(s, args + n, keywords);
  return true;
}

}  // namespace chainrule
