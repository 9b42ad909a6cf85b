// The Python type Tensor: its properties and the methods that are not operations.
#pragma once
#include <Python.h>

namespace chainrule {

// Readies the type; methods that are operations are added by add_callables.
void ready_tensor_type();
void define_tensor_methods();

}  // namespace chainrule
