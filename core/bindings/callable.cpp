// Functions and methods as Python sees them: overload resolution, out=, subclasses, documentation.
#include "bindings/callable.hpp"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "bindings/batched.hpp"
#include "bindings/errors.hpp"
#include "bindings/help.hpp"
#include "bindings/meta.hpp"
#include "bindings/subclass.hpp"
#include "ops/copy.hpp"
#include "ops/read_line.hpp"
#include "ops/refusals.hpp"
#include "ops/write.hpp"

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

// The one overload that takes so many arguments, or null.
const Overload* only_plausible(const Callable& c, Py_ssize_t count) {
  const Overload* found = nullptr;
  for (const Overload& o : c.overloads) {
    const auto& all = o.signature.parameters;
    auto required = std::count_if(all.begin(), all.end(), [](const Parameter& p) { return !p.default_value; });
    if (count < required || count > static_cast<Py_ssize_t>(all.size())) continue;
    if (found) return nullptr;
    found = &o;
  }
  return found;
}

// What does not fit the signature, in words; empty if all does.
std::string misfit(const Signature& s, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  try {
    BoundArguments().bind(s, args, n, keywords, true);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// "Tensor, dim=int": the kinds of the arguments, from the first that counts.
std::string kinds_text(PyObject* const* args, Py_ssize_t first, Py_ssize_t n, PyObject* keywords) {
  std::string text;
  Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = first; i < n + named; ++i) {
    if (i > first) text += ", ";
    if (i >= n) text += std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, i - n))) + "=";
    text += is_tensor(args[i]) ? "Tensor" : Py_TYPE(args[i])->tp_name;
  }
  return text;
}

// What PyTorch says of an out= of the wrong dtype: W is the one that it wants, F the one that it found.
struct OutWords {
  const char *names, *text;
};
constexpr OutWords kOutWords[] = {
    {"amax amin", "Expected the dtype for input and out to match, but got W for input's dtype and F for out's dtype."},
    {"complex polar", "Expected object of scalar type W but got scalar type F for argument 'out'"},
    {"dot vdot", "result dtype F does not match input dtype W"},
    {"nonzero", "nonzero: Expected out tensor to have scalar type W but got scalar type F"},
    {"searchsorted bucketize",
     "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
     "whether out_int32 flag is True, but we got output tensor's dtype F where it is W"},
    {"tensordot inner", "tensordot: Expected the output tensor to have dtype W, but got an output tensor with dtype F"},
    {"kthvalue", "output values must be of same type as input: W, not F"},
    {"quantile nanquantile", "quantile() out tensor must be same dtype as the input tensor: W, not F"},
    {"cummax cummin logcumsumexp", "expected scalar_type W but found F"},
};

[[noreturn]] void raise_out_dtype(const std::string& name, const DTypeFacts& wanted, const DTypeFacts& found) {
  for (const OutWords& words : kOutWords) {
    if (!names_in(words.names, name.c_str())) continue;
    std::string text;
    for (std::string_view rest = words.text; !rest.empty(); rest.remove_prefix(1)) {
      char c = rest[0];
      text += c == 'W' ? wanted.tensor_name : c == 'F' ? found.tensor_name : std::string(1, c);
    }
    raise(PyExc_RuntimeError, text);
  }
  raise(PyExc_RuntimeError, "Expected out tensor to have dtype ", wanted.cpp_name, ", but got ", found.cpp_name,
        " instead");
}

void check_out(const std::string& name, const Tensor& from, const Tensor& to, bool exact) {
  if (exact && from.dtype() != to.dtype()) raise_out_dtype(name, facts(from.dtype()), facts(to.dtype()));
  check_out_unrecorded("", {&from, &to});
  check_cast(from.dtype(), to.dtype());
}

void copy_to_out(const Tensor& from, const Tensor& to) {
  prepare_out(to, from.sizes());
  check_no_overlap(to);
  copy_elements(to, from);
  mark_written(to);
}

void check_several(const Callable& c, PyObject* out) {
  if (is_tensor_sequence(out)) return;
  raise(PyExc_TypeError, c.name, "(): argument 'out' must be tuple of Tensors, not ", Py_TYPE(out)->tp_name);
}

// The result's tensors in the tensors of `out`; all are checked before one is written.
PyObject* serve_out(const Callable& c, const Overload& o, PyObject* result, PyObject* out) {
  bool several = !is_tensor(result);
  std::vector<Tensor> from = to_tensors(result);
  Py_DECREF(result);
  if (!several && !is_tensor(out)) {
    raise(PyExc_TypeError, c.name, "(): argument 'out' must be Tensor, not ", Py_TYPE(out)->tp_name);
  }
  if (several) check_several(c, out);
  std::vector<Tensor> to = to_tensors(out);
  if (from.size() != to.size())
    raise(PyExc_TypeError, "expected tuple of ", from.size(), " elements but got ", to.size());
  for (size_t i = 0; i < from.size(); ++i)
    check_out(c.name, from[i], to[i], o.signature.parameters[o.signature.out].exact);
  for (size_t i = 0; i < from.size(); ++i) copy_to_out(from[i], to[i]);
  return several ? to_python(std::move(to)) : Py_NewRef(out);
}

// zeros(3, out=x): no tensor among the arguments decides the dtype, so `out` does.
bool creates(const Overload& o) {
  const Signature& s = o.signature;
  return o.copies_out && s.dtype >= 0 && s.parameters[0].kind != Kind::Tensor;
}

void take_dtype_of_out(const Signature& s, BoundArguments& bound) {
  DType dtype = Tensor::borrow(bound[s.out]).dtype();
  PyObject* given = bound[s.dtype];
  if (given != Py_None && to_dtype_value(given) != dtype) {
    raise(PyExc_RuntimeError, "dtype ", facts(to_dtype_value(given)).tensor_name,
          " does not match dtype of out parameter (", facts(dtype).tensor_name, ")");
  }
  bound.replace(s.dtype, dtype_object(dtype));
}

// What is created into `out` has no history: a gradient that was asked for is out's own.
PyObject* create_into(const Callable& c, const Overload& o, BoundArguments& bound) {
  PyObject* out = bound[o.signature.out];
  take_dtype_of_out(o.signature, bound);
  PyObject* result = checked(o.call(bound));
  Tensor made = Tensor::borrow(result);
  bool tracked = requires_grad(made);
  if (tracked) set_requires_grad(made, false);
  Py_DECREF(serve_out(c, o, result, out));
  if (tracked) set_requires_grad(Tensor::borrow(out), true);
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

PyObject* run(const Callable& c, const Overload& o, BoundArguments& bound) {
  if (o.signature.device >= 0 && makes_meta(o.signature, bound)) [[unlikely]]
    return make_meta(c, o.signature, bound);
  PyObject* out = o.copies_out ? bound[o.signature.out] : Py_None;
  if (out == Py_None) return name_results(c, checked(o.call(bound)));
  if (o.signature.returns[0] == '(') check_several(c, out);
  if (creates(o)) return create_into(c, o, bound);
  if (o.signature.parameters[o.signature.out].lends && bound[o.signature.dtype] == Py_None && is_tensor(out))
    bound.replace(o.signature.dtype, dtype_object(Tensor::borrow(out).dtype()));
  return name_results(c, serve_out(c, o, checked(o.call(bound)), out));
}

}  // namespace

void raise_no_overload(const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  std::string reason, list;
  if (const Overload* o = only_plausible(c, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0))) {
    reason = misfit(o->signature, args, n, keywords);
    if (!o->signature.by_kind) raise(PyExc_TypeError, reason);
  }
  for (const Overload& o : c.overloads) list += o.signature.overload_lines();
  raise(PyExc_TypeError, c.name, "() received an invalid combination of arguments - got (",
        kinds_text(args, c.overloads[0].signature.method, n, keywords), "), but expected one of:", list,
        reason.empty() ? "" : "\n  ", reason);
}

PyObject* call(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  if (c.takes_tensor_alone && n == 1 && !keywords && Py_TYPE(args[0]) == &TensorType && !watching) {
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
  if (subclass && std::any_of(args, args + n, is_batched)) raise_escaped(c.name.c_str());
  PyObject* result;
  if (c.overloads.size() == 1) {
    BoundArguments bound;
    const Signature& s = c.overloads[0].signature;
    if (!bound.bind(s, args, n, keywords, !s.by_kind)) raise_no_overload(c, args, n, keywords);
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

namespace {

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const Callable& c = *reinterpret_cast<FunctionObject*>(self)->callable;
  return guarded_unsettled([&] {
    if (c.settles) settle();
    if (vmap_depth > 0) [[unlikely]]
      return call_batched(self, args, PyVectorcall_NARGS(nargsf), keywords);
    if (autocasting) [[unlikely]]
      return call_autocast(self, c, args, PyVectorcall_NARGS(nargsf), keywords);
    return call(self, c, args, PyVectorcall_NARGS(nargsf), keywords);
  });
}

PyObject* quick_vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  if (PyVectorcall_NARGS(nargsf) != 1 || keywords || Py_TYPE(args[0]) != &TensorType || watching || vmap_depth > 0 ||
      autocasting)
    return vectorcall(self, args, nargsf, keywords);
  const Quick& quick = reinterpret_cast<FunctionObject*>(self)->callable->quick;
  return guarded_unsettled([&] { return quick.run(quick.which, args[0]); });
}

// ---- the two Python types

Callable& callable_of(PyObject* self) { return *reinterpret_cast<FunctionObject*>(self)->callable; }

PyObject* get_name(PyObject* self, void*) { return to_python(callable_of(self).name); }
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("chainrule"); }
PyObject* get_doc(PyObject* self, void*) {
  return guarded([&] { return help_text(callable_of(self)); });
}
PyObject* get_signature(PyObject* self, void*) {
  return guarded([&] { return signature_object(callable_of(self).overloads.front().signature); });
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
                        {"__signature__", get_signature, nullptr, nullptr, nullptr},
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
  object->vectorcall = c->quick.run ? quick_vectorcall : vectorcall;
  object->callable = c;
  return reinterpret_cast<PyObject*>(object);
}

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

// "(values, indices)" after the arrow names the results.
PyTypeObject* result_type_of(const Signature& s) {
  if (s.returns.empty() || s.returns.front() != '(') return nullptr;
  PyTypeObject*& type = named_results[s.name];
  if (!type) type = make_result_type(s);
  return type;
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
  if (signature.parameters.size() > BoundArguments::kMax)
    raise(PyExc_SystemError, "too many parameters: ", signature.text);
  Overload o{std::move(signature), std::move(call), copies_out};
  if (forms & kFunction) add_overload(functions, o).functional = (forms & kFunctional) == kFunctional;
  o.signature.method = true;
  if (forms & kMethod) add_overload(methods, o);
}

Overload make_overload(std::string_view text, const Function& f) {
  bool arrow = !f.returns_many || text.find("->") != text.npos;
  Signature s = Signature::parse(std::string(text) + (arrow ? "" : " -> Tensor[]"));
  bool copies_out = s.out >= 0 && f.arity < static_cast<int>(s.parameters.size());
  std::array<uint8_t, BoundArguments::kMax> places{};
  int at = 0;
  for (int i = 0; i < f.arity; ++i) {
    if (copies_out && at == s.out) ++at;  // the function does not take it
    places[i] = at++;
  }
  if (at > static_cast<int>(s.parameters.size())) raise(PyExc_SystemError, "signature too short: ", s.text);
  Call call = [f, places](const BoundArguments& a) { return f.invoke(f.pointer, a, places.data()); };
  return {std::move(s), std::move(call), copies_out};
}

void define_function(std::string_view text, Forms forms, const Function& f) {
  Overload o = make_overload(text, f);
  define_call(std::move(o.signature), forms, std::move(o.call), o.copies_out);
}

void define_quick(std::string_view name, Quick quick) {
  for (bool method : {false, true}) {
    if (Callable* c = find_callable(name, method)) c->quick = quick;
  }
}

Tensor deliver_apart(const Tensor& result, const Tensor& out, std::span<const Tensor* const> inputs, bool exact) {
  if (!out) return result;
  check_no_overlap(out);
  for (const Tensor* t : inputs) apart_from(out, *t);
  check_out("", result, out, exact);
  copy_to_out(result, out);
  return out;
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
    copy.alias_of = std::string(target);
    for (Overload& o : copy.overloads) o.signature.name = copy.name;  // so that errors speak of the alias
    (method ? methods : functions)[std::string(alias)] = std::move(copy);
  }
}

void add_callables(PyObject* module, PyTypeObject* tensor_type) {
  checked(PyType_Ready(&FunctionType));
  checked(PyType_Ready(&MethodType));
  PyObject* table = checked(PyDict_New());
  for (auto& [name, c] : functions) {
    c.precision = precision_of(name);
    PyObject* object = make_object(&c, &FunctionType);
    checked(PyDict_SetItemString(table, name.c_str(), object));
    Py_DECREF(object);
  }
  checked(PyModule_AddObject(module, "functions", table));
  for (auto& [name, c] : methods) {
    c.precision = precision_of(name);
    PyObject* object = make_object(&c, &MethodType);
    checked(PyDict_SetItemString(tensor_type->tp_dict, name.c_str(), object));
    Py_DECREF(object);
  }
  PyType_Modified(tensor_type);
}

PyObject* result_types() {
  PyObject* types = checked(PyDict_New());
  for (auto& [name, type] : named_results) {
    if (PyDict_SetItemString(types, name.c_str(), reinterpret_cast<PyObject*>(type)) < 0) throw PythonError();
  }
  return types;
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
