// Functions and methods as Python sees them: one or more signatures, each with a C++ function behind it.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <type_traits>

#include "bindings/calls/autocast.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/signature.hpp"

namespace chainrule {

struct Overload {
  Signature signature;
  // Called with the bound arguments of all parameters but `out`, in order. Returns a new reference; may throw.
  std::function<PyObject*(const BoundArguments&)> call;
  bool copies_out = false;  // `out` is served by copying the result
};

// A shorter way into a function, for the call on a plain tensor without arguments.
struct Quick {
  PyObject* (*run)(int which, PyObject* self) = nullptr;  // a new reference; may throw
  int which = 0;                                          // passed on: one function may serve many names
};

struct Callable {
  std::string name;
  std::string document;     // one line per signature
  std::string description;  // what a line of the table says of its dtypes, value and gradients
  std::string alias_of;     // the name of the operation that this is another name for
  std::vector<Overload> overloads;
  bool settles = true;                       // calculates what is pending before it starts
  bool functional = false;                   // a function of nn.functional only
  bool takes_data = false;                   // tensor(data): the first argument is data of any kind
  bool takes_tensor_alone = false;           // one signature, which a single tensor satisfies: x.item()
  bool takes_unresolved = false;             // as they are; see Note [Unresolved tensors]
  bool is_step = false;                      // of an optimizer: reads and writes numbers itself
  bool describes = false;                    // reads what a sparse tensor has as well as a dense one
  bool needs_no_elements = false;            // gives views or descriptions; see Note [Meta tensors]
  Precision precision = Precision::AsGiven;  // under autocast
  Precision precision_on_gpu = Precision::AsGiven;
  PyTypeObject* result_type = nullptr;  // a named tuple, for functions that return several values
  Quick quick;                          // see define_quick
};

// A functional one is a function of nn.functional, and not of the top level.
enum Forms : uint8_t { kFunction = 1, kMethod = 2, kBoth = 3, kFunctional = 5 };

using Call = std::function<PyObject*(const BoundArguments&)>;

// Adds an overload to the function and/or method of the signature's name. The order of calls is the order of trial.
void define_call(Signature signature, Forms forms, Call call, bool copies_out = false);

// A C++ function without its type, and how to call it with Python's arguments: the little that each `define` compiles.
struct Function {
  using Pointer = void (*)();
  Pointer pointer;
  // `places` holds where each of the function's arguments stands among the bound ones. A new reference; may throw.
  PyObject* (*invoke)(Pointer, const BoundArguments&, const uint8_t* places);
  int arity;
  bool returns_many;
};

template <class R, class... A>
Function untyped(R (*f)(A...)) {
  static_assert(sizeof...(A) <= BoundArguments::kMax);
  auto invoke = [](Function::Pointer pointer, const BoundArguments& a, [[maybe_unused]] const uint8_t* places) {
    auto* typed = reinterpret_cast<R (*)(A...)>(pointer);
    return [&]<size_t... I>(std::index_sequence<I...>) -> PyObject* {
      if constexpr (std::is_void_v<R>) {
        typed(FromPython<std::decay_t<A>>::from(a[places[I]])...);
        return Py_NewRef(Py_None);
      } else {
        return to_python(typed(FromPython<std::decay_t<A>>::from(a[places[I]])...));
      }
    }(std::index_sequence_for<A...>());
  };
  return {reinterpret_cast<Function::Pointer>(f), invoke, sizeof...(A), std::is_same_v<R, std::vector<Tensor>>};
}

// An overload whose C++ function takes the signature's parameters; the C++ types decide the conversions, and whether a
// text without an arrow means one tensor or several. A parameter `out` that the function does not take is served by
// copying the result.
Overload make_overload(std::string_view text, const Function& f);
void define_function(std::string_view text, Forms forms, const Function& f);

// define("mm(Tensor input, Tensor mat2, *, Tensor? out=None)", kBoth, &mm)
template <class F>
void define(std::string_view text, Forms forms, F f) {
  define_function(text, forms, untyped(+f));
}

// Calls the first overload that the arguments fit; `args` holds the values of the keywords after the `n` positional
// ones, as a vectorcall has them. A new reference; raises.
PyObject* call(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords);

// Raises TypeError: no signature takes arguments of these kinds.
[[noreturn]] void raise_no_overload(const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords);

// Gives the function and the method of that name, where they are defined, a shorter way in. It has to settle() if it
// looks at what a tensor holds.
void define_quick(std::string_view name, Quick quick);

Callable* find_callable(std::string_view name, bool method);
// Adds to the __doc__ of the function and the method of that name, unless it has a description already.
void describe_callable(std::string_view name, const std::string& description);
void define_alias(std::string_view alias, std::string_view target, Forms forms = kBoth);
void add_callables(PyObject* module, PyTypeObject* tensor_type);
// The names of the functions that are found in nn.functional only: a frozenset.
PyObject* functional_names();
// Every signature, for the type stubs: list of (form, name, text).
PyObject* signature_list();

}  // namespace chainrule
