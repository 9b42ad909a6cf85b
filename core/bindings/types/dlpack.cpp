// DLPack: tensors passed to other libraries and taken from them without a copy.
#include "bindings/types/dlpack.hpp"

#include <memory>

#include "autograd/record.hpp"
#include "backends/cuda/driver.hpp"
#include "bindings/calls/errors.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

// ---- the protocol's structures, as its specification lays them out (version 1.0 and the one before)

struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: contiguous
  uint64_t byte_offset;
};
struct OldManaged {
  DLTensor tensor;
  void* context;
  void (*deleter)(OldManaged*);
};
struct NewManaged {
  uint32_t major, minor;
  void* context;
  void (*deleter)(NewManaged*);
  uint64_t flags;
  DLTensor tensor;
};

constexpr int32_t kCpuOfDlpack = 1, kCudaOfDlpack = 2, kCudaHostOfDlpack = 3;
constexpr uint64_t kReadOnly = 1;
enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };
template <class M>
struct Names;
template <>
struct Names<OldManaged> {
  static constexpr const char *fresh = "dltensor", *used = "used_dltensor";
};
template <>
struct Names<NewManaged> {
  static constexpr const char *fresh = "dltensor_versioned", *used = "used_dltensor_versioned";
};

// Each of the types of eight bits has a code.
uint8_t float8_code(DType t) {
  switch (t) {
    case DType::Float8E4M3FN:
      return 10;
    case DType::Float8E4M3FNUZ:
      return 11;
    case DType::Float8E5M2:
      return 12;
    default:
      return t == DType::Float8E5M2FNUZ ? 13 : 14;
  }
}

DLDataType describe(DType t) {
  if (is_float8(t)) return {float8_code(t), 8, 1};
  uint8_t code = is_bool(t)             ? kBool
                 : t < DType::Int8      ? kUInt
                 : t == DType::BFloat16 ? kBfloat
                 : holds_complex(t)     ? kComplex
                 : is_floating(t)       ? kFloat
                                        : kInt;
  return {code, static_cast<uint8_t>(8 * size_of(t)), 1};
}

DType dtype_of(DLDataType d) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto t = static_cast<DType>(i);
    DLDataType known = describe(t);
    if (known.code == d.code && known.bits == d.bits && d.lanes == 1) return t;
  }
  raise(PyExc_RuntimeError, "Unsupported ", d.lanes == 1 ? "" : "lanes or ", "dtype in the DLPack tensor: code ",
        int(d.code), ", ", int(d.bits), " bits, ", d.lanes, " lanes");
}

DLDevice place_of(const Tensor& t) {
  const Device d = t->storage->device;
  return d.kind == DeviceKind::Cuda ? DLDevice{kCudaOfDlpack, d.index} : DLDevice{kCpuOfDlpack, 0};
}

// ---- out

// What an exported structure keeps: the tensor, and its layout for as long as the consumer reads it.
template <class M>
struct Export {
  M managed{};
  Tensor tensor;
  Dims sizes, strides;
};

template <class M>
void release(M* managed) {
  if (!Py_IsInitialized()) return;              // the consumer may let go at any time
  PyGILState_STATE lock = PyGILState_Ensure();  // and on any thread
  delete static_cast<Export<M>*>(managed->context);
  PyGILState_Release(lock);
}

// A capsule that nobody consumed.
template <class M>
void drop_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, Names<M>::fresh)) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, Names<M>::fresh));
  if (managed->deleter) managed->deleter(managed);
}

template <class M>
PyObject* export_as(const Tensor& t) {
  if (t->storage->device == Device::Meta) raise(PyExc_BufferError, "Cannot pack tensors on meta");
  if (t->bits()) {
    raise(PyExc_BufferError, "Can't export tensors with the ", t->has(kConj) ? "conjugate" : "negative", " bit set");
  }
  auto owned = std::make_unique<Export<M>>();
  settle();
  t->storage->mark_exported();
  owned->tensor = alias(t);  // t itself may be given other memory
  owned->sizes = Dims(t.sizes());
  owned->strides = Dims(t.strides());
  M& m = owned->managed;
  if constexpr (std::is_same_v<M, NewManaged>) m.major = 1;
  m.tensor = {t->data, place_of(t), t.ndim(), describe(t.dtype()), owned->sizes.data(), owned->strides.data(), 0};
  m.context = owned.get();
  m.deleter = release<M>;
  PyObject* capsule = checked(PyCapsule_New(&m, Names<M>::fresh, drop_capsule<M>));
  owned.release();
  return capsule;
}

// ---- in

// Keeps the producer's structure for as long as a storage needs it.
template <class M>
PyObject* keeper_of(M* managed) {
  return checked(PyCapsule_New(managed, "chainrule.dlpack", [](PyObject* capsule) {
    auto* m = static_cast<M*>(PyCapsule_GetPointer(capsule, "chainrule.dlpack"));
    if (m->deleter) m->deleter(m);
  }));
}

void check(const DLTensor& t) {
  const bool on_host = t.device.type == kCpuOfDlpack || t.device.type == kCudaHostOfDlpack;
  if (!on_host && (t.device.type != kCudaOfDlpack || t.device.id >= cuda::device_count())) {
    raise(PyExc_RuntimeError, "from_dlpack: the tensor is on device type ", t.device.type, ", number ", t.device.id,
          ", and chainrule has the CPU and ", cuda::device_count(), " NVIDIA GPUs");
  }
  for (int i = 0; t.strides && i < t.ndim; ++i) {
    if (t.strides[i] < 0)
      raise(PyExc_RuntimeError, "from_dlpack: negative strides are not supported (", t.strides[i], " in dimension ", i,
            "); copy the array first");
  }
}

Tensor over(const DLTensor& t, PyObject* keeper) {
  Span shape(t.shape, static_cast<size_t>(t.ndim));
  Dims sizes(shape), strides = t.strides ? Dims(Span(t.strides, shape.size())) : contiguous_strides(shape);
  DType dtype = dtype_of(t.dtype);
  int64_t elements = count(sizes) ? 1 : 0;
  for (int i = 0; elements && i < sizes.size(); ++i) elements += (sizes[i] - 1) * strides[i];
  DeviceScope there(t.device.type == kCudaOfDlpack ? Device{DeviceKind::Cuda, static_cast<uint8_t>(t.device.id)}
                                                   : Device::CPU);
  Storage* storage = Storage::borrow(static_cast<char*>(t.data) + t.byte_offset,
                                     elements * static_cast<int64_t>(size_of(dtype)), keeper);
  Tensor result = tensor_over(storage, sizes, strides, 0, dtype);
  storage->release();
  return result;
}

template <class M>
Tensor import_from(PyObject* capsule) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, Names<M>::fresh));
  check(managed->tensor);
  dtype_of(managed->tensor.dtype);
  if constexpr (std::is_same_v<M, NewManaged>) {
    if (managed->major > 1)
      raise(PyExc_RuntimeError, "from_dlpack: DLPack ", managed->major, ".", managed->minor, " is newer than 1");
    if (managed->flags & kReadOnly) {
      from_python(
          PyErr_WarnEx(PyExc_UserWarning,
                       "The given array is read-only; writing to the tensor that shares its memory is undefined. "
                       "You may want to copy the array first.",
                       1));
    }
  }
  PyObject* keeper = keeper_of(managed);
  checked(PyCapsule_SetName(capsule, Names<M>::used));
  Tensor result = over(managed->tensor, keeper);
  Py_DECREF(keeper);
  return result;
}

}  // namespace

PyObject* to_dlpack(const Tensor& t, bool versioned) {
  if (requires_grad(t)) raise(PyExc_BufferError, "Can't export tensors that require gradient, use tensor.detach()");
  return versioned ? export_as<NewManaged>(t) : export_as<OldManaged>(t);
}

Tensor from_dlpack(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Names<NewManaged>::fresh)) return import_from<NewManaged>(capsule);
  if (PyCapsule_IsValid(capsule, Names<OldManaged>::fresh)) return import_from<OldManaged>(capsule);
  raise(PyExc_RuntimeError,
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
        "have already constructed a tensor from it once.");
}

}  // namespace chainrule
