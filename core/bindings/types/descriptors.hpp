// The small value types of the Python surface: dtype, device (in device_type.cpp), layout, memory_format and Size.
#pragma once
#include <Python.h>

#include "ops/views/memory_format.hpp"
#include "tensor/device.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

extern PyTypeObject DTypeType;   // chainrule.dtype
extern PyTypeObject DeviceType;  // chainrule.device
extern PyTypeObject SizeType;    // chainrule.Size, a tuple

PyObject* dtype_object(DType t);    // borrowed, one per dtype
DType dtype_value(PyObject* o);     // of a DTypeType instance
PyObject* device_object(Device d);  // borrowed, one per device
PyObject* strided_layout();         // borrowed
bool is_layout(PyObject* o);
bool is_sparse_layout(PyObject* o);
bool is_memory_format(PyObject* o);
MemoryFormat memory_format_value(PyObject* o);
void add_descriptors(PyObject* module);

}  // namespace chainrule
