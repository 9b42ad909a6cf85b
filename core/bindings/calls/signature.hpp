// A function's signature as one line of text: it feeds the argument parser, the error messages and the type stubs.
#pragma once
#include <Python.h>

#include <string>
#include <string_view>
#include <vector>

namespace chainrule {
// "sum(Tensor input, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None, Tensor? out=None) -> Tensor"
// Types: Tensor, Operand (tensor or number), Number, int, float, bool, str, dtype, device, layout, memory_format,
// Generator, object, int[] (a sequence, or one int), int[]! (a sequence), int[*] (also spread over the positional
// arguments), Tensor[], Tensor[*]; `?` allows None. `*` starts the keyword-only ones. An argument called `out` is
// handled by the caller of the function (Callable), which copies the result into it; with the type Tensor!? it must
// have the result's dtype, and it gives its own to a function that has no tensor to take one from, such as zeros(3,
// out=x). With the type Tensor~? it gives its dtype to the argument `dtype` unless one is given. An argument called
// `pin_memory` may be False or None only where there is no GPU to pin memory for.
enum class Kind : uint8_t {
  Tensor,
  Operand,
  Number,
  Int,
  Float,
  Bool,
  String,
  DType,
  Device,
  Layout,
  MemoryFormat,
  Generator,
  Object,
  Ints,
  SpreadInts,
  Tensors,
  SpreadTensors
};

struct Parameter {
  Kind kind;
  bool optional;  // None is allowed
  bool exact;     // an `out` that must have the result's dtype, written Tensor!?, or a list that no int stands for
  bool lends;     // an exact `out` whose dtype is taken where none is given, written Tensor~?
  bool keyword_only;
  bool pins;  // is called pin_memory
  std::string name;
  std::string type_text;
  PyObject* key;            // interned name
  PyObject* default_value;  // strong; null: required
};

struct Signature {
  std::string name, text, returns;
  std::vector<Parameter> parameters;
  int positional = 0;    // how many may be given by position
  int out = -1;          // index of the `out` parameter
  int dtype = -1;        // index of the `dtype` parameter
  int device = -1;       // index of an optional `device` parameter
  int layout = -1;       // index of a `layout` parameter
  int pins = -1;         // index of the `pin_memory` parameter
  int spread = -1;       // index of an int[*] or Tensor[*] parameter
  bool method = false;   // errors do not count the first argument: x.sum('a') has position 1
  bool by_kind = false;  // has an Operand where PyTorch has an overload for tensors and one for numbers

  static Signature parse(std::string_view text);
  // "\n * (Tensor input, tuple of ints dim, bool keepdim = False)", as PyTorch lists overloads.
  std::string overload_lines() const;

 private:
  std::string overload_line(Kind operand) const;
};

// Arguments bound to a signature's parameters; borrowed except for a tuple made of spread ones.
class BoundArguments {
 public:
  static constexpr int kMax = 16;
  BoundArguments() = default;
  ~BoundArguments() { Py_XDECREF(spread_); }
  BoundArguments(const BoundArguments&) = delete;

  // False if the arguments do not fit. With `explain`, raises TypeError in place of that.
  bool bind(const Signature& s, PyObject* const* args, Py_ssize_t n, PyObject* keywords, bool explain);
  // For a tensor that is the only argument, where all other parameters have defaults.
  void bind_alone(const Signature& s, PyObject* tensor) {
    values_[0] = tensor;
    for (size_t i = 1; i < s.parameters.size(); ++i) values_[i] = s.parameters[i].default_value;
  }
  PyObject* operator[](int i) const { return values_[i]; }
  void replace(int i, PyObject* borrowed) { values_[i] = borrowed; }

 private:
  bool bind_positional(const Signature& s, PyObject* const* args, Py_ssize_t n, bool explain);
  bool bind_keywords(const Signature& s, PyObject* const* args, PyObject* keywords, bool explain);
  // Raises if one of the keywords is unknown, or names an argument that came by position.
  void refuse_keywords(const Signature& s, PyObject* const* args, PyObject* keywords) const;

  PyObject* values_[kMax];
  PyObject* spread_ = nullptr;
};

bool fits(const Parameter& p, PyObject* value);
// Raises if a method is called on something else than a tensor: Tensor.add(3, x).
void check_self(const Signature& s, PyObject* self);
const char* kind_text(Kind kind);

}  // namespace chainrule
