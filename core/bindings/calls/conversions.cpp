// Between Python's objects and the core's values.
#include "bindings/calls/conversions.hpp"

#include <nanobind/nanobind.h>

#include <cstring>

#include "backends/generator.hpp"
#include "bindings/calls/unresolved.hpp"
#include "bindings/types/descriptors.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

bool has_index(PyObject* o) { return Py_TYPE(o)->tp_as_number && Py_TYPE(o)->tp_as_number->nb_index; }
bool has_float(PyObject* o) { return Py_TYPE(o)->tp_as_number && Py_TYPE(o)->tp_as_number->nb_float; }

// NumPy's scalars are recognised without importing NumPy.
bool is_numpy_scalar(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  return !std::strncmp(name, "numpy.", 6) && std::strcmp(name, "numpy.ndarray") && (has_float(o) || has_index(o));
}

Scalar scalar_of_long(PyObject* o) {
  int overflow;
  int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow > 0) {
    uint64_t large = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred()) PyErr_Clear(), overflow = -1;
    if (overflow > 0) return Scalar::of_unsigned(large);
  }
  if (overflow) raise(PyExc_OverflowError, "int too big to convert");
  if (v == -1 && PyErr_Occurred()) throw PythonError();
  return Scalar::of_int(v);
}

template <class F>
void each_item(PyObject* sequence, F f) {
  PyObject* fast = from_python(PySequence_Fast(sequence, "expected a sequence"));
  try {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); ++i) {
      nanobind::object item =
          nanobind::borrow(PySequence_Fast_GET_ITEM(fast, i));  // f may run code that changes the list
      f(item.ptr());
    }
  } catch (...) {
    Py_DECREF(fast);
    throw;
  }
  Py_DECREF(fast);
}

template <class Test>
bool all_items(PyObject* o, Test test) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!test(PySequence_Fast_GET_ITEM(o, i))) return false;
  }
  return true;
}

}  // namespace

bool is_number(PyObject* o) {
  return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) || (!is_tensor(o) && is_numpy_scalar(o));
}

bool is_number_tensor(PyObject* o) { return is_tensor(o) && reinterpret_cast<TensorObject*>(o)->ndim == 0; }

bool is_index(PyObject* o) {
  if (PyLong_Check(o)) return !PyBool_Check(o);
  if (is_tensor(o)) {
    auto* t = reinterpret_cast<TensorObject*>(o);
    return t->numel == 1 && is_integral(t->dtype);
  }
  return has_index(o);
}

bool is_numpy_bool(PyObject* o) {
  const char* name = Py_TYPE(o)->tp_name;
  return !std::strcmp(name, "numpy.bool") || !std::strcmp(name, "numpy.bool_");
}

bool is_index_sequence(PyObject* o) { return all_items(o, is_index); }
bool is_tensor_sequence(PyObject* o) { return all_items(o, is_tensor); }

bool is_dtype(PyObject* o) {
  return Py_TYPE(o) == &DTypeType || o == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
         o == reinterpret_cast<PyObject*>(&PyLong_Type) || o == reinterpret_cast<PyObject*>(&PyBool_Type) ||
         o == reinterpret_cast<PyObject*>(&PyComplex_Type);
}
bool is_generator(PyObject* o) { return nanobind::isinstance<Generator>(nanobind::handle(o)); }

Scalar to_scalar(PyObject* o) {
  if (PyFloat_Check(o)) return Scalar(PyFloat_AS_DOUBLE(o));
  if (PyBool_Check(o)) return Scalar::of_int(o == Py_True, Scalar::kBool);
  if (PyLong_Check(o)) return scalar_of_long(o);
  if (PyComplex_Check(o)) return Scalar::of_complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
  if (is_tensor(o)) {
    auto* t = reinterpret_cast<TensorObject*>(o);
    if (t->numel != 1) raise(PyExc_RuntimeError, "a Tensor with ", t->numel, " elements cannot be converted to Scalar");
    settle();  // the doors that let operations wait take numbers, too
    Tensor resolved = resolved_argument(o);
    return item(resolved);
  }
  if (is_numpy_bool(o)) return Scalar::of_int(from_python(PyObject_IsTrue(o)) == 1, Scalar::kBool);
  if (has_index(o)) {
    PyObject* number = from_python(PyNumber_Index(o));
    Scalar s = scalar_of_long(number);
    Py_DECREF(number);
    return s;
  }
  if (std::strstr(Py_TYPE(o)->tp_name, "complex")) {  // numpy.complex64; complex128 is a complex
    Py_complex v = PyComplex_AsCComplex(o);
    if (v.real == -1 && PyErr_Occurred()) throw PythonError();
    settle();
    return Scalar::of_complex(v.real, v.imag);
  }
  return Scalar(number_from_python(PyFloat_AsDouble(o)));
}

int64_t to_int(PyObject* o) {
  if (is_tensor(o)) return to_scalar(o).integer;
  PyObject* number = from_python(PyNumber_Index(o));
  int overflow;
  int64_t v = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
  return v;
}

double to_double(PyObject* o) {
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  Scalar s = to_scalar(o);
  if (s.kind == Scalar::kComplex && s.imaginary != 0)
    raise(PyExc_RuntimeError, "value cannot be converted to type double without overflow");
  return s.real;
}

Dims to_dims(PyObject* o) {
  if (is_index(o)) return Dims{to_int(o)};
  Dims result;
  each_item(o, [&](PyObject* item) {
    try {
      result.push_back(to_int(item));
    } catch (const Error& e) {
      raise(PyExc_TypeError, "failed to unpack the object at pos ", result.size() + 1, " with error \"", e.what(),
            "\"");
    }
  });
  return result;
}

DType to_dtype_value(PyObject* o) {
  if (Py_TYPE(o) == &DTypeType) return dtype_value(o);
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::Float64;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::Int64;
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::Bool;
  return DType::Complex128;
}

std::vector<Tensor> to_tensors(PyObject* o) {
  if (is_tensor(o)) return {Tensor::borrow(o)};
  std::vector<Tensor> result;
  each_item(o, [&](PyObject* item) {
    if (!is_tensor(item)) {
      raise(PyExc_TypeError, "expected Tensor as element ", result.size(), " in argument 0, but got ",
            Py_TYPE(item)->tp_name);
    }
    result.push_back(Tensor::borrow(item));
  });
  return result;
}

Operand to_operand(PyObject* o) {
  if (is_tensor(o)) {
    Operand operand;
    operand.tensor = reinterpret_cast<TensorObject*>(o);
    return operand;
  }
  return Operand(to_scalar(o));
}

Generator* to_generator(PyObject* o) {
  return o == Py_None ? nullptr : nanobind::cast<Generator*>(nanobind::handle(o));
}

PyObject* to_python(DType t) { return Py_NewRef(dtype_object(t)); }

PyObject* to_python(const Scalar& s) {
  switch (s.kind) {
    case Scalar::kBool:
      return PyBool_FromLong(s.integer != 0);
    case Scalar::kInt:
      return s.is_above_int64() ? PyLong_FromUnsignedLongLong(static_cast<uint64_t>(s.integer))
                                : PyLong_FromLongLong(s.integer);
    case Scalar::kFloat:
      return PyFloat_FromDouble(s.real);
    default:
      return PyComplex_FromDoubles(s.real, s.imaginary);
  }
}

PyObject* int_tuple(Span values) {
  PyObject* tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i) PyTuple_SET_ITEM(tuple, i, checked(PyLong_FromLongLong(values[i])));
  return tuple;
}

PyObject* size_tuple(Span sizes) {
  PyObject* tuple = checked(SizeType.tp_alloc(&SizeType, static_cast<Py_ssize_t>(sizes.size())));
  for (size_t i = 0; i < sizes.size(); ++i) PyTuple_SET_ITEM(tuple, i, checked(PyLong_FromLongLong(sizes[i])));
  return tuple;
}

PyObject* to_python(std::vector<Tensor> tensors) {
  PyObject* tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) PyTuple_SET_ITEM(tuple, i, to_python(std::move(tensors[i])));
  return tuple;
}

}  // namespace chainrule
