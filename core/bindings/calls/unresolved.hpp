// Unresolved tensors at the doors through which Python calls the core; see Note [Unresolved tensors].
#pragma once
#include <string_view>
#include <vector>

#include "tensor/owned.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// Whether a function takes unresolved tensors as they are: views, descriptions, copies, conj itself.
bool takes_unresolved(std::string_view name);
// Whether it gives views or descriptions, and reads no element.
bool needs_no_elements(std::string_view name);
// Of functions that do, whether they ask nothing but what sparse tensors have too: sizes, a dtype, a history.
bool describes(std::string_view name);

inline bool is_unresolved(PyObject* o) {
  return unresolved_tensors > 0 && is_tensor(o) && reinterpret_cast<TensorObject*>(o)->bits();
}
// The tensor as it is, or a copy that is resolved.
Tensor resolved_argument(PyObject* tensor);

// Arguments of a call, resolved, also those inside lists and tuples. What the call writes into the copies goes back.
class ResolvedArguments {
 public:
  ResolvedArguments(PyObject* const* args, Py_ssize_t count);
  bool any() const { return !copies_.empty(); }
  PyObject* const* data() const { return args_.data(); }
  // Takes over the result; a copy that the call returned is given back as the tensor that it stands for.
  PyObject* finish(PyObject* result);

 private:
  struct Copy {
    Tensor original, resolved;
    uint32_t version;
  };
  PyObject* resolve(PyObject* o, int depth);
  PyObject* original_of(PyObject* o) const;

  std::vector<PyObject*> args_;
  std::vector<Owned> held_;
  std::vector<Copy> copies_;
};

}  // namespace chainrule
