// Whether a gradient's buffer may be written into.
#pragma once
#include "tensor/tensor.hpp"
#include "tensor/thresholds.hpp"

namespace chainrule {

// Whether nobody else sees it: one owner, no view, no memory of somebody else's, no history.
inline bool has_one_owner(const TensorObject* t) {
  const Storage* s = t->storage;
  return Py_REFCNT((PyObject*)t) == 1 && s->references == 1 && !s->owner && !s->exported && t->has(kContiguous) &&
         !t->node;
}
// Whether it may be written into; see Note [Thresholds].
inline bool is_private(const TensorObject* t) { return thresholds.reuse && has_one_owner(t); }

}  // namespace chainrule
