// The small value types of the Python surface: dtype, device, layout, memory_format and Size.
#pragma once
#include <Python.h>

#include "ops/memory_format.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

extern PyTypeObject DTypeType;   // chainrule.dtype
extern PyTypeObject DeviceType;  // chainrule.device
extern PyTypeObject SizeType;    // chainrule.Size, a tuple

PyObject* dtype_object(DType t);  // borrowed, one per dtype
DType dtype_value(PyObject* o);   // of a DTypeType instance
PyObject* cpu_device();
PyObject* strided_layout();  // borrowed           // borrowed
MemoryFormat memory_format_value(PyObject* o);
void add_descriptors(PyObject* module);

}  // namespace chainrule
