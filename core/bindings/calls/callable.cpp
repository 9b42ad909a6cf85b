// Functions and methods as Python sees them: overload resolution, subclasses, documentation.
#include "bindings/calls/callable.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "autograd/leaf.hpp"
#include "autograd/record.hpp"
#include "backends/recording/recording.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/former_orders.hpp"
#include "bindings/calls/help.hpp"
#include "bindings/calls/out_argument.hpp"
#include "bindings/calls/unresolved.hpp"
#include "bindings/types/result_types.hpp"
#include "bindings/types/sparse_type.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/networks/optimise.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

struct FunctionObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Callable* callable;
  PyObject* dict;  // what programs hang on a function, as on PyTorch's functions in Python
  PyObject* weak_references;
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

PyObject* run_here(const Callable& c, const Overload& o, BoundArguments& bound) {
  PyObject* out = o.copies_out ? bound[o.signature.out] : Py_None;
  if (out == Py_None) return name_results(c, checked(o.call(bound)));
  if (o.signature.returns[0] == '(') check_several(c, out);
  refuse_shared_out(c, o, bound);
  if (creates(o)) return create_into(c, o, bound);
  if (o.signature.parameters[o.signature.out].lends && bound[o.signature.dtype] == Py_None && is_tensor(out))
    bound.replace(o.signature.dtype, dtype_object(Tensor::borrow(out).dtype()));
  return name_results(c, serve_out(c, o, checked(o.call(bound)), out));
}

// Where the learning rate stands among the arguments, and the options that it was taken from.
struct LiveRate {
  int place;
  Owned options;
};

std::shared_ptr<LiveRate> live_rate(const Signature& s, const BoundArguments& bound) {
  PyObject* const options = recorder->options;
  PyObject* const rate = options ? PyDict_GetItemString(options, "lr") : nullptr;
  if (!rate || !PyFloat_CheckExact(rate)) return nullptr;
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (s.parameters[i].name != "lr" || bound[static_cast<int>(i)] != rate) continue;
    ++recorder->rates_looked_up;
    return std::make_shared<LiveRate>(static_cast<int>(i), Owned(Py_NewRef(options)));
  }
  return nullptr;
}

PyObject* rate_in(PyObject* options) {
  PyObject* const rate = PyDict_GetItemString(options, "lr");
  if (!rate || !PyFloat_CheckExact(rate))
    raise(PyExc_TypeError, "a recorded step found a learning rate that is no float any more");
  return rate;
}

// A recorded step makes the whole call again, for what it calculates depends on numbers that it counts.
PyObject* run_whole(const Callable& c, const Overload& o, const BoundArguments& bound) {
  auto kept = std::make_shared<std::vector<Owned>>();
  for (size_t i = 0; i < o.signature.parameters.size(); ++i) {
    PyObject* value = bound[static_cast<int>(i)];
    kept->emplace_back(Py_NewRef(value));
    if (!PyList_Check(value)) continue;
    for (const Tensor& t : to_tensors(value)) recorder->note_owned(t);
  }
  const auto live = live_rate(o.signature, bound);
  const auto whole = [&c, &o, kept, live] {
    BoundArguments again;
    for (size_t i = 0; i < kept->size(); ++i) again.replace(static_cast<int>(i), (*kept)[i].get());
    if (live) again.replace(live->place, rate_in(live->options.get()));
    Owned(run_here(c, o, again));
  };
  auto calls = std::make_shared<OptimiserCalls>();
  PyObject* const rate = live ? bound[live->place] : nullptr;  // `kept` holds it
  replayed_as(
      [&] {
        const CollectScope collect(*calls);
        whole();
      },
      [whole, calls, live, rate] {
        const bool as_before = !live || PyDict_GetItemString(live->options.get(), "lr") == rate;
        as_before && calls->run ? calls->run() : whole();
      });
  for (const OptimiserArrays& each : calls->arrays) {
    for (const void* address : each.arrays) recorder->note_address(address);
  }
  Py_RETURN_NONE;
}

PyObject* run_there(const Callable& c, const Overload& o, BoundArguments& bound) {
  const Device device = asked_device(o.signature, bound);
  if (device == Storage::making.device) [[likely]]
    return run_here(c, o, bound);
  if (device == Device::Meta) return make_meta(c, o.signature, bound);
  CallScope call(c.name);
  DeviceScope there(device);
  return run_here(c, o, bound);
}

// A new tensor in pinned memory.
PyObject* pinned(PyObject* made) {
  const Owned plain(made);
  const Owned moved(from_python(PyObject_CallMethod(made, "pin_memory", nullptr)));
  const Tensor t = Tensor::borrow(moved.get());
  if (requires_grad(Tensor::borrow(made))) set_requires_grad(t, true);
  return Py_NewRef(moved.get());
}

PyObject* run(const Callable& c, const Overload& o, BoundArguments& bound) {
  const Signature& s = o.signature;
  if (recorder && c.is_step) [[unlikely]]
    return run_whole(c, o, bound);
  if (s.layout >= 0 && is_sparse_layout(bound[s.layout])) [[unlikely]]
    return make_sparse(c.name, arguments_by_name(s, bound).release());
  if (s.device < 0) return run_here(c, o, bound);
  const bool pins = s.pins >= 0 && bound[s.pins] == Py_True;
  PyObject* made = run_there(c, o, bound);
  return pins ? pinned(made) : made;
}

}  // namespace

void raise_no_overload(const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  std::string reason, list;
  if (c.overloads[0].signature.method && n > 0) check_self(c.overloads[0].signature, args[0]);
  if (const Overload* o = only_plausible(c, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0))) {
    reason = misfit(o->signature, args, n, keywords);
    if (!o->signature.by_kind) raise(PyExc_TypeError, reason);
  }
  for (const Overload& o : c.overloads) list += o.signature.overload_lines();
  raise(PyExc_TypeError, c.name, "() received an invalid combination of arguments - got (",
        kinds_text(args, c.overloads[0].signature.method, n, keywords), "), but expected one of:", list,
        reason.empty() ? "" : "\n  ", reason);
}

namespace {

PyObject* call_overload(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  BoundArguments bound;
  if (c.overloads.size() == 1) {
    const Signature& s = c.overloads[0].signature;
    if (!bound.bind(s, args, n, keywords, false)) [[unlikely]] {
      if (PyObject* done = call_former(self, c, args, n, keywords)) return done;
      if (!bound.bind(s, args, n, keywords, !s.by_kind)) raise_no_overload(c, args, n, keywords);
    }
    return run(c, c.overloads[0], bound);
  }
  for (const Overload& o : c.overloads) {
    if (bound.bind(o.signature, args, n, keywords, false)) return run(c, o, bound);
  }
  raise_no_overload(c, args, n, keywords);
}

PyObject* call_resolved(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  ResolvedArguments resolved(args, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  return resolved.finish(call_overload(self, c, resolved.data(), n, keywords));
}

}  // namespace

PyObject* call(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  if (c.takes_tensor_alone && n == 1 && !keywords && Py_TYPE(args[0]) == &TensorType && !onlookers) {
    BoundArguments bound;
    bound.bind_alone(c.overloads[0].signature, args[0]);
    return run(c, c.overloads[0], bound);
  }
  // Data has no say; see bindings/types/subclass.hpp.
  Classes classes = c.takes_data ? Classes() : classes_of(args, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
  const bool runs_here = classes.sparse ? c.describes : classes.only_elsewhere && c.needs_no_elements;
  if (classes.override && !runs_here) [[unlikely]] {
    std::string name = (Py_TYPE(self)->tp_descr_get ? "Tensor." : "") + c.name;
    return call_override(self, name.c_str(), args, n, keywords);
  }
  PyTypeObject* subclass = classes.result;
  if (subclass && std::any_of(args, args + n, is_batched)) raise_escaped(c.name.c_str());
  const bool resolves = unresolved_tensors > 0 && !c.takes_unresolved;
  PyObject* result = resolves ? call_resolved(self, c, args, n, keywords) : call_overload(self, c, args, n, keywords);
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
  if (PyVectorcall_NARGS(nargsf) != 1 || keywords || Py_TYPE(args[0]) != &TensorType || onlookers || vmap_depth > 0 ||
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
  if (method) {
    type.tp_descr_get = bind_method;
  } else {
    type.tp_dictoffset = offsetof(FunctionObject, dict);
    type.tp_weaklistoffset = offsetof(FunctionObject, weak_references);
  }
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
  // A number has no methods; where the function takes one, Tensor.add(3, x) is refused.
  if (!o.signature.parameters.empty() && o.signature.parameters[0].kind == Kind::Operand)
    o.signature.parameters[0].kind = Kind::Tensor;
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
    c.precision_on_gpu = precision_on_gpu(name);
    c.takes_unresolved = c.takes_data || takes_unresolved(name);
    c.needs_no_elements = needs_no_elements(name);
    c.describes = describes(name);
    c.is_step = name.starts_with("_fused_");
    PyObject* object = make_object(&c, &FunctionType);
    checked(PyDict_SetItemString(table, name.c_str(), object));
    Py_DECREF(object);
  }
  checked(PyModule_AddObject(module, "functions", table));
  for (auto& [name, c] : methods) {
    c.precision = precision_of(name);
    c.precision_on_gpu = precision_on_gpu(name);
    c.takes_unresolved = takes_unresolved(name);
    c.needs_no_elements = needs_no_elements(name);
    c.describes = describes(name);
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
