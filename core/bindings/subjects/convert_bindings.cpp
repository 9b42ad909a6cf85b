// Conversions to another dtype, bound: to, type, cpu, and a method per dtype.
#include "backends/cuda/pinned.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/move.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

using MaybeDType = std::optional<DType>;
using MaybeFormat = std::optional<MemoryFormat>;

// The tensor itself where nothing is to be done. As in PyTorch, the format that its strides suggest says whether there
// is: where sizes of 1 leave the order open, and channels shall lie last, a copy has those strides.
Tensor arranged(const Tensor& t, DType dtype, bool copy, MaybeFormat format) {
  if (!format || *format == MemoryFormat::Preserve) return copy ? convert_copy(t, dtype) : to_dtype(t, dtype);
  const bool same = t.dtype() == dtype;
  if (same && !copy && suggested_format(t) == *format) return t;
  const Tensor other = to_dtype(t, dtype);
  return !same && equal(other.strides(), strides_in(*format, t.sizes())) ? other : clone_in(*format, other);
}

template <DType dtype>
Tensor converted(const Tensor& t, MaybeFormat format) {
  return arranged(t, dtype, false, format);
}

// A copy in the main memory is there when the call returns: non_blocking is about copies to a GPU.
Tensor to_other(const Tensor& t, DType dtype, bool, bool copy, MaybeFormat format) {
  return arranged(t, dtype, copy, format);
}
Tensor to_main_memory(const Tensor& t, MaybeFormat format) {
  DeviceScope there(Device::CPU);
  return arranged(move_to(t, Device::CPU), t.dtype(), false, format);
}
Tensor to_device(const Tensor& t, PyObject* device, MaybeDType dtype, bool non_blocking, bool copy,
                 MaybeFormat format) {
  const Device home = t->storage->device, there = device == Py_None ? home : device_value(device);
  DeviceScope scope(there);
  cuda::NonBlockingScope waits(non_blocking);
  return to_other(move_to(t, there), dtype.value_or(t.dtype()), non_blocking, copy && there == home, format);
}
Tensor to_like(const Tensor& t, const Tensor& other, bool non_blocking, bool copy, MaybeFormat format) {
  const Device home = t->storage->device, there = other->storage->device;
  DeviceScope scope(there);
  cuda::NonBlockingScope waits(non_blocking);
  return to_other(move_to(t, there), other.dtype(), non_blocking, copy && there == home, format);
}

// "torch.cuda.FloatTensor" names a dtype and a kind of device.
std::string type_text(DType t, bool on_gpu) {
  return std::string(on_gpu ? "torch.cuda." : "torch.") + facts(t).tensor_name + "Tensor";
}

struct NamedType {
  DType dtype;
  std::optional<bool> on_gpu;  // none: where the tensor is
};

bool is_true_attribute(PyObject* o, const char* name) {
  Owned value(PyObject_GetAttrString(o, name));
  const int truth = value ? PyObject_IsTrue(value.get()) : -1;
  if (truth < 0) PyErr_Clear();
  settle();
  return truth == 1;
}

NamedType named_type(PyObject* type) {
  if (type == reinterpret_cast<PyObject*>(&TensorType)) return {default_dtype(), {}};
  if (Py_TYPE(type) == &DTypeType) return {dtype_value(type), {}};
  if (Owned named(PyObject_GetAttrString(type, "dtype")); named && Py_TYPE(named.get()) == &DTypeType)
    return {dtype_value(named.get()), is_true_attribute(type, "is_cuda")};  // LongTensor and its kin
  PyErr_Clear();
  std::string text;
  if (PyType_Check(type)) {
    text = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  } else if (PyUnicode_Check(type)) {
    text = checked(PyUnicode_AsUTF8(type));
  } else {
    raise(PyExc_TypeError, "dtype must be a type, str, or dtype object");
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    for (const bool on_gpu : {false, true}) {
      if (const auto dtype = static_cast<DType>(i); text == type_text(dtype, on_gpu)) return {dtype, on_gpu};
    }
  }
  raise(PyExc_ValueError, "invalid type: '", text, "'");
}

Device device_of_type(const NamedType& type, Device home) {
  const bool is_there = home.kind == DeviceKind::Cuda;
  if (!type.on_gpu || *type.on_gpu == is_there) return home;
  if (!*type.on_gpu) return home == Device::CPU || is_there ? Device::CPU : home;
  const Owned name(checked(PyUnicode_FromString("cuda")));
  return device_value(name.get());
}

// Without an argument the name of the tensor's type, with one a converted tensor.
PyObject* type_of_tensor(const Tensor& t, PyObject* type, bool non_blocking, MaybeFormat format) {
  const Device home = t->storage->device;
  if (type == Py_None) return to_python(type_text(t.dtype(), home.kind == DeviceKind::Cuda));
  const NamedType named = named_type(type);
  const Device there = device_of_type(named, home);
  DeviceScope scope(there);
  return to_python(to_other(move_to(t, there), named.dtype, non_blocking, false, format));
}

}  // namespace

void bind_dtype_conversions() {
#define CR_HOW "bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None)"
  define("to(Tensor input, device? device=None, dtype? dtype=None, " CR_HOW, kMethod, to_device);
  define("to(Tensor input, dtype dtype, " CR_HOW, kMethod, to_other);
  define("to(Tensor input, Tensor other, " CR_HOW, kMethod, to_like);
#undef CR_HOW
  define(
      "type(Tensor input, object dtype=None, bool non_blocking=False, *, memory_format? memory_format=None) -> object",
      kMethod, type_of_tensor);
  define("cpu(Tensor input, *, memory_format? memory_format=None)", kMethod, to_main_memory);
  define("bool(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Bool>);
  define("byte(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::UInt8>);
  define("char(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Int8>);
  define("short(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Int16>);
  define("int(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Int32>);
  define("long(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Int64>);
  define("half(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Float16>);
  define("bfloat16(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::BFloat16>);
  define("float(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Float32>);
  define("double(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Float64>);
  define("chalf(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Complex32>);
  define("cfloat(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Complex64>);
  define("cdouble(Tensor input, *, memory_format? memory_format=None)", kMethod, converted<DType::Complex128>);
}

}  // namespace chainrule
