// Whether a gradient's buffer may be written into.
#pragma once
#include "tensor/tensor.hpp"
#include "tensor/thresholds.hpp"

namespace chainrule {

// Whether a write could be noticed by nobody: one owner, no view, no memory of somebody else's, no history.
inline bool is_private(const TensorObject* t) {
  const Storage* s = t->storage;
  return thresholds.reuse && Py_REFCNT((PyObject*)t) == 1 && s->references == 1 && !s->owner && !s->exported &&
         t->has(kContiguous) && !t->node;
}

}  // namespace chainrule
