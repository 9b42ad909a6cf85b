// Sharing memory with other libraries through Python's buffer protocol.
#include "bindings/types/buffer.hpp"

#include <cstring>

#include "autograd/record.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/views/copy.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

// NumPy tells long from long long, and prints and others take only the one that it calls int64.
constexpr const char *kInt64 = sizeof(long) == 8 ? "l" : "q", *kUInt64 = sizeof(long) == 8 ? "L" : "Q";
constexpr const char* kFormats[kDTypeCount] = {
    "?",    "B", "H",     "I", kUInt64, "b",  "h", "i",
    kInt64, "e", nullptr, "f", "d",     "Zf", "Zd"};  // and none for the stored ones

// What a buffer needs for its life: sizes and strides in bytes, and the memory itself, for the tensor may get other
// memory meanwhile (out=, resize_, .data).
struct BufferExport {
  Py_ssize_t values[2 * 64];
  Storage* storage;

  explicit BufferExport(Storage* s) : storage(s) { storage->retain(); }
  ~BufferExport() { storage->release(); }
};

size_t alignment_of(DType t) { return size_of(real_of(t)); }

// What NumPy calls the dtype: "numpy.str_". The format of a buffer would say less.
std::string type_of_elements(PyObject* array, const char* format) {
  std::string name = format ? format : "?";
  PyObject* dtype = PyObject_GetAttrString(array, "dtype");
  PyObject* type = dtype ? PyObject_GetAttrString(dtype, "type") : nullptr;
  if (type && PyType_Check(type)) name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  Py_XDECREF(dtype);
  Py_XDECREF(type);
  PyErr_Clear();
  return name;
}

[[noreturn]] void raise_unsupported(PyObject* object, const char* format) {
  raise(PyExc_TypeError, "can't convert np.ndarray of type ", type_of_elements(object, format),
        ". The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
        "uint64, uint32, uint16, uint8, and bool.");
}

DType dtype_of(PyObject* object, const Py_buffer& view) {
  const char* format = view.format;
  if (!format) return DType::UInt8;
  if (*format == '=' || *format == '<' || *format == '@') ++format;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kFormats[i] && !std::strcmp(format, kFormats[i])) return static_cast<DType>(i);
  }
  if (!std::strcmp(format, "L") || !std::strcmp(format, "Q") || !std::strcmp(format, "N"))
    return view.itemsize == 8 ? DType::UInt64 : DType::UInt32;
  if (!std::strcmp(format, "l") || !std::strcmp(format, "n") || !std::strcmp(format, "q"))
    return view.itemsize == 8 ? DType::Int64 : DType::Int32;
  if (*format == '>' || *format == '!') {
    raise(PyExc_ValueError,
          "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
          "currently not supported.");
  }
  raise_unsupported(object, format);
}

constexpr const char* kNotWritable =
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor.";

// A view of an object's buffer, given back at the end.
struct View {
  Py_buffer buffer;
  explicit View(PyObject* object) {
    if (PyObject_GetBuffer(object, &buffer, PyBUF_STRIDED | PyBUF_FORMAT | PyBUF_WRITABLE) == 0) return;
    PyErr_Clear();
    if (PyObject_GetBuffer(object, &buffer, PyBUF_STRIDED_RO | PyBUF_FORMAT) == 0) return;
    PyErr_Clear();
    raise_unsupported(object, nullptr);
  }
  ~View() { PyBuffer_Release(&buffer); }
  View(const View&) = delete;
};

}  // namespace

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded(
      [&]() -> int {
        Tensor t = Tensor::borrow(self);
        if (requires_grad(t)) {
          raise(PyExc_BufferError,
                "Can't give the memory of a Tensor that requires grad away. Use tensor.detach() instead.");
        }
        if (t->storage->device == Device::Meta)
          raise(PyExc_BufferError, "a tensor of the device 'meta' has no memory to show");
        if (is_sparse(t)) raise(PyExc_BufferError, "a sparse tensor has no memory to show");
        refuse_nested("memoryview", self);
        if (!is_host_memory(t->storage->device)) {
          raise(PyExc_BufferError, "can't show the memory of a tensor on ", t->storage->device.name(),
                ". Use Tensor.cpu() to copy the tensor to host memory first.");
        }
        if (t->bits()) {
          raise(PyExc_BufferError, "Can't give the memory of a Tensor away that has its ",
                t->has(kConj) ? "conjugate" : "negative", " bit set. Use tensor.resolve_",
                t->has(kConj) ? "conj" : "neg", "() instead.");
        }
        const char* format = kFormats[static_cast<int>(t.dtype())];
        if (!format) raise(PyExc_BufferError, "Got unsupported ScalarType BFloat16");
        if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !t.is_contiguous()) {
          raise(PyExc_BufferError, "the tensor is not contiguous, and the buffer was asked for without strides");
        }
        t->storage->resizable = false;  // others may now read these bytes for as long as they like
        auto* shape = new BufferExport(t->storage);
        auto item = static_cast<Py_ssize_t>(size_of(t.dtype()));
        for (int i = 0; i < t.ndim(); ++i) {
          shape->values[i] = t.size(i);
          shape->values[t.ndim() + i] = wrapped(t.stride(i), item);
        }
        t->storage->mark_exported();
        view->obj = Py_NewRef(self);
        view->buf = t->data;
        view->len = t.numel() * item;
        view->itemsize = item;
        view->readonly = 0;
        view->ndim = t.ndim();
        view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
        view->shape = flags & PyBUF_ND ? shape->values : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? shape->values + t.ndim() : nullptr;
        view->suboffsets = nullptr;
        view->internal = shape;
        return 0;
      },
      -1);
}

void tensor_release_buffer(PyObject*, Py_buffer* view) { delete static_cast<BufferExport*>(view->internal); }

bool is_array(PyObject* o) {
  static PyTypeObject* array_type = nullptr;  // once seen
  PyTypeObject* type = Py_TYPE(o);
  if (type == array_type) return true;
  for (; type; type = type->tp_base) {
    if (std::strcmp(type->tp_name, "numpy.ndarray")) continue;
    array_type = type;
    return true;
  }
  return false;
}

Tensor from_buffer(PyObject* object, bool warns) {
  View held(object);
  const Py_buffer& view = held.buffer;
  DType dtype = dtype_of(object, view);
  if (view.ndim && !view.strides) raise_unsupported(object, nullptr);  // numpy.datetime64 gives its bytes so
  Dims sizes(view.ndim), strides(view.ndim);
  int64_t extent = view.itemsize;
  for (int i = 0; i < view.ndim; ++i) {
    sizes[i] = view.shape[i];
    if (view.strides[i] % view.itemsize) {
      raise(PyExc_ValueError,
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory.");
    }
    strides[i] = view.strides[i] / view.itemsize;
    if (strides[i] < 0) {
      raise(PyExc_ValueError,
            "At least one stride in the given numpy array is negative, and tensors with negative strides are "
            "not currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) ");
    }
    extent += (std::max<int64_t>(sizes[i], 1) - 1) * view.strides[i];
  }
  if (view.readonly && warns) from_python(PyErr_WarnEx(PyExc_UserWarning, kNotWritable, 1));
  if (reinterpret_cast<uintptr_t>(view.buf) % alignment_of(dtype)) {  // kernels read aligned elements only
    Tensor copy = empty(sizes, dtype);
    checked(PyBuffer_ToContiguous(copy->data, &view, view.len, 'C'));
    return copy;
  }
  // A view of its own keeps the memory where it is: a bytearray cannot grow, nor a file be unmapped, meanwhile.
  PyObject* owner = checked(PyMemoryView_FromObject(object));
  Storage* storage = Storage::borrow(view.buf, extent, owner);
  Py_DECREF(owner);
  Tensor result = tensor_over(storage, sizes, strides, 0, dtype);
  storage->release();
  return result;
}

namespace {

void check_bytes(int64_t length, int64_t item, int64_t count, int64_t offset) {
  if (length == 0 || count == 0)
    raise(PyExc_ValueError, "both buffer length (", length, ") and count (", count, ") must not be 0");
  if (offset < 0 || offset >= length) {
    raise(PyExc_ValueError, "offset (", offset, " bytes) must be non-negative and no greater than buffer length (",
          length, " bytes) minus 1");
  }
  if (count < 0 && (length - offset) % item) {
    raise(PyExc_ValueError, "buffer length (", length - offset, " bytes) after offset (", offset,
          " bytes) must be a multiple of element size (", item, ")");
  }
  if (count > 0 && count > (length - offset) / item) {
    raise(PyExc_ValueError, "requested buffer length (", count, " * ", item, " bytes) after offset (", offset,
          " bytes) must not be greater than actual buffer length (", length, " bytes)");
  }
}

}  // namespace

Tensor from_bytes(PyObject* object, DType dtype, int64_t count, int64_t offset) {
  if (!PyObject_CheckBuffer(object)) raise(PyExc_ValueError, "object does not implement Python buffer protocol.");
  // The memoryview keeps the buffer exported, so that a bytearray cannot move while a tensor shows it.
  PyObject* keeper = PyMemoryView_FromObject(object);
  Py_buffer* view = keeper ? PyMemoryView_GET_BUFFER(keeper) : nullptr;
  struct Release {
    PyObject* o;
    ~Release() { Py_XDECREF(o); }
  } release{keeper};
  if (!view || !PyBuffer_IsContiguous(view, 'C')) {
    PyErr_Clear();
    raise(PyExc_RuntimeError, "could not retrieve buffer from object: its memory is not contiguous");
  }
  if (view->readonly) {
    constexpr const char* kText =
        "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write "
        "to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to "
        "protect its data or make it writable before converting it to a tensor.";
    from_python(PyErr_WarnEx(PyExc_UserWarning, kText, 1));
  }
  auto item = static_cast<int64_t>(size_of(dtype));
  check_bytes(view->len, item, count, offset);
  Storage* storage = Storage::borrow(static_cast<char*>(view->buf) + offset, view->len - offset, keeper);
  Tensor result = tensor_over(storage, Dims{count < 0 ? (view->len - offset) / item : count}, Dims{1}, 0, dtype);
  storage->release();
  return result;
}

}  // namespace chainrule
