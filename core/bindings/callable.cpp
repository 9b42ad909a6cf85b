// Functions and methods as Python sees them: overload resolution, out=, subclasses, documentation.
#include "bindings/callable.hpp"

#include <structmember.h>

#include <algorithm>
#include <deque>
#include <map>

#include "autograd/inplace.hpp"
#include "bindings/errors.hpp"
#include "bindings/subclass.hpp"
#include "ops/copy.hpp"

namespace chainrule {
namespace {

struct FunctionObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Callable* callable;
  PyObject* dict;
};

std::map<std::string, Callable, std::less<>> functions, methods;

// ---- calling

[[noreturn]] void raise_no_overload(const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  std::string given = "(";
  Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i < n + named; ++i) {
    if (i) given += ", ";
    if (i >= n) given += std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, i - n))) + "=";
    given += is_tensor(args[i]) ? "Tensor" : Py_TYPE(args[i])->tp_name;
  }
  std::string list;
  for (const Overload& o : c.overloads) list += "\n * " + o.signature.overload_text();
  raise(PyExc_TypeError, c.name, "() received an invalid combination of arguments - got ", given,
        "), but expected one of:", list);
}

// As C++ spells the type, which is what PyTorch's message shows.
const char* spoken(DType t) {
  static constexpr const char* names[kDTypeCount] = {
      "bool",  "unsigned char", "signed char",         "short",
      "int",   "long int",      "c10::Half",           "c10::BFloat16",
      "float", "double",        "c10::complex<float>", "c10::complex<double>"};
  return names[static_cast<int>(t)];
}

void copy_to_out(PyObject* result, PyObject* out, bool exact) {
  Tensor from = Tensor::borrow(result), to = Tensor::borrow(out);
  if (exact && from.dtype() != to.dtype()) {
    raise(PyExc_RuntimeError, "Expected out tensor to have dtype ", spoken(from.dtype()), ", but got ",
          spoken(to.dtype()), " instead");
  }
  check_out_unrecorded("", {&from, &to});
  if (!can_cast(from.dtype(), to.dtype())) {
    raise(PyExc_RuntimeError, "result type ", facts(from.dtype()).tensor_name,
          " can't be cast to the desired output type ", facts(to.dtype()).tensor_name);
  }
  prepare_out(to, from.sizes());
  copy_elements(to, from);
  mark_written(to);
}

// Takes over `result`; gives what the call returns.
PyObject* serve_out(PyObject* result, PyObject* out, bool exact) {
  if (is_tensor(result)) {
    if (!is_tensor(out)) raise(PyExc_TypeError, "argument 'out' must be Tensor, not ", Py_TYPE(out)->tp_name);
    copy_to_out(result, out, exact);
    Py_DECREF(result);
    return Py_NewRef(out);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
    PyObject* item = checked(PySequence_GetItem(out, i));
    copy_to_out(PyTuple_GET_ITEM(result, i), item, exact);
    Py_DECREF(item);
  }
  Py_DECREF(result);
  return Py_NewRef(out);
}

// A plain tuple becomes the function's named one, as torch.return_types.
PyObject* name_results(const Callable& c, PyObject* result) {
  if (!c.result_type || !PyTuple_CheckExact(result)) return result;
  PyObject* named = checked(PyStructSequence_New(c.result_type));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
    PyStructSequence_SET_ITEM(named, i, Py_NewRef(PyTuple_GET_ITEM(result, i)));
  }
  Py_DECREF(result);
  return named;
}

PyObject* run(const Callable& c, const Overload& o, const BoundArguments& bound) {
  PyObject* result = o.call(bound);
  if (!result) throw PythonError();
  if (o.copies_out && bound[o.signature.out] != Py_None)
    result = serve_out(result, bound[o.signature.out], o.signature.parameters[o.signature.out].exact);
  return name_results(c, result);
}

PyObject* invoke(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  if (c.takes_tensor_alone && n == 1 && !keywords && Py_TYPE(args[0]) == &TensorType) {
    BoundArguments bound;
    bound.bind_alone(c.overloads[0].signature, args[0]);
    return run(c, c.overloads[0], bound);
  }
  // Data has no say; see Note [Overriding operations].
  Classes classes = c.takes_data ? Classes() : classes_of(args, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  if (classes.override) [[unlikely]] {
    std::string name = (Py_TYPE(self)->tp_descr_get ? "Tensor." : "") + c.name;
    return call_override(self, name.c_str(), args, n, keywords);
  }
  PyTypeObject* subclass = classes.result;
  PyObject* result;
  if (c.overloads.size() == 1) {
    BoundArguments bound;
    bound.bind(c.overloads[0].signature, args, n, keywords, true);
    result = run(c, c.overloads[0], bound);
  } else {
    const Overload* chosen = nullptr;
    BoundArguments bound;
    for (const Overload& o : c.overloads) {
      if (!bound.bind(o.signature, args, n, keywords, false)) continue;
      chosen = &o;
      break;
    }
    if (!chosen) raise_no_overload(c, args, n, keywords);
    result = run(c, *chosen, bound);
  }
  return subclass ? as_subclass(subclass, result) : result;
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const Callable& c = *reinterpret_cast<FunctionObject*>(self)->callable;
  return guarded([&] { return invoke(self, c, args, PyVectorcall_NARGS(nargsf), keywords); });
}

// ---- the two Python types

Callable& callable_of(PyObject* self) { return *reinterpret_cast<FunctionObject*>(self)->callable; }

PyObject* get_name(PyObject* self, void*) { return to_python(callable_of(self).name); }
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("chainrule"); }
PyObject* get_doc(PyObject* self, void*) {
  const Callable& c = callable_of(self);
  return to_python(c.description.empty() ? c.document : c.document + "\n\n" + c.description);
}

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
PyObject* get_text_signature(PyObject* self, void*) {
  return guarded([&] { return to_python(signature_text(callable_of(self).overloads.front().signature)); });
}

PyObject* reduce(PyObject* self, PyObject*) {
  // Pickled by name, like a builtin: `chainrule.relu`.
  bool is_method = Py_TYPE(self)->tp_descr_get != nullptr;
  return to_python((is_method ? "Tensor." : "") + callable_of(self).name);
}

PyObject* represent(PyObject* self) {
  bool is_method = Py_TYPE(self)->tp_descr_get != nullptr;
  return PyUnicode_FromFormat("<%s %s of chainrule>", is_method ? "method" : "function",
                              callable_of(self).name.c_str());
}

PyObject* bind_method(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyGetSetDef getset[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                        {"__qualname__", get_name, nullptr, nullptr, nullptr},
                        {"__module__", get_module, nullptr, nullptr, nullptr},
                        {"__doc__", get_doc, nullptr, nullptr, nullptr},
                        {"__text_signature__", get_text_signature, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef reduce_method[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyTypeObject make_type(const char* name, bool method) {
  PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  type.tp_name = name;
  type.tp_basicsize = sizeof(FunctionObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | (method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
  type.tp_vectorcall_offset = offsetof(FunctionObject, vectorcall);
  type.tp_call = PyVectorcall_Call;
  type.tp_repr = represent;
  type.tp_getset = getset;
  type.tp_methods = reduce_method;
  if (method) type.tp_descr_get = bind_method;
  return type;
}
PyTypeObject FunctionType = make_type("chainrule.Function", false);
PyTypeObject MethodType = make_type("chainrule.Method", true);

PyObject* make_object(Callable* c, PyTypeObject* type) {
  auto* object = reinterpret_cast<FunctionObject*>(checked(PyType_GenericAlloc(type, 0)));
  object->vectorcall = vectorcall;
  object->callable = c;
  return reinterpret_cast<PyObject*>(object);
}

// "(values, indices)" after the arrow names the results.
PyTypeObject* result_type_of(const Signature& s) {
  if (s.returns.empty() || s.returns.front() != '(') return nullptr;
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
  return checked(PyStructSequence_NewType(&description));
}

bool is_satisfied_by_tensor(const std::vector<Parameter>& parameters) {
  if (parameters.empty() || parameters[0].kind != Kind::Tensor) return false;
  return std::all_of(parameters.begin() + 1, parameters.end(), [](const Parameter& p) { return p.default_value; });
}

Callable& add_overload(std::map<std::string, Callable, std::less<>>& where, const Overload& o) {
  Callable& c = where[o.signature.name];
  c.name = o.signature.name;
  c.document += (c.document.empty() ? "" : "\n") + c.name + signature_text(o.signature) + " -> " + o.signature.returns;
  if (!c.result_type) c.result_type = result_type_of(o.signature);
  c.overloads.push_back(o);
  const auto& parameters = o.signature.parameters;
  c.takes_data = !parameters.empty() && parameters[0].kind == Kind::Object;
  c.takes_tensor_alone = c.overloads.size() == 1 && is_satisfied_by_tensor(parameters);
  return c;
}

}  // namespace

void define_call(Signature signature, Forms forms, Call call, bool copies_out) {
  Overload o{std::move(signature), std::move(call), copies_out};
  if (forms & kFunction) add_overload(functions, o).functional = (forms & kFunctional) == kFunctional;
  if (forms & kMethod) {
    o.signature.method = true;
    add_overload(methods, o);
  }
}

Callable* find_callable(std::string_view name, bool method) {
  auto& where = method ? methods : functions;
  auto found = where.find(name);
  return found == where.end() ? nullptr : &found->second;
}

void describe_callable(std::string_view name, const std::string& description) {
  for (bool method : {false, true}) {
    Callable* c = find_callable(name, method);
    if (c && c->description.empty()) c->description = description;
  }
}

void define_alias(std::string_view alias, std::string_view target, Forms forms) {
  for (bool method : {false, true}) {
    if (!(forms & (method ? kMethod : kFunction))) continue;
    Callable* c = find_callable(target, method);
    if (!c || find_callable(alias, method)) continue;
    Callable copy = *c;
    copy.name = std::string(alias);
    copy.document = "The same as " + std::string(target) + ".\n\n" + c->document;
    (method ? methods : functions)[std::string(alias)] = std::move(copy);
  }
}

void add_callables(PyObject* module, PyTypeObject* tensor_type) {
  checked(PyType_Ready(&FunctionType));
  checked(PyType_Ready(&MethodType));
  PyObject* table = checked(PyDict_New());
  for (auto& [name, c] : functions) {
    PyObject* object = make_object(&c, &FunctionType);
    checked(PyDict_SetItemString(table, name.c_str(), object));
    Py_DECREF(object);
  }
  checked(PyModule_AddObject(module, "functions", table));
  for (auto& [name, c] : methods) {
    PyObject* object = make_object(&c, &MethodType);
    checked(PyDict_SetItemString(tensor_type->tp_dict, name.c_str(), object));
    Py_DECREF(object);
  }
  PyType_Modified(tensor_type);
}

PyObject* functional_names() {
  PyObject* names = checked(PySet_New(nullptr));
  for (auto& [name, c] : functions) {
    if (!c.functional) continue;
    PyObject* text = to_python(name);
    checked(PySet_Add(names, text));
    Py_DECREF(text);
  }
  PyObject* frozen = checked(PyFrozenSet_New(names));
  Py_DECREF(names);
  return frozen;
}

PyObject* signature_list() {
  PyObject* list = checked(PyList_New(0));
  auto add = [&](const char* form, auto& where) {
    for (auto& [name, c] : where) {
      for (const Overload& o : c.overloads) {
        PyObject* row = Py_BuildValue("(sss)", form, name.c_str(), o.signature.text.c_str());
        checked(PyList_Append(list, row));
        Py_DECREF(row);
      }
    }
  };
  add("function", functions);
  add("method", methods);
  return list;
}

}  // namespace chainrule
