// tensor(data): nested sequences, numbers, arrays and tensors become a tensor.
#include "bindings/calls/from_python.hpp"

#include "autograd/record.hpp"
#include "backends/recording/recording.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/types/buffer.hpp"
#include "bindings/types/storage_type.hpp"
#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/move.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

constexpr int kDeepest = 64;

bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); }
bool is_array_of_one(PyObject* o) { return is_array(o) && from_buffer(o).ndim() == 0; }
// What counts as a dimension. Tensors do not: as in PyTorch each one stands for a number. Neither does an array without
// dimensions, at which PyTorch stumbles.
bool is_sequence(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  return PySequence_Check(o) && !is_tensor(o) && !is_number(o) && !PyDict_Check(o) && !is_array_of_one(o);
}

int64_t integer_of(PyObject* o, int* overflow) { return number_from_python(PyLong_AsLongLongAndOverflow(o, overflow)); }

Scalar unsigned_of(PyObject* o) {
  if (!PyIndex_Check(o)) raise(PyExc_TypeError, "an integer is required");
  Owned index(from_python(PyNumber_Index(o)));
  uint64_t v = PyLong_AsUnsignedLongLong(index.get());
  if (PyErr_Occurred()) throw PythonError();
  return Scalar::of_unsigned(v);
}

Scalar complex_of(PyObject* o) {
  Py_complex c = PyComplex_AsCComplex(o);
  if (PyErr_Occurred()) throw PythonError();
  settle();
  return Scalar::of_complex(c.real, c.imag);
}

// What number an object is for a tensor of a dtype: the object is asked as float(), complex() or operator.index() ask.
Scalar number(PyObject* o, DType dtype) {
  if (holds_complex(dtype)) return complex_of(o);
  if (PyFloat_Check(o) && dtype != DType::UInt64) return Scalar(PyFloat_AS_DOUBLE(o));
  if (holds_floating(dtype)) {
    return Scalar(number_from_python(PyFloat_AsDouble(o)));
  }
  if (is_bool(dtype) && PyComplex_Check(o)) return complex_of(o);
  if (is_bool(dtype) && is_numpy_bool(o)) return Scalar::of_int(from_python(PyObject_IsTrue(o)));
  if (dtype == DType::UInt64) return unsigned_of(o);
  int overflow = 0;
  int64_t v = integer_of(o, &overflow);
  if (overflow && !is_bool(dtype)) raise(PyExc_ValueError, "Overflow when unpacking long long");
  return Scalar::of_int(v);
}

void store_checked(const Scalar& s, DType dtype, char* to) {
  if (!holds_floating(dtype) && !fits(s, dtype))  // too large a float becomes infinite
    raise(PyExc_RuntimeError, "value cannot be converted to type ", facts(dtype).name, " without overflow");
  store(s, dtype, to);
}

// Whether all elements of one dtype become the other's as number() would have it.
bool converts_whole(DType from, DType to) {
  return from == to || holds_complex(to) || (holds_floating(to) && !holds_complex(from));
}

[[noreturn]] void raise_text(PyObject* o) {
  raise(PyExc_TypeError, "new(): invalid data type '", Py_TYPE(o)->tp_name, "'");
}

// A list or tuple of the entries, or null with an error. A sequence has as many as its length says: one whose
// __getitem__ never ends would otherwise fill the memory.
PyObject* entries_of(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o) || !PySequence_Check(o)) return PySequence_Fast(o, "not a sequence");
  Py_ssize_t n = PySequence_Size(o);
  if (n < 0) return nullptr;
  Owned entries(PyTuple_New(n));
  for (Py_ssize_t i = 0; entries && i < n; ++i) {
    PyObject* entry = PySequence_GetItem(o, i);
    if (!entry) return nullptr;
    PyTuple_SET_ITEM(entries.get(), i, entry);
  }
  return entries.release();
}

// Collects shape and dtype on a first walk, then fills on a second.
class Reader {
 public:
  Reader(PyObject* data, bool dtype_given) {
    measure(data);
    depth_ = sizes_.size();
    // Before all entries are looked at: a list of a list that is in it many times has more than any memory.
    if (constexpr int64_t kMany = int64_t{1} << 32; count(sizes_) > kMany) empty(sizes_, DType::UInt8);
    if (!dtype_given) infer(data, 0);
  }
  // What dtype a tensor of the data would have, whatever its shape.
  static DType dtype_of_data(PyObject* data) {
    Reader reader;
    reader.infer(data, 0);
    return reader.dtype();
  }

  DType dtype() const { return dtype_.value_or(default_dtype()); }

  Tensor read(PyObject* data, std::optional<DType> wanted) {
    Tensor result = empty(sizes_, wanted.value_or(dtype()));
    char* at = result->data;
    if (result.numel()) fill(data, 0, result.dtype(), at);
    return result;
  }

 private:
  Reader() = default;

  // The first entry of each sequence tells the size of the next dimension.
  void measure(PyObject* data) {
    Owned current(Py_NewRef(data));
    while (is_sequence(current.get())) {
      Py_ssize_t n = number_from_python(PySequence_Size(current.get()));
      sizes_.push_back(n);
      if (sizes_.size() > kDeepest) raise_too_deep(current.get());
      if (n == 0) return;
      Owned first(PySequence_GetItem(current.get(), 0));
      settle();
      if (!first) raise_shapeless(current.get());
      current = std::move(first);
    }
  }
  [[noreturn]] static void raise_shapeless(PyObject* o) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PythonError();  // somebody wants to stop
    PyErr_Clear();
    raise(PyExc_ValueError, "could not determine the shape of object type '", Py_TYPE(o)->tp_name, "'");
  }
  [[noreturn]] static void raise_too_deep(PyObject* o) {
    raise(PyExc_ValueError, "too many dimensions '", Py_TYPE(o)->tp_name, "': the nesting is deeper than ", kDeepest);
  }

  static void warn_of_arrays(PyObject* o) {
    if (!PyList_Check(o) || PyList_GET_SIZE(o) == 0 || !is_array(PyList_GET_ITEM(o, 0))) return;
    from_python(
        PyErr_WarnEx(PyExc_UserWarning,
                     "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
                     "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
                     1));
  }

  void join(DType t) { dtype_ = dtype_ && *dtype_ != t ? promote(*dtype_, t) : t; }

  void infer(PyObject* o, int dim) {
    if (PyFloat_CheckExact(o)) return join(default_dtype());
    if (PyLong_CheckExact(o)) return join(DType::Int64);
    if (is_tensor(o)) return join(reinterpret_cast<TensorObject*>(o)->dtype);
    if (is_number(o)) {
      if (PyObject_CheckBuffer(o)) return join(from_buffer(o).dtype());  // NumPy's scalars know their dtype
      return join(dtype_of(to_scalar(o)));
    }
    if (is_array(o)) return join(from_buffer(o).dtype());
    if (is_text(o)) raise_text(o);
    if (!is_sequence(o)) raise(PyExc_RuntimeError, "Could not infer dtype of ", Py_TYPE(o)->tp_name);
    if (dim > kDeepest) raise_too_deep(o);
    if (number_from_python(PySequence_Size(o)) == 0) return join(default_dtype());
    warn_of_arrays(o);
    each(o, [&](PyObject* item) {
      if (item == o) raise(PyExc_TypeError, "new(): self-referential lists are incompatible");
      if (dtype_ != DType::Complex128) infer(item, dim + 1);  // nothing is promoted further
    });
  }

  template <class F>
  void each(PyObject* o, F f) {
    Owned fast(from_python(entries_of(o)));
    place_.push_back(0);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
      place_[place_.size() - 1] = i;
      Owned item(Py_NewRef(PySequence_Fast_GET_ITEM(fast.get(), i)));  // what runs inside may change the list
      f(item.get());
    }
    place_.resize(place_.size() - 1);
  }

  std::string place() const {
    std::string text = "data";
    for (int64_t i : place_) text.append("[").append(std::to_string(i)).append("]");
    return text;
  }

  [[noreturn]] void raise_ragged(int dim, Py_ssize_t found) {
    raise(PyExc_ValueError, "expected sequence of length ", sizes_[dim], " at dim ", dim, " (got ", found, ")\n  ",
          place(), " has ", found, " entries, but the entries before it have ", sizes_[dim],
          ": a tensor is a full box of numbers.");
  }
  [[noreturn]] void raise_no_sequence(PyObject* o) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
    PyErr_Clear();
    raise(PyExc_TypeError, "not a sequence: ", place(), " is of type ", Py_TYPE(o)->tp_name,
          ", but the entries before it are sequences");
  }
  std::string way_out(PyObject* o, DType dtype) const {
    if (is_tensor(o) && !is_number_tensor(o)) {
      return " has shape " + shape_text(Tensor::borrow(o).sizes()) + "; stack() joins tensors along a new dimension";
    }
    if (is_sequence(o)) return " is nested deeper than the entries before it";
    return is_number(o) && !is_differentiable(dtype) ? " may have a fraction" : " is not a number";
  }
  // The error that the object gave when it was asked for its number, and where it stands.
  [[noreturn]] void raise_no_number(PyObject* o, DType dtype) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Owned holds[] = {Owned(type), Owned(value), Owned(trace)};
    Owned text(from_python(PyObject_Str(value)));
    raise(PyExc_TypeError, checked(PyUnicode_AsUTF8(text.get())), ": ", place(), way_out(o, dtype));
  }

  void fill(PyObject* o, int dim, DType dtype, char*& at) {
    if (dim == depth_) return fill_number(o, dtype, at);
    if (is_array(o) && fill_block(from_buffer(o), dim, dtype, at)) return;
    Owned entries(entries_of(o));
    settle();
    if (!entries) raise_no_sequence(o);
    Py_ssize_t n = PySequence_Fast_GET_SIZE(entries.get());
    if (n != sizes_[dim]) raise_ragged(dim, n);
    each(entries.get(), [&](PyObject* item) {
      // What an entry runs to give its number may change the list.
      if (PySequence_Fast_GET_SIZE(entries.get()) != n) raise_ragged(dim, PySequence_Fast_GET_SIZE(entries.get()));
      fill(item, dim + 1, dtype, at);
    });
    if (PySequence_Fast_GET_SIZE(entries.get()) != n) raise_ragged(dim, PySequence_Fast_GET_SIZE(entries.get()));
  }

  void fill_number(PyObject* o, DType dtype, char*& at) {
    try {
      store_checked(number(o, dtype), dtype, at);
    } catch (const PythonError&) {
      raise_no_number(o, dtype);
    }
    at += size_of(dtype);
  }

  // An array of just the shape and dtype that are wanted; others go number by number.
  bool fill_block(const Tensor& block, int dim, DType dtype, char*& at) {
    Span expected(sizes_.data() + dim, static_cast<size_t>(depth_ - dim));
    if (!equal(block.sizes(), expected) || !converts_whole(block.dtype(), dtype)) return false;
    GradModeScope off(false);
    Tensor packed = contiguous(to_dtype(block, dtype));
    size_t bytes = static_cast<size_t>(packed.numel()) * size_of(dtype);
    std::memcpy(at, packed->data, bytes);
    at += bytes;
    return true;
  }

  Dims sizes_, place_;
  int depth_ = 0;
  std::optional<DType> dtype_;
};

// The commonest data: one list of floats.
bool is_float_list(PyObject* o) {
  if (!PyList_CheckExact(o) || PyList_GET_SIZE(o) == 0) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
    if (!PyFloat_CheckExact(PyList_GET_ITEM(o, i))) return false;
  }
  return true;
}
Tensor from_float_list(PyObject* list, DType dtype) {
  Tensor t = empty(Dims{PyList_GET_SIZE(list)}, dtype);
  auto step = static_cast<int64_t>(size_of(dtype));
  for (int64_t i = 0; i < t.numel(); ++i)
    store(Scalar(PyFloat_AS_DOUBLE(PyList_GET_ITEM(list, i))), dtype, t->data + i * step);
  return t;
}

void warn_copy_of_tensor() {
  from_python(
      PyErr_WarnEx(PyExc_UserWarning,
                   "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                   "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                   1));
}

// All of a storage as a tensor over its bytes, as PyTorch has it; no tensor if `data` is none. A TypedStorage
// (storage.py) has a dtype and an untyped storage.
Tensor from_storage(PyObject* data, std::optional<DType> dtype) {
  if (PyList_Check(data) || PyTuple_Check(data) || !PySequence_Check(data)) return {};
  Storage* shown = storage_shown_by(data);
  Owned untyped(shown ? nullptr : PyObject_GetAttrString(data, "_untyped_storage"));
  if (!shown && !untyped) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError();
    PyErr_Clear();
    return {};
  }
  if (untyped) {
    Owned own(from_python(PyObject_GetAttrString(data, "dtype")));
    DType found = to_dtype_value(own.get());
    if (dtype && *dtype != found) {
      raise(PyExc_RuntimeError, "Expected a Storage of type ", facts(*dtype).tensor_name,
            " or an UntypedStorage, but got ", facts(found).tensor_name);
    }
    dtype = found;
    shown = storage_shown_by(untyped.get());
    if (!shown) return {};
  }
  DType type = dtype.value_or(DType::Int64);
  return tensor_over(shown, Dims{shown->bytes / static_cast<int64_t>(size_of(type))}, Dims{1}, 0, type);
}

// What another library's array shows of itself by DLPack.
Tensor from_exchange(PyObject* data) {
  if (PyList_Check(data) || PyTuple_Check(data) || is_number(data) || !PyObject_HasAttrString(data, "__dlpack__"))
    return {};
  Owned module(checked(PyImport_ImportModule("chainrule.interop")));
  return Tensor::steal(
      reinterpret_cast<TensorObject*>(from_python(PyObject_CallMethod(module.get(), "from_dlpack", "O", data))));
}

PyObject* list_of(const Tensor& t, int dim, const char* at) {
  if (dim == t.ndim()) return checked(to_python(load(t.dtype(), at)));
  // Without elements there is nowhere to go; a stride along a single element leads nowhere either.
  int64_t n = t.size(dim);
  int64_t step = t.numel() && n > 1 ? t.stride(dim) * static_cast<int64_t>(size_of(t.dtype())) : 0;
  PyObject* list = checked(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list, i, list_of(t, dim + 1, at + i * step));
  return list;
}

}  // namespace

namespace {

Tensor read_from_python(PyObject* data, std::optional<DType> dtype) {
  if (PyFloat_CheckExact(data) && !dtype) {
    Tensor t = empty({}, default_dtype());
    store(PyFloat_AS_DOUBLE(data), t.dtype(), t->data);
    return t;
  }
  if (is_float_list(data) && (!dtype || is_floating(*dtype)))
    return from_float_list(data, dtype.value_or(default_dtype()));
  if (is_tensor(data)) {
    warn_copy_of_tensor();
    GradModeScope off(false);
    Tensor t = Tensor::borrow(data);
    return convert_copy(t, dtype.value_or(t.dtype()));
  }
  if (is_array(data)) {
    Tensor shared = from_buffer(data);
    return convert_copy(shared, dtype.value_or(shared.dtype()));
  }
  if (is_text(data)) raise_text(data);
  if (Tensor whole = from_storage(data, dtype)) return whole;
  if (Tensor shared = from_exchange(data)) return convert_copy(shared, dtype.value_or(shared.dtype()));
  return Reader(data, dtype.has_value()).read(data, dtype);
}

// A recorded step writes the same numbers each time. What is in an array may change unseen.
void record_numbers(PyObject* data, const Tensor& t) {
  if (is_tensor(data)) return;
  if (is_array(data)) return cannot_replay("makes a tensor of an array, whose elements may change");
  recorder->add_bytes(t->data, t->data, static_cast<size_t>(t->storage->bytes));
}

}  // namespace

Tensor tensor_from_python(PyObject* data, std::optional<DType> dtype) {
  Tensor t = read_from_python(data, dtype);
  if (recorder) [[unlikely]]
    record_numbers(data, t);
  return t;
}

Tensor index_from_python(PyObject* data) {
  if (is_text(data)) raise_text(data);
  DeviceScope here(Device::CPU);
  DType found = is_array(data) ? from_buffer(data).dtype() : Reader::dtype_of_data(data);
  return tensor_from_python(data, is_bool(found) || found == DType::UInt8 ? found : DType::Int64);
}

PyObject* to_list(const Tensor& t) {
  if (!is_host_memory(t->storage->device)) return to_list(move_to(t, Device::CPU));
  ElementScope open;
  return list_of(t, 0, t->data);
}

}  // namespace chainrule
