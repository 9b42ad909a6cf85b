// Sharing memory with other libraries through Python's buffer protocol.
#include "bindings/buffer.hpp"

#include <cstring>

#include "autograd/leaf.hpp"
#include "bindings/errors.hpp"
#include "ops/copy.hpp"

namespace chainrule {
namespace {

constexpr const char* kFormats[kDTypeCount] = {"?", "B", "b", "h", "i", "q", "e", nullptr, "f", "d", "Zf", "Zd"};

// What a buffer needs for its life: sizes and strides in bytes, and the memory itself, for the tensor may get other
// memory meanwhile (out=, resize_, .data).
struct Export {
  Py_ssize_t values[2 * 64];
  Storage* storage;

  explicit Export(Storage* s) : storage(s) { storage->retain(); }
  ~Export() { storage->release(); }
};

size_t alignment_of(DType t) { return size_of(real_of(t)); }

DType dtype_of(const char* format, Py_ssize_t itemsize) {
  if (!format) return DType::UInt8;
  if (*format == '=' || *format == '<' || *format == '@') ++format;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kFormats[i] && !std::strcmp(format, kFormats[i])) return static_cast<DType>(i);
  }
  if (!std::strcmp(format, "l") || !std::strcmp(format, "n")) return itemsize == 8 ? DType::Int64 : DType::Int32;
  raise(PyExc_TypeError, "can't convert np.ndarray of type ", format,
        ". The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, "
        "uint8, "
        "and bool.");
}

}  // namespace

int tensor_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded(
      [&]() -> int {
        Tensor t = Tensor::borrow(self);
        const char* format = kFormats[static_cast<int>(t.dtype())];
        if (!format) raise(PyExc_BufferError, "Got unsupported ScalarType BFloat16");
        if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !t.is_contiguous()) {
          raise(PyExc_BufferError, "the tensor is not contiguous, and the buffer was asked for without strides");
        }
        auto* shape = new Export(t->storage);
        auto item = static_cast<Py_ssize_t>(size_of(t.dtype()));
        for (int i = 0; i < t.ndim(); ++i) {
          shape->values[i] = t.size(i);
          shape->values[t.ndim() + i] = t.stride(i) * item;
        }
        t->storage->exported = true;
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

void tensor_release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

Tensor from_buffer(PyObject* object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDED | PyBUF_FORMAT | PyBUF_WRITABLE) < 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) throw PythonError();
  }
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } release{&view};
  DType dtype = dtype_of(view.format, view.itemsize);
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
  return view.readonly ? copy_strided(result, dense_strides_like(result))
                       : result;  // what must not be written is copied
}

}  // namespace chainrule
