// The named tuples that functions with several results give, as torch.return_types.
#pragma once
#include "bindings/calls/callable.hpp"

namespace chainrule {

// The type of a function's results: "(values, indices)" after the arrow names them. Null: it has none.
PyTypeObject* result_type_of(const Signature& s);
// A plain tuple becomes the function's named one. Takes over the result.
PyObject* name_results(const Callable& c, PyObject* result);
// The named tuples that functions return, by the functions' names: a dict.
PyObject* result_types();

}  // namespace chainrule
