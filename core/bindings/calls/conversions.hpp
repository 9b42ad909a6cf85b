// Between Python's objects and the core's values.
#pragma once
#include <Python.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/types/descriptors.hpp"
#include "ops/elementwise/promotion.hpp"
#include "tensor/python_call.hpp"
#include "tensor/scalar.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

class Generator;

// ---- what an object is
bool is_number(PyObject* o);         // bool, int, float, complex, or a NumPy scalar
bool is_number_tensor(PyObject* o);  // a tensor of one element that can stand for a number
bool is_index(PyObject* o);          // an int, or anything with __index__ (not bool)
bool is_numpy_bool(PyObject* o);
bool is_index_sequence(PyObject* o);
bool is_tensor_sequence(PyObject* o);
bool is_dtype(PyObject* o);
bool is_device(PyObject* o);
bool is_generator(PyObject* o);

// ---- from Python; these raise on values that do not fit
Scalar to_scalar(PyObject* o);
int64_t to_int(PyObject* o);
double to_double(PyObject* o);
Dims to_dims(PyObject* o);
DType to_dtype_value(PyObject* o);
Device device_value(PyObject* o);  // None is the CPU; raises if there is no such device
void check_device(PyObject* o);    // raises unless it names a device with elements
std::vector<Tensor> to_tensors(PyObject* o);
Operand to_operand(PyObject* o);
Generator* to_generator(PyObject* o);  // null for None

// ---- to Python; new references
PyObject* to_python(DType t);
PyObject* to_python(const Scalar& s);
PyObject* size_tuple(Span sizes);  // a Size
PyObject* int_tuple(Span values);

// Converts an argument to the type that a function takes.
template <class T>
struct FromPython;
template <>
struct FromPython<Tensor> {
  static Tensor from(PyObject* o) { return o == Py_None ? Tensor() : Tensor::borrow(o); }
};
template <>
struct FromPython<Operand> {
  static Operand from(PyObject* o) { return to_operand(o); }
};
template <>
struct FromPython<Scalar> {
  static Scalar from(PyObject* o) { return to_scalar(o); }
};
template <>
struct FromPython<int64_t> {
  static int64_t from(PyObject* o) { return to_int(o); }
};
template <>
struct FromPython<double> {
  static double from(PyObject* o) { return to_double(o); }
};
template <>
struct FromPython<bool> {
  static bool from(PyObject* o) { return from_python(PyObject_IsTrue(o)) == 1; }
};
template <>
struct FromPython<Dims> {
  static Dims from(PyObject* o) { return to_dims(o); }
};
template <>
struct FromPython<DType> {
  static DType from(PyObject* o) { return to_dtype_value(o); }
};
template <>
struct FromPython<MemoryFormat> {
  static MemoryFormat from(PyObject* o) { return memory_format_value(o); }
};
template <>
struct FromPython<std::string> {
  static std::string from(PyObject* o) { return PyUnicode_AsUTF8(o); }
};
template <>
struct FromPython<std::vector<Tensor>> {
  static std::vector<Tensor> from(PyObject* o) { return to_tensors(o); }
};
template <>
struct FromPython<PyObject*> {
  static PyObject* from(PyObject* o) { return o; }
};
template <>
struct FromPython<Generator*> {
  static Generator* from(PyObject* o) { return to_generator(o); }
};
template <class T>
struct FromPython<std::optional<T>> {
  static std::optional<T> from(PyObject* o) {
    if (o == Py_None) return std::nullopt;
    return FromPython<T>::from(o);
  }
};

inline PyObject* to_python(Tensor t) { return t ? t.release_py() : Py_NewRef(Py_None); }
inline PyObject* to_python(bool v) { return PyBool_FromLong(v); }
inline PyObject* to_python(int64_t v) { return PyLong_FromLongLong(v); }
inline PyObject* to_python(double v) { return PyFloat_FromDouble(v); }
inline PyObject* to_python(PyObject* o) { return o; }
inline PyObject* to_python(const std::string& s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}
PyObject* to_python(std::vector<Tensor> tensors);  // a tuple
inline PyObject* to_python(std::pair<Tensor, Tensor> p) {
  std::vector<Tensor> both{std::move(p.first), std::move(p.second)};
  return to_python(std::move(both));
}
inline PyObject* to_python(std::tuple<Tensor, Tensor, Tensor> p) {
  return to_python(std::vector<Tensor>{std::get<0>(p), std::get<1>(p), std::get<2>(p)});
}

// The tensor that a function of the module itself was given; anything else raises.
inline Tensor given_tensor(PyObject* o) {
  if (!is_tensor(o)) raise(PyExc_TypeError, "expected a Tensor, but got ", Py_TYPE(o)->tp_name);
  return Tensor::borrow(o);
}

}  // namespace chainrule
