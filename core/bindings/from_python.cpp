// tensor(data): nested sequences, numbers, arrays and tensors become a tensor.
#include "bindings/from_python.hpp"

#include "autograd/record.hpp"
#include "bindings/buffer.hpp"
#include "bindings/conversions.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"

namespace chainrule {
namespace {

bool is_sequence(PyObject* o) {
  return (PyList_Check(o) || PyTuple_Check(o) || (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o))) &&
         !is_tensor(o) && !is_number(o) && !PyMemoryView_Check(o) && !PyDict_Check(o);
}
bool is_array(PyObject* o) { return PyObject_CheckBuffer(o) && !PyBytes_Check(o) && !is_tensor(o); }

// A number of the data; one that no tensor can hold raises as PyTorch's constructor does.
Scalar number(PyObject* o) {
  if (PyLong_CheckExact(o)) {
    int overflow;
    PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
  }
  return to_scalar(o);
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
  Reader(PyObject* data, bool dtype_given) : dtype_given_(dtype_given) {
    for (PyObject* o = data; is_sequence(o) && !is_array(o);) {
      Py_ssize_t n = PySequence_Size(o);
      if (n < 0) throw PythonError();
      sizes_.push_back(n);
      if (n == 0) break;
      o = hold(checked(PySequence_GetItem(o, 0)));
      if (sizes_.size() > 64) raise(PyExc_ValueError, "too many dimensions: the nesting is deeper than 64");
    }
    if (Tensor leaf = leaf_tensor(data)) {
      for (int64_t s : leaf.sizes()) sizes_.push_back(s);
    }
    depth_ = sizes_.size();
    infer(data, 0);
  }

  Tensor read(PyObject* data, std::optional<DType> dtype) {
    Tensor result = empty(sizes_, dtype.value_or(dtype_.value_or(default_dtype())));
    char* at = result->data;
    fill(data, 0, result.dtype(), at);
    return result;
  }

 private:
  // A sequence such as a range makes its items when asked for them, so they are kept while they are looked at.
  struct Held : std::vector<PyObject*> {
    ~Held() {
      for (PyObject* item : *this) Py_DECREF(item);
    }
  };
  PyObject* hold(PyObject* item) {
    held_.push_back(item);
    return item;
  }

  // Tensors and arrays inside a list count as further dimensions.
  Tensor leaf_tensor(PyObject* data) {
    PyObject* o = data;
    for (int i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] == 0) return Tensor();
      o = hold(checked(PySequence_GetItem(o, 0)));
    }
    if (is_tensor(o)) return Tensor::borrow(o);
    return is_array(o) && !is_number(o) ? from_buffer(o) : Tensor();
  }

  void join(DType t) { dtype_ = dtype_ ? promote(*dtype_, t) : t; }

  void infer(PyObject* o, int dim) {
    if (is_tensor(o)) return join(reinterpret_cast<TensorObject*>(o)->dtype);
    if (PyFloat_CheckExact(o)) return join(default_dtype());
    if (is_number(o)) {
      if (is_array(o)) return join(from_buffer(o).dtype());  // NumPy's scalars know their dtype
      Scalar s = number(o);
      if (!dtype_given_) join(dtype_of(s));  // the default dtype may have no complex one
      return;
    }
    if (is_array(o)) return join(from_buffer(o).dtype());
    if (!is_sequence(o)) {
      if (PyUnicode_Check(o)) raise(PyExc_TypeError, "new(): invalid data type 'str'");
      raise(PyExc_RuntimeError, "Could not infer dtype of ", Py_TYPE(o)->tp_name);
    }
    if (dim > 64) raise(PyExc_ValueError, "too many dimensions: the nesting is deeper than 64");
    each(o, [&](PyObject* item, Py_ssize_t) { infer(item, dim + 1); });
  }

  template <class F>
  void each(PyObject* o, F f) {
    PyObject* fast = checked(PySequence_Fast(o, "expected a sequence"));
    struct Release {
      PyObject* o;
      ~Release() { Py_DECREF(o); }
    } release{fast};
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); ++i) {
      place_.push_back(i);
      f(PySequence_Fast_GET_ITEM(fast, i), i);
      place_.resize(place_.size() - 1);
    }
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

  void fill(PyObject* o, int dim, DType dtype, char*& at) {
    if (is_tensor(o) || (is_array(o) && !is_number(o)))
      return fill_block(is_tensor(o) ? Tensor::borrow(o) : from_buffer(o), dim, dtype, at);
    if (dim == depth_) {
      if (!is_number(o)) {
        if (is_sequence(o))
          raise(PyExc_TypeError, "not a sequence: ", place(), " is nested deeper than the entries before it");
        raise(PyExc_TypeError, "must be real number, not ", Py_TYPE(o)->tp_name, " (", place(), ")");
      }
      store_checked(number(o), dtype, at);
      at += size_of(dtype);
      return;
    }
    if (!is_sequence(o)) {
      raise(PyExc_TypeError, "not a sequence: ", place(), " is a ", Py_TYPE(o)->tp_name,
            ", but the entries before it are sequences");
    }
    Py_ssize_t n = PySequence_Size(o);
    if (n != sizes_[dim]) raise_ragged(dim, n);
    each(o, [&](PyObject* item, Py_ssize_t) { fill(item, dim + 1, dtype, at); });
  }

  void fill_block(const Tensor& block, int dim, DType dtype, char*& at) {
    Span expected(sizes_.data() + dim, static_cast<size_t>(depth_ - dim));
    if (!equal(block.sizes(), expected)) {
      if (block.ndim() == 0 || expected.empty())
        raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
      raise_ragged(dim, block.size(0));
    }
    GradModeScope off(false);
    Tensor packed = contiguous(to_dtype(block, dtype));
    size_t bytes = static_cast<size_t>(packed.numel()) * size_of(dtype);
    std::memcpy(at, packed->data, bytes);
    at += bytes;
  }

  Held held_;
  Dims sizes_, place_;
  int depth_ = 0;
  bool dtype_given_;
  std::optional<DType> dtype_;
};

PyObject* list_of(const Tensor& t, int dim, const char* at) {
  if (dim == t.ndim()) return checked(to_python(load(t.dtype(), at)));
  int64_t n = t.size(dim), step = t.stride(dim) * static_cast<int64_t>(size_of(t.dtype()));
  PyObject* list = checked(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list, i, list_of(t, dim + 1, at + i * step));
  return list;
}

}  // namespace

Tensor tensor_from_python(PyObject* data, std::optional<DType> dtype) {
  if (is_tensor(data)) {
    GradModeScope off(false);
    Tensor t = Tensor::borrow(data);
    return convert_copy(t, dtype.value_or(t.dtype()));
  }
  if (is_array(data) && !is_number(data)) {
    Tensor shared = from_buffer(data);
    return contiguous(convert_copy(shared, dtype.value_or(shared.dtype())));
  }
  if (PyFloat_CheckExact(data) && !dtype) {
    Tensor t = empty({}, default_dtype());
    store(PyFloat_AS_DOUBLE(data), t.dtype(), t->data);
    return t;
  }
  return Reader(data, dtype.has_value()).read(data, dtype);
}

PyObject* to_list(const Tensor& t) { return list_of(t, 0, t->data); }

}  // namespace chainrule
