// tensor(data): nested sequences, numbers, arrays and tensors become a tensor.
#include "bindings/from_python.hpp"

#include "autograd/record.hpp"
#include "bindings/buffer.hpp"
#include "bindings/conversions.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

constexpr int kDeepest = 64;

bool is_text(PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); }
// What counts as a dimension. Tensors do not: as in PyTorch each one stands for a number.
bool is_sequence(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  return PySequence_Check(o) && !is_text(o) && !is_tensor(o) && !is_number(o) && !PyDict_Check(o);
}

// A number of the data; one that no tensor can hold raises as PyTorch's constructor does.
Scalar number(PyObject* o, DType dtype) {
  if (PyLong_CheckExact(o) && dtype == DType::UInt64) {
    uint64_t v = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred()) throw PythonError();
    return Scalar::of_unsigned(v);
  }
  if (PyLong_CheckExact(o)) {
    int overflow;
    int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
    return Scalar::of_int(v);
  }
  return to_scalar(o);
}

// numpy.float32 does not become an integer, although Python's float does.
bool is_fraction_of_numpy(PyObject* o, DType dtype) {
  if (is_differentiable(dtype) || PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o)) return false;
  return !PyIndex_Check(o) && !is_numpy_bool(o);
}

// An object that is no number but says what number it is, asked for once the dtype is known.
bool becomes_number(PyObject* o, DType dtype) {
  const PyNumberMethods* says = Py_TYPE(o)->tp_as_number;
  return says && (says->nb_index || (says->nb_float && is_differentiable(dtype)));
}

void store_checked(const Scalar& s, DType dtype, char* to) {
  bool finite_float = is_floating(dtype) && s.kind != Scalar::kComplex;  // too large a float becomes infinite
  if (!finite_float && !fits(s, dtype)) {
    if (s.kind == Scalar::kComplex) raise(PyExc_TypeError, "must be real number, not complex");
    raise(PyExc_RuntimeError, "value cannot be converted to type ", facts(dtype).name, " without overflow");
  }
  store(s, dtype, to);
}

// Collects shape and dtype on a first walk, then fills on a second.
class Reader {
 public:
  Reader(PyObject* data, bool dtype_given) {
    measure(data);
    depth_ = sizes_.size();
    if (!dtype_given) infer(data, 0);
  }

  Tensor read(PyObject* data, std::optional<DType> dtype) {
    Tensor result = empty(sizes_, dtype.value_or(dtype_.value_or(default_dtype())));
    char* at = result->data;
    fill(data, 0, result.dtype(), at);
    return result;
  }

 private:
  // The first entry of each sequence tells the size of the next dimension; an array tells all that remain.
  void measure(PyObject* data) {
    Owned current(Py_NewRef(data));
    while (is_sequence(current.get())) {
      if (is_array(current.get())) {
        Tensor block = from_buffer(current.get());
        for (int64_t s : block.sizes()) sizes_.push_back(s);
        return;
      }
      Py_ssize_t n = PySequence_Size(current.get());
      if (n < 0) throw PythonError();
      sizes_.push_back(n);
      if (sizes_.size() > kDeepest) raise_too_deep();
      if (n == 0) return;
      PyObject* first = checked(PySequence_GetItem(current.get(), 0));
      current = Owned(first);
    }
    if (!is_text(current.get())) return;
    if (sizes_.empty() || PyBytes_Check(current.get())) raise_text(current.get());
    raise(PyExc_ValueError, "too many dimensions '", Py_TYPE(current.get())->tp_name, "'");
  }
  [[noreturn]] static void raise_text(PyObject* o) {
    raise(PyExc_TypeError, "new(): invalid data type '", Py_TYPE(o)->tp_name, "'");
  }
  [[noreturn]] static void raise_too_deep() {
    raise(PyExc_ValueError, "too many dimensions: the nesting is deeper than ", kDeepest);
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
    if (dim > kDeepest) raise_too_deep();
    each(o, [&](PyObject* item) { infer(item, dim + 1); });
  }

  template <class F>
  void each(PyObject* o, F f) {
    Owned fast(checked(PySequence_Fast(o, "expected a sequence")));
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
  [[noreturn]] void raise_no_number(PyObject* o, DType dtype) {
    const char* type = Py_TYPE(o)->tp_name;
    std::string deeper = is_sequence(o) ? " is nested deeper than the entries before it"
                         : is_number(o) ? " may have a fraction"
                                        : " is not a number";
    if (!is_differentiable(dtype))
      raise(PyExc_TypeError, "'", type, "' object cannot be interpreted as an integer: ", place(), deeper);
    raise(PyExc_TypeError, "must be real number, not ", type, ": ", place(), deeper);
  }
  [[noreturn]] void raise_large_tensor(const Tensor& t, DType dtype) {
    std::string way_out =
        place() + " has shape " + shape_text(t.sizes()) + "; stack() joins tensors along a new dimension";
    if (is_integral(dtype)) {
      raise(PyExc_TypeError, "only integer tensors of a single element can be converted to an index: ", way_out);
    }
    raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars: ", way_out);
  }

  void fill(PyObject* o, int dim, DType dtype, char*& at) {
    if (dim == depth_) return fill_number(o, dtype, at);
    if (is_array(o)) return fill_block(from_buffer(o), dim, dtype, at);
    if (!is_sequence(o)) {
      raise(PyExc_TypeError, "not a sequence: ", place(), " is of type ", Py_TYPE(o)->tp_name,
            ", but the entries before it are sequences");
    }
    Py_ssize_t n = PySequence_Size(o);
    if (n != sizes_[dim]) raise_ragged(dim, n);
    each(o, [&](PyObject* item) { fill(item, dim + 1, dtype, at); });
  }

  void fill_number(PyObject* o, DType dtype, char*& at) {
    if (PyFloat_CheckExact(o) && is_floating(dtype)) {
      store(Scalar(PyFloat_AS_DOUBLE(o)), dtype, at);
    } else if (is_tensor(o) || is_array(o)) {
      Tensor t = is_tensor(o) ? Tensor::borrow(o) : from_buffer(o);
      if (t.numel() != 1) raise_large_tensor(t, dtype);
      store_checked(load(t.dtype(), t->data), dtype, at);
    } else if (is_number(o) ? !is_fraction_of_numpy(o, dtype) : becomes_number(o, dtype)) {
      store_checked(number(o, dtype), dtype, at);
    } else {
      raise_no_number(o, dtype);
    }
    at += size_of(dtype);
  }

  void fill_block(const Tensor& block, int dim, DType dtype, char*& at) {
    Span expected(sizes_.data() + dim, static_cast<size_t>(depth_ - dim));
    for (int i = 0; i < block.ndim() || dim + i < depth_; ++i) {
      if (i >= block.ndim() || dim + i >= depth_)
        raise(PyExc_TypeError, "not a sequence: ", place(), " has shape ", block.sizes(), " instead of ", expected);
      if (block.size(i) != expected[i]) raise_ragged(dim + i, block.size(i));
    }
    GradModeScope off(false);
    Tensor packed = contiguous(to_dtype(block, dtype));
    size_t bytes = static_cast<size_t>(packed.numel()) * size_of(dtype);
    std::memcpy(at, packed->data, bytes);
    at += bytes;
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
  checked(PyErr_WarnEx(PyExc_UserWarning,
                       "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                       "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                       1));
}

PyObject* list_of(const Tensor& t, int dim, const char* at) {
  if (dim == t.ndim()) return checked(to_python(load(t.dtype(), at)));
  int64_t n = t.size(dim), step = t.stride(dim) * static_cast<int64_t>(size_of(t.dtype()));
  PyObject* list = checked(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list, i, list_of(t, dim + 1, at + i * step));
  return list;
}

}  // namespace

Tensor tensor_from_python(PyObject* data, std::optional<DType> dtype) {
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
  return Reader(data, dtype.has_value()).read(data, dtype);
}

PyObject* to_list(const Tensor& t) { return list_of(t, 0, t->data); }

}  // namespace chainrule
