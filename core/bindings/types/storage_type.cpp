// The Python type UntypedStorage: the bytes behind tensors, shown to Python. What needs no access to the memory itself
// is written in Python (storage.py).
#include "bindings/types/storage_type.hpp"

#include <algorithm>

#include "bindings/calls/conversions.hpp"
#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "tensor/owned.hpp"
#include "tensor/shown_storage.hpp"

namespace chainrule {
namespace {

struct StorageObject {
  PyObject_HEAD
  Storage* storage;  // strong
  bool kept;         // by the storage, see below
  PyObject* dict;
  PyObject* weakrefs;
};

PyTypeObject StorageType = {PyVarObject_HEAD_INIT(nullptr, 0)};

StorageObject* object_of(PyObject* self) { return reinterpret_cast<StorageObject*>(self); }
Storage* storage_of(PyObject* self) { return object_of(self)->storage; }
bool is_meta_storage(PyObject* self) { return storage_of(self)->device == Device::Meta; }

// Takes over a reference to the storage.
PyObject* show(PyTypeObject* type, Storage* s) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) {
    s->release();
    throw PythonError();
  }
  reinterpret_cast<StorageObject*>(self)->storage = s;
  s->shown = self;
  return self;
}
// x.untyped_storage() is the same object for as long as x lives, with the attributes that a program hung on it. While
// somebody holds the object, it holds the storage. When nobody does and tensors still have the storage, the roles are
// exchanged: the storage keeps the object (`kept`), until the object is asked for again or the storage's end.
bool is_to_be_kept(PyObject* self) {
  StorageObject* object = object_of(self);
  return Py_TYPE(self) == &StorageType && (object->dict || object->weakrefs) && object->storage &&
         object->storage->references > 1;
}

void keep(PyObject* self) {
  Py_SET_REFCNT(self, 1);
  PyObject_GC_Track(self);
  object_of(self)->kept = true;
  storage_of(self)->release();
}

// Takes the storage's reference to the object over.
PyObject* taken_back(PyObject* self) {
  object_of(self)->kept = false;
  storage_of(self)->retain();
  return self;
}

// The storage's last reference is gone. A weak reference may have given the object away meanwhile.
bool survives(Storage* s) {
  PyObject* self = s->shown;
  object_of(self)->kept = false;
  bool held = Py_REFCNT(self) > 1;
  if (held) {
    s->references = 1;
  } else {
    object_of(self)->storage = nullptr;
    s->shown = nullptr;
  }
  Py_DECREF(self);
  return held;
}

void dealloc(PyObject* self) {
  auto* object = object_of(self);
  PyObject_GC_UnTrack(self);
  if (is_to_be_kept(self)) return keep(self);
  if (object->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(object->dict);
  if (object->storage) {
    object->storage->shown = nullptr;
    object->storage->release();
  }
  Py_TYPE(self)->tp_free(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(object_of(self)->dict);
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(object_of(self)->dict);
  return 0;
}

int64_t checked_size(PyObject* number) {
  int64_t bytes = to_int(number);
  if (bytes < 0) raise(PyExc_RuntimeError, "Trying to create a storage of a negative size: ", bytes);
  return bytes;
}

PyObject* construct_meta(PyTypeObject* type, PyObject* what) {
  int64_t bytes = !what ? 0 : is_index(what) ? checked_size(what) : number_from_python(PyObject_Size(what));
  DeviceScope there(Device::Meta);
  return show(type, Storage::make(bytes));
}

// UntypedStorage(), UntypedStorage(size) and UntypedStorage([bytes]).
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    PyObject *what = nullptr, *device = Py_None;
    static const char* names[] = {"", "device", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O", const_cast<char**>(names), &what, &device))
      throw PythonError();
    if (device_value(device) == Device::Meta) return construct_meta(type, what);
    const Device place = device_value(device);
    DeviceScope there(place);
    if (!what) return show(type, Storage::make(0));
    if (is_index(what)) return show(type, Storage::make(checked_size(what)));
    const Owned bytes(checked(PyByteArray_FromObject(what)));
    Storage* s = Storage::make(PyByteArray_GET_SIZE(bytes.get()));
    const char* const from = PyByteArray_AS_STRING(bytes.get());
    if (is_host_memory(place)) {
      ElementScope open;
      std::copy_n(from, s->bytes, s->data);
    } else {
      cuda::write(s->data, from, static_cast<size_t>(s->bytes));
    }
    return show(type, s);
  });
}

PyObject* nbytes(PyObject* self, PyObject*) { return PyLong_FromLongLong(storage_of(self)->bytes); }
PyObject* data_ptr(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(is_meta_storage(self) ? nullptr : storage_of(self)->data);
}
PyObject* is_meta(PyObject* self, void*) { return PyBool_FromLong(is_meta_storage(self)); }
// storage._resize_meta(bytes): a size is all that it has. Tensors that show it keep theirs.
PyObject* resize_meta(PyObject* self, PyObject* bytes) {
  return guarded([&]() -> PyObject* {
    DeviceScope there(Device::Meta);
    Storage* fresh = Storage::make(checked_size(bytes));
    storage_of(self)->shown = nullptr;
    storage_of(self)->release();
    object_of(self)->storage = fresh;
    fresh->shown = self;
    return Py_NewRef(Py_None);
  });
}
PyObject* resizable(PyObject* self, PyObject*) { return PyBool_FromLong(storage_of(self)->resizable); }
PyObject* references(PyObject* self, PyObject*) { return PyLong_FromUnsignedLong(storage_of(self)->references); }
PyObject* get_cdata(PyObject* self, void*) { return PyLong_FromVoidPtr(storage_of(self)); }
PyObject* get_device(PyObject* self, void*) { return Py_NewRef(device_object(storage_of(self)->device)); }
Py_ssize_t length(PyObject* self) { return static_cast<Py_ssize_t>(storage_of(self)->bytes); }

// storage._tensor(dtype, offset, sizes, strides): a tensor over these bytes.
PyObject* make_tensor(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *dtype, *sizes, *strides;
    long long offset;
    if (!PyArg_ParseTuple(args, "OLOO", &dtype, &offset, &sizes, &strides)) throw PythonError();
    if (!is_dtype(dtype)) raise(PyExc_TypeError, "expected a torch.dtype, not ", Py_TYPE(dtype)->tp_name);
    DType t = to_dtype_value(dtype);
    Dims shape = to_dims(sizes), steps = to_dims(strides);
    if (shape.size() != steps.size() || offset < 0)
      raise(PyExc_RuntimeError, "mismatch in length of strides and shape, or a negative offset (", offset, ")");
    constexpr __int128 kMany = int64_t{1} << 58;
    __int128 last = offset;
    for (int i = 0; i < shape.size(); ++i) {
      if (steps[i] < 0) raise(PyExc_RuntimeError, "as_strided: Negative strides are not supported at the moment");
      last += static_cast<__int128>(shape[i] - 1) * steps[i];
    }
    Storage* s = storage_of(self);
    int64_t held = s->bytes / static_cast<int64_t>(size_of(t));
    if (count(shape) && last >= held) {
      raise(PyExc_RuntimeError, "setStorage: sizes ", Span(shape), ", strides ", Span(steps), ", storage offset ",
            offset, ", and itemsize ", size_of(t), " requiring a storage size of ",
            static_cast<int64_t>(std::min(last + 1, kMany)) * static_cast<int64_t>(size_of(t)),
            " are out of bounds for storage of size ", s->bytes);
    }
    return to_python(tensor_over(s, shape, steps, offset, t));
  });
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  if (is_meta_storage(self)) {
    PyErr_SetString(PyExc_BufferError, "Cannot copy out of meta tensor; no data!");
    return -1;
  }
  Storage* s = storage_of(self);
  if (!is_host_memory(s->device)) {
    PyErr_SetString(PyExc_BufferError, "a storage on a GPU has no bytes that the host can read: use storage.cpu()");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, s->data, static_cast<Py_ssize_t>(s->bytes), 0, flags);
}

PyMethodDef methods[] = {{"nbytes", nbytes, METH_NOARGS, "The number of bytes."},
                         {"size", nbytes, METH_NOARGS, "The number of bytes."},
                         {"data_ptr", data_ptr, METH_NOARGS, "The address of the first byte."},
                         {"resizable", resizable, METH_NOARGS, "Whether the bytes are chainrule's own."},
                         {"_references", references, METH_NOARGS, nullptr},
                         {"_tensor", make_tensor, METH_VARARGS, nullptr},
                         {"_resize_meta", resize_meta, METH_O, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"_is_meta", is_meta, nullptr, nullptr, nullptr},
                        {"_cdata", get_cdata, nullptr, nullptr, nullptr},
                        {"device", get_device, nullptr, "Where the bytes live.", nullptr},
                        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PySequenceMethods sequence = {};
PyMappingMethods mapping = {};  // filled when storage.py adds __getitem__
PyBufferProcs buffer = {get_buffer, nullptr};

}  // namespace

PyObject* storage_object(const Tensor& t) {
  t->storage->mark_exported();
  Storage* s = t->storage->origin();  // x.data shows the same one as x
  if (s->shown) return object_of(s->shown)->kept ? taken_back(s->shown) : Py_NewRef(s->shown);
  s->retain();
  return show(&StorageType, s);
}

Storage* storage_shown_by(PyObject* object) {
  return PyObject_TypeCheck(object, &StorageType) && !is_meta_storage(object) ? storage_of(object) : nullptr;
}

void add_storage_type(PyObject* module) {
  sequence.sq_length = length;
  shown_storage_survives = survives;
  PyTypeObject& t = StorageType;
  t.tp_name = "chainrule.UntypedStorage";
  t.tp_basicsize = sizeof(StorageObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  t.tp_traverse = traverse;
  t.tp_clear = clear;
  t.tp_doc = documents::kStorage;
  t.tp_dealloc = dealloc;
  t.tp_dictoffset = offsetof(StorageObject, dict);
  t.tp_weaklistoffset = offsetof(StorageObject, weakrefs);
  t.tp_methods = methods;
  t.tp_getset = getset;
  t.tp_as_sequence = &sequence;
  t.tp_as_mapping = &mapping;
  t.tp_as_buffer = &buffer;
  t.tp_new = construct;
  checked(PyType_Ready(&t));
  t.tp_flags &= ~static_cast<unsigned long>(Py_TPFLAGS_IMMUTABLETYPE);  // storage.py adds its methods
  checked(PyModule_AddObjectRef(module, "UntypedStorage", reinterpret_cast<PyObject*>(&t)));
}

}  // namespace chainrule
