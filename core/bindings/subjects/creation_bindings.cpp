// Fresh tensors, bound.
#include "autograd/leaf.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/from_python.hpp"
#include "bindings/types/buffer.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/create/create.hpp"
#include "ops/create/standing_out.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/move.hpp"
#include "ops/views/triangular.hpp"
#include "tensor/item.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

// The arguments that every creation function has after its own. The layout and pin_memory are checked where arguments
// are bound, and say nothing more: there is one layout.
#define CR_OPTIONS \
  "dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, bool? requires_grad=False"
#define CR_LIKE_OPTIONS                                                                                              \
  "dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, bool? requires_grad=False, " \
  "memory_format? memory_format=None"

using MaybeDType = std::optional<DType>;
using MaybeFormat = std::optional<MemoryFormat>;

Tensor finished(Tensor t, PyObject* device, bool tracked) {
  check_device(device);
  if (tracked && !is_differentiable(t.dtype())) {
    raise(PyExc_RuntimeError,
          "Only Tensors of floating point and complex dtype can require gradients (this one is torch.",
          facts(t.dtype()).name, ")");
  }
  if (tracked) set_requires_grad(t, true);
  return t;
}

Tensor unwritten(Tensor t) {
  if (fills_new_memory) fill_standing_out(t);
  return t;
}

Tensor make_filled(const Dims& size, const Scalar& value, DType dtype, PyObject* device, bool tracked) {
  return finished(full(size, value, dtype), device, tracked);
}

Tensor make_empty(const Dims& size, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked,
                  MaybeFormat format) {
  Dims strides = strides_in(format.value_or(MemoryFormat::Contiguous), size);
  return finished(unwritten(empty_strided(size, strides, dtype.value_or(default_dtype()))), device, tracked);
}

template <int value>
Tensor make_constant(const Dims& size, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked) {
  for (int64_t s : size) {
    if (value == 0 && s < 0) raise(PyExc_RuntimeError, "zeros: Dimension size must be non-negative.");
  }
  return make_filled(size, Scalar::of_int(value), dtype.value_or(default_dtype()), device, tracked);
}

// full(): the fill value decides the dtype.
DType dtype_of_fill(const Scalar& value) { return dtype_of(value); }

Tensor make_full(const Dims& size, const Scalar& value, MaybeDType dtype, PyObject*, PyObject* device, bool,
                 bool tracked) {
  return make_filled(size, value, dtype.value_or(dtype_of_fill(value)), device, tracked);
}

Tensor unfilled_like(const Tensor& like, MaybeDType dtype, MaybeFormat format) {
  Dims strides = strides_like(like, format.value_or(MemoryFormat::Preserve));
  return empty_strided(like.sizes(), strides, dtype.value_or(like.dtype()));
}

Tensor filled_like(const Tensor& like, const Scalar& value, MaybeDType dtype, PyObject* device, bool tracked,
                   MaybeFormat format) {
  Tensor t = unfilled_like(like, dtype, format);
  {
    GradModeScope off(false);
    copy_elements(t, scalar_tensor(value, t.dtype()));
  }
  return finished(t, device, tracked);
}

template <int value>
Tensor constant_like(const Tensor& like, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked,
                     MaybeFormat format) {
  return filled_like(like, Scalar::of_int(value), dtype, device, tracked, format);
}
Tensor full_like(const Tensor& like, const Scalar& value, MaybeDType dtype, PyObject*, PyObject* device, bool,
                 bool tracked, MaybeFormat format) {
  return filled_like(like, value, dtype, device, tracked, format);
}
Tensor empty_like(const Tensor& like, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked,
                  MaybeFormat format) {
  return finished(unwritten(unfilled_like(like, dtype, format)), device, tracked);
}

// x.new_zeros(...) and kin: dtype from x.
template <int value>
Tensor new_constant(const Tensor& like, const Dims& size, MaybeDType dtype, PyObject*, PyObject* device, bool,
                    bool tracked) {
  return make_filled(size, Scalar::of_int(value), dtype.value_or(like.dtype()), device, tracked);
}

DType range_dtype(std::initializer_list<Scalar> bounds) {
  for (const Scalar& s : bounds) {
    if (s.kind > Scalar::kInt) return default_dtype();
  }
  return DType::Int64;
}

Tensor make_range(const Scalar& start, const Scalar& end, const Scalar& step, MaybeDType dtype, PyObject*,
                  PyObject* device, bool, bool tracked) {
  return finished(arange(start, end, step, dtype.value_or(range_dtype({start, end, step}))), device, tracked);
}
Tensor make_range_from_zero(const Scalar& end, MaybeDType dtype, PyObject* layout, PyObject* device, bool pin,
                            bool tracked) {
  return make_range(Scalar::of_int(0), end, Scalar::of_int(1), dtype, layout, device, pin, tracked);
}

// The ends of a row of equal steps: numbers, or tensors without dimensions.
void check_ends(const Operand& start, const Operand& end) {
  std::string found;
  for (auto [name, o] : {std::pair("start", &start), std::pair("end", &end)}) {
    if (!o->tensor || o->tensor->ndim == 0) continue;
    found += (found.empty() ? "" : " and ") + std::string(name) + " with " + std::to_string(o->tensor->ndim) +
             " dimension(s)";
  }
  check(found.empty(), "linspace only supports 0-dimensional start and end tensors, but got ", found, ".");
}

Scalar value_of(const Operand& o) { return o.tensor ? item(Tensor::borrow(o.tensor)) : o.scalar; }

Tensor make_linspace(const Operand& start, const Operand& end, int64_t steps, MaybeDType dtype, PyObject*,
                     PyObject* device, bool, bool tracked) {
  check_ends(start, end);
  Scalar first = value_of(start), last = value_of(end);
  bool complex = first.kind == Scalar::kComplex || last.kind == Scalar::kComplex;
  DType inferred = complex ? default_complex_dtype() : default_dtype();
  if (complex && dtype && !is_complex(*dtype)) {
    raise(PyExc_RuntimeError, "torch.linspace(): inferred dtype ", facts(inferred).cpp_name,
          " can't be safely cast to passed dtype ", facts(*dtype).tensor_name);
  }
  return finished(linspace(first, last, steps, dtype.value_or(inferred)), device, tracked);
}

Tensor make_eye(int64_t n, std::optional<int64_t> m, MaybeDType dtype, PyObject*, PyObject* device, bool,
                bool tracked) {
  return finished(eye(n, m.value_or(n), dtype.value_or(default_dtype())), device, tracked);
}

Tensor make_strided(const Dims& size, const Dims& stride, MaybeDType dtype, PyObject*, PyObject* device, bool,
                    bool tracked) {
  for (int64_t s : stride) {
    if (s < 0) {
      raise(PyExc_RuntimeError, "Storage size calculation overflowed with sizes=", Span(size),
            " and strides=", Span(stride));
    }
  }
  return finished(unwritten(empty_strided(size, stride, dtype.value_or(default_dtype()))), device, tracked);
}

Tensor new_strided(const Tensor& like, const Dims& size, const Dims& stride, MaybeDType dtype, PyObject* layout,
                   PyObject* device, bool pin, bool tracked) {
  return make_strided(size, stride, dtype.value_or(like.dtype()), layout, device, pin, tracked);
}

// The dimensions lie in memory in the order of `layout`, the last one innermost.
Tensor make_permuted(const Dims& size, const Dims& physical, MaybeDType dtype, PyObject* layout, PyObject* device,
                     bool pin, bool tracked) {
  if (size.size() != physical.size()) {
    raise(PyExc_RuntimeError,
          "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = ",
          size.size(), " is not equal to len(physical_layout) = ", physical.size());
  }
  Dims stride(size.size(), -1);
  int64_t step = 1;
  for (int i = physical.size(); i-- > 0;) {
    int64_t d = physical[i];
    if (d < 0 || d >= size.size()) {
      raise(PyExc_RuntimeError, "Dimension out of range (expected to be between 0 and ", size.size() - 1, ", but got ",
            d, " at index ", i, ").  NB: negative dims not currently supported; file an issue if you want it.");
    }
    if (stride[static_cast<int>(d)] >= 0) raise(PyExc_RuntimeError, "Duplicate dim not allowed: ", d);
    stride[static_cast<int>(d)] = step;
    step *= std::max<int64_t>(size[static_cast<int>(d)], 1);
  }
  return make_strided(size, stride, dtype, layout, device, pin, tracked);
}

template <bool lower>
Tensor make_triangle_indices(int64_t rows, int64_t columns, int64_t offset, MaybeDType dtype, PyObject*,
                             PyObject* device, bool, bool tracked) {
  return finished(triangle_indices(lower, rows, columns, offset, dtype.value_or(DType::Int64)), device, tracked);
}

// What comes from Python is put together on the CPU; a tensor is copied where it is.
Tensor moved_from_python(PyObject* data, MaybeDType dtype) {
  const Device there = Storage::making.device;
  if (there == Device::CPU && !is_tensor(data)) return tensor_from_python(data, dtype);
  DeviceScope here(device_of_argument(data));
  return move_to(tensor_from_python(data, dtype), there);
}

Tensor make_tensor(PyObject* data, MaybeDType dtype, PyObject* device, bool tracked, bool) {
  if (!is_tensor(data)) return finished(moved_from_python(data, dtype), device, tracked);
  refuse_nested("tensor", data);
  const bool stays = device == Py_None && default_device() == Device::CPU;
  DeviceScope there(stays ? device_of_argument(data) : Storage::making.device);
  return finished(moved_from_python(data, dtype), device, tracked);
}

Tensor shared_with(PyObject* array) {
  DeviceScope here(Device::CPU);
  return from_buffer(array, true);
}

// An array of CuPy's, say. Plain data is not asked.
bool shows_gpu_memory(PyObject* data) {
  if (PyList_Check(data) || PyTuple_Check(data) || is_number(data) || is_tensor(data) || is_array(data)) return false;
  return PyObject_HasAttrString(data, "__cuda_array_interface__");
}

// as_tensor shares memory where it can.
Tensor make_as_tensor(PyObject* data, MaybeDType dtype, PyObject* device) {
  check_device(device);
  if (shows_gpu_memory(data)) {
    const Owned interop(checked(PyImport_ImportModule("chainrule.interop")));
    const Owned made(handed_on(PyObject_CallMethod(interop.get(), "asarray", "O", data)));
    const Tensor shown = Tensor::borrow(made.get());
    DeviceScope there(device == Py_None ? shown->storage->device : device_value(device));
    return to_dtype(move_to(shown, Storage::making.device), dtype.value_or(shown.dtype()));
  }
  if (is_tensor(data) || is_array(data)) {
    const Tensor given = is_tensor(data) ? Tensor::borrow(data) : shared_with(data);
    if (dtype && *dtype != given.dtype()) refuse_nested("as_tensor", data);
    const Device there = device == Py_None && is_tensor(data) ? given->storage->device : Storage::making.device;
    DeviceScope scope(there);
    return to_dtype(move_to(given, there), dtype.value_or(given.dtype()));
  }
  return moved_from_python(data, dtype);
}

Tensor make_from_numpy(PyObject* array) {
  if (!is_array(array)) raise(PyExc_TypeError, "expected np.ndarray (got ", Py_TYPE(array)->tp_name, ")");
  return from_buffer(array, true);
}

Tensor make_scalar_tensor(const Scalar& s, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked) {
  return make_filled({}, s, dtype.value_or(default_dtype()), device, tracked);
}

Tensor make_from_bytes(PyObject* buffer, DType dtype, int64_t count, int64_t offset, bool tracked) {
  return finished(from_bytes(buffer, dtype, count, offset), Py_None, tracked);
}

}  // namespace

void bind_creation() {
  define(
      "tensor(object data, *, dtype? dtype=None, device? device=None, bool requires_grad=False, bool "
      "pin_memory=False)",
      kFunction, make_tensor);
  define("as_tensor(object data, dtype? dtype=None, device? device=None)", kFunction, make_as_tensor);
  define("from_numpy(object ndarray)", kFunction, make_from_numpy);
  define("frombuffer(object buffer, *, dtype dtype, int count=-1, int offset=0, bool requires_grad=False)", kFunction,
         make_from_bytes);
  define("scalar_tensor(Number s, *, " CR_OPTIONS ")", kFunction, make_scalar_tensor);
  define("empty(int[*] size, *, Tensor? out=None, " CR_OPTIONS ", memory_format? memory_format=None)", kFunction,
         make_empty);
  define("zeros(int[*] size, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_constant<0>);
  define("ones(int[*] size, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_constant<1>);
  define("full(int[] size, Number fill_value, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_full);
  define("arange(Number end, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_range_from_zero);
  define("arange(Number start, Number end, Number step=1, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_range);
  define("linspace(Operand start, Operand end, int steps, *, Tensor? out=None, " CR_OPTIONS ")", kFunction,
         make_linspace);
  define("eye(int n, int? m=None, *, Tensor? out=None, " CR_OPTIONS ")", kFunction, make_eye);
  define("empty_strided(int[] size, int[] stride, *, " CR_OPTIONS ")", kFunction, make_strided);
  define("empty_permuted(int[] size, int[] physical_layout, *, " CR_OPTIONS ")", kFunction, make_permuted);
  define("new_empty_strided(Tensor input, int[] size, int[] stride, *, " CR_OPTIONS ")", kMethod, new_strided);
  define("tril_indices(int row, int col, int offset=0, *, " CR_OPTIONS ")", kFunction, make_triangle_indices<true>);
  define("triu_indices(int row, int col, int offset=0, *, " CR_OPTIONS ")", kFunction, make_triangle_indices<false>);
  define("empty_like(Tensor input, *, " CR_LIKE_OPTIONS ")", kFunction, empty_like);
  define("zeros_like(Tensor input, *, " CR_LIKE_OPTIONS ")", kFunction, constant_like<0>);
  define("ones_like(Tensor input, *, " CR_LIKE_OPTIONS ")", kFunction, constant_like<1>);
  define("full_like(Tensor input, Number fill_value, *, " CR_LIKE_OPTIONS ")", kFunction, full_like);
  define("new_zeros(Tensor input, int[*] size, *, " CR_OPTIONS ")", kMethod, new_constant<0>);
  define("new_ones(Tensor input, int[*] size, *, " CR_OPTIONS ")", kMethod, new_constant<1>);
  define("new_empty(Tensor input, int[*] size, *, " CR_OPTIONS ")", kMethod,
         [](const Tensor& like, const Dims& size, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked) {
           return finished(unwritten(empty(size, dtype.value_or(like.dtype()))), device, tracked);
         });
  define("new_full(Tensor input, int[] size, Number fill_value, *, " CR_OPTIONS ")", kMethod,
         [](const Tensor& like, const Dims& size, const Scalar& value, MaybeDType dtype, PyObject*, PyObject* device,
            bool, bool tracked) { return make_filled(size, value, dtype.value_or(like.dtype()), device, tracked); });
  define("new_tensor(Tensor input, object data, *, dtype? dtype=None, device? device=None, bool? requires_grad=False)",
         kMethod, [](const Tensor& like, PyObject* data, MaybeDType dtype, PyObject* device, bool tracked) {
           return finished(moved_from_python(data, dtype.value_or(like.dtype())), device, tracked);
         });
  define("zero_(Tensor input)", kBoth, zero_);
}

}  // namespace chainrule
