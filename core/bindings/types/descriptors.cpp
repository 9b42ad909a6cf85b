// The small value types of the Python surface: dtype, layout, memory_format and Size.
#include "bindings/types/descriptors.hpp"

#include <structmember.h>

#include <cstring>
#include <span>
#include <string>

#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/device_type.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

// ---- dtype

struct DTypeObject {
  PyObject_HEAD
  DType value;
};
DTypeObject dtypes[kDTypeCount];

DType value_of(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->value; }

PyObject* dtype_repr(PyObject* self) { return PyUnicode_FromFormat("torch.%s", facts(value_of(self)).name); }
PyObject* dtype_reduce(PyObject* self, PyObject*) { return PyUnicode_FromString(facts(value_of(self)).name); }
// Pickled by name; without this, pickle looks for the name in every module there is.
PyObject* module_of_constants(PyObject*, void*) { return PyUnicode_FromString("chainrule"); }
PyObject* dtype_is_floating(PyObject* self, void*) { return PyBool_FromLong(holds_floating(value_of(self))); }
PyObject* dtype_is_complex(PyObject* self, void*) { return PyBool_FromLong(holds_complex(value_of(self))); }
PyObject* dtype_is_signed(PyObject* self, void*) { return PyBool_FromLong(is_signed(value_of(self))); }
PyObject* dtype_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(size_of(value_of(self))); }
PyObject* dtype_to_real(PyObject* self, PyObject*) { return Py_NewRef(dtype_object(real_of(value_of(self)))); }
PyObject* dtype_to_complex(PyObject* self, PyObject*) {
  DType t = value_of(self);
  if (holds_complex(t)) return Py_NewRef(self);
  if (!is_floating(t))
    return PyErr_Format(PyExc_RuntimeError, "Unknown Complex ScalarType for %s", facts(t).tensor_name);
  return Py_NewRef(dtype_object(complex_of(t)));
}

PyGetSetDef dtype_getset[] = {{"__module__", module_of_constants, nullptr, nullptr, nullptr},
                              {"is_floating_point", dtype_is_floating, nullptr, nullptr, nullptr},
                              {"is_complex", dtype_is_complex, nullptr, nullptr, nullptr},
                              {"is_signed", dtype_is_signed, nullptr, nullptr, nullptr},
                              {"itemsize", dtype_itemsize, nullptr, nullptr, nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
    {"to_real", dtype_to_real, METH_NOARGS, "The dtype of the parts of complex numbers; a real dtype itself."},
    {"to_complex", dtype_to_complex, METH_NOARGS, "The complex dtype whose parts have this one."},
    {nullptr, nullptr, 0, nullptr}};

// ---- Size

PyObject* size_repr(PyObject* self) {
  std::string text = "torch.Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    PyObject* item = PyObject_Str(PyTuple_GET_ITEM(self, i));
    if (!item) return nullptr;
    text += (i ? ", " : "") + std::string(PyUnicode_AsUTF8(item));
    Py_DECREF(item);
  }
  return PyUnicode_FromString((text + "])").c_str());
}

PyObject* size_numel(PyObject* self, PyObject*) {
  int64_t n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    int64_t size = PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
    if (size == -1 && PyErr_Occurred()) return nullptr;  // a ragged size is no number
    n = wrapped(n, size);
  }
  return PyLong_FromLongLong(n);
}

// Slicing, adding and repeating a Size gives a Size.
PyObject* to_size(PyObject* tuple) {
  if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
  PyObject* args = PyTuple_Pack(1, tuple);
  Py_DECREF(tuple);
  PyObject* result = args ? PyTuple_Type.tp_new(&SizeType, args, nullptr) : nullptr;
  Py_XDECREF(args);
  return result;
}
// Of a nested tensor's dimension whose rows have different lengths: chainrule.nested.ragged_size.RaggedSize.
bool is_ragged_size(PyObject* item) {
  return Py_TYPE(item)->tp_flags & Py_TPFLAGS_HEAPTYPE && PyObject_HasAttrString(item, "nested_int");
}
PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* result = PyTuple_Type.tp_new(type, args, kwargs);
  if (!result) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result); ++i) {
    PyObject* item = PyTuple_GET_ITEM(result, i);
    if (PyLong_Check(item) && !PyBool_Check(item)) continue;
    if (is_ragged_size(item)) continue;
    PyObject* number = PyNumber_Index(item);
    if (!number) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
                   Py_TYPE(item)->tp_name);
      Py_DECREF(result);
      return nullptr;
    }
    PyTuple_SET_ITEM(result, i, number);
    Py_DECREF(item);
  }
  return result;
}
PyObject* size_subscript(PyObject* self, PyObject* key) {
  PyObject* result = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? to_size(result) : result;
}
PyObject* size_concat(PyObject* a, PyObject* b) { return to_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b)); }
PyObject* size_repeat(PyObject* a, Py_ssize_t n) { return to_size(PyTuple_Type.tp_as_sequence->sq_repeat(a, n)); }
PyObject* size_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(N))", &SizeType, PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
}
// (1,) + Size: as a tuple's own operand order would not ask us.
PyObject* size_add(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a)) Py_RETURN_NOTIMPLEMENTED;
  if (PyTuple_Check(b)) return to_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
  PyNumberMethods* other = Py_TYPE(b)->tp_as_number;
  if (other && other->nb_add) Py_RETURN_NOTIMPLEMENTED;  // it may know what to do with a Size
  PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not %s) to torch.Size", Py_TYPE(b)->tp_name);
  return nullptr;
}
PyNumberMethods size_number = {};
PyMappingMethods size_mapping = {nullptr, size_subscript, nullptr};
PySequenceMethods size_sequence = {};
PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, "The number of elements of a tensor with these sizes."},
    {"__reduce__", size_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// ---- layout and memory_format: constants with a name

struct ConstantObject {
  PyObject_HEAD
  const char* name;
};
PyObject* constant_repr(PyObject* self) {
  return PyUnicode_FromFormat("torch.%s", reinterpret_cast<ConstantObject*>(self)->name);
}
PyObject* constant_reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(reinterpret_cast<ConstantObject*>(self)->name);
}
PyMethodDef constant_methods[] = {{"__reduce__", constant_reduce, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
PyGetSetDef constant_getset[] = {{"__module__", module_of_constants, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject LayoutType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject MemoryFormatType = {PyVarObject_HEAD_INIT(nullptr, 0)};
constexpr const char* kLayouts[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                    "sparse_bsr", "sparse_bsc", "jagged"};
constexpr const char* kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};

void ready_constant(PyTypeObject& type, const char* name, const char* document) {
  type.tp_doc = document;
  type.tp_name = name;
  type.tp_basicsize = sizeof(ConstantObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_repr = constant_repr;
  type.tp_methods = constant_methods;
  type.tp_getset = constant_getset;
  checked(PyType_Ready(&type));
}
PyObject* add_constant(PyObject* module, PyTypeObject& type, const char* name) {
  auto* constant = reinterpret_cast<ConstantObject*>(checked(PyType_GenericAlloc(&type, 0)));
  constant->name = name;
  checked(PyModule_AddObject(module, name, reinterpret_cast<PyObject*>(constant)));
  return reinterpret_cast<PyObject*>(constant);
}
PyObject* the_strided_layout = nullptr;

void ready_types() {
  DTypeType.tp_name = "chainrule.dtype";
  DTypeType.tp_basicsize = sizeof(DTypeObject);
  DTypeType.tp_flags = Py_TPFLAGS_DEFAULT;
  DTypeType.tp_repr = dtype_repr;
  DTypeType.tp_getset = dtype_getset;
  DTypeType.tp_methods = dtype_methods;
  DTypeType.tp_doc = documents::kDType;
  checked(PyType_Ready(&DTypeType));

  size_sequence.sq_concat = size_concat;
  size_sequence.sq_repeat = size_repeat;
  SizeType.tp_name = "chainrule.Size";
  SizeType.tp_base = &PyTuple_Type;
  SizeType.tp_flags = Py_TPFLAGS_DEFAULT;
  SizeType.tp_new = size_new;
  SizeType.tp_repr = size_repr;
  size_number.nb_add = size_add;
  SizeType.tp_as_number = &size_number;
  SizeType.tp_as_mapping = &size_mapping;
  SizeType.tp_as_sequence = &size_sequence;
  SizeType.tp_methods = size_methods;
  SizeType.tp_doc = documents::kSize;
  checked(PyType_Ready(&SizeType));
}

}  // namespace

PyTypeObject DTypeType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject SizeType = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* dtype_object(DType t) { return reinterpret_cast<PyObject*>(&dtypes[static_cast<int>(t)]); }
DType dtype_value(PyObject* o) { return value_of(o); }
PyObject* strided_layout() { return the_strided_layout; }

bool is_layout(PyObject* o) { return Py_TYPE(o) == &LayoutType; }
bool is_sparse_layout(PyObject* o) { return is_layout(o) && o != the_strided_layout; }
bool is_memory_format(PyObject* o) { return Py_TYPE(o) == &MemoryFormatType; }
MemoryFormat memory_format_value(PyObject* o) {
  std::string_view name = reinterpret_cast<ConstantObject*>(o)->name;
  uint8_t i = 0;
  while (name != kMemoryFormats[i]) ++i;
  return static_cast<MemoryFormat>(i);
}

void add_descriptors(PyObject* module) {
  ready_types();
  add_device(module);
  for (int i = 0; i < kDTypeCount; ++i) {
    PyObject_Init(reinterpret_cast<PyObject*>(&dtypes[i]), &DTypeType);
    dtypes[i].value = static_cast<DType>(i);
    checked(PyModule_AddObjectRef(module, facts(dtypes[i].value).name, reinterpret_cast<PyObject*>(&dtypes[i])));
  }
  checked(PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(&DTypeType)));
  checked(PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&SizeType)));
  ready_constant(LayoutType, "chainrule.layout", documents::kLayout);
  ready_constant(MemoryFormatType, "chainrule.memory_format", documents::kMemoryFormat);
  checked(PyModule_AddObjectRef(module, "layout", reinterpret_cast<PyObject*>(&LayoutType)));
  checked(PyModule_AddObjectRef(module, "memory_format", reinterpret_cast<PyObject*>(&MemoryFormatType)));
  the_strided_layout = add_constant(module, LayoutType, kLayouts[0]);
  for (const char* name : std::span(kLayouts).subspan(1)) add_constant(module, LayoutType, name);
  for (const char* name : kMemoryFormats) add_constant(module, MemoryFormatType, name);
}

}  // namespace chainrule
