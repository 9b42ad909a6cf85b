// x[...] and x[...] = y: integers, slices, None and Ellipsis give views; tensors and lists of indices are gathered.
#include "bindings/subscript.hpp"

#include "autograd/record.hpp"
#include "bindings/conversions.hpp"
#include "bindings/errors.hpp"
#include "bindings/from_python.hpp"
#include "bindings/subclass.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/elementwise.hpp"
#include "ops/index.hpp"
#include "ops/reduce.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

bool is_bool_index(PyObject* o) { return PyBool_Check(o) || is_numpy_bool(o); }

bool is_plain_integer(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  if (is_tensor(o)) return false;
  return !is_bool_index(o) && is_index(o);
}

// An index that stands for a tensor: a tensor, a list, an array.
bool is_array_index(PyObject* o) {
  return is_tensor(o) || PyList_Check(o) || PyTuple_Check(o) || PyObject_CheckBuffer(o);
}

// How many dimensions of the tensor an entry of the key uses up.
int consumed_dims(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || is_bool_index(o)) return 0;
  if (is_tensor(o)) {
    auto* t = reinterpret_cast<TensorObject*>(o);
    return t->dtype == DType::Bool || t->dtype == DType::UInt8 ? t->ndim : 1;
  }
  return 1;
}

Tensor apply_slice(const Tensor& t, int dim, PyObject* key) {
  Py_ssize_t start, stop, step;
  checked(PySlice_Unpack(key, &start, &stop, &step));
  if (step <= 0) raise(PyExc_ValueError, "step must be greater than zero");
  PySlice_AdjustIndices(t.size(dim), &start, &stop, step);
  return slice(t, dim, start, stop, step);
}

Tensor apply_integer(const Tensor& t, int dim, int64_t index) {
  int64_t size = t.size(dim);
  if (index < -size || index >= size) {
    raise(PyExc_IndexError, "index ", index, " is out of bounds for dimension ", dim, " with size ", size);
  }
  return select(t, dim, index);
}

// The key as a flat list of entries.
std::vector<PyObject*> entries_of(PyObject* key) {
  if (!PyTuple_Check(key)) return {key};
  std::vector<PyObject*> result;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) result.push_back(PyTuple_GET_ITEM(key, i));
  return result;
}

// What remains after views: the viewed tensor and, per dimension, an index tensor or a null handle.
struct Selection {
  Tensor view;
  std::vector<Tensor> indices;
  bool has_indices = false;
};

Tensor index_tensor(PyObject* o) {
  if (is_tensor(o)) {
    Tensor t = Tensor::borrow(o);
    if (!is_integral(t.dtype()) && !is_bool(t.dtype())) {
      raise(PyExc_IndexError, "tensors used as indices must be long, int, byte or bool tensors");
    }
    return t;
  }
  Tensor t = tensor_from_python(o, std::nullopt);
  if (t.numel() == 0 && is_floating(t.dtype())) t = to_dtype(t, DType::Int64);
  if (!is_integral(t.dtype()) && !is_bool(t.dtype())) {
    raise(PyExc_IndexError, "tensors used as indices must be long, int, byte or bool tensors");
  }
  return t;
}

[[noreturn]] void raise_bad_key(PyObject* entry) {
  if (PyUnicode_Check(entry))
    raise(PyExc_TypeError, "new(): invalid data type 'str': a tensor is indexed by numbers, not by names");
  raise(PyExc_IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ",
        Py_TYPE(entry)->tp_name, ")");
}

Selection apply_key(const Tensor& self, PyObject* key) {
  std::vector<PyObject*> entries = entries_of(key);
  int used = 0;
  for (PyObject* e : entries) used += consumed_dims(e);
  if (used > self.ndim()) {
    if (self.ndim() == 0 && used == 1 && is_plain_integer(entries[0])) {
      raise(PyExc_IndexError,
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim tensor to a number");
    }
    raise(PyExc_IndexError, "too many indices for tensor of dimension ", self.ndim());
  }
  Selection s{self, {}, false};
  int dim = 0;
  auto put = [&](Tensor index) {
    s.indices.resize(static_cast<size_t>(std::max<int>(dim + 1, static_cast<int>(s.indices.size()))));
    s.indices[static_cast<size_t>(dim)] = std::move(index);
    s.has_indices = true;
  };
  bool seen_ellipsis = false;
  for (PyObject* e : entries) {
    if (is_plain_integer(e)) {
      s.view = apply_integer(s.view, dim, to_int(e));
    } else if (PySlice_Check(e)) {
      s.view = apply_slice(s.view, dim++, e);
    } else if (e == Py_None) {
      s.view = unsqueeze(s.view, dim++);
    } else if (e == Py_Ellipsis) {
      if (!seen_ellipsis) dim += self.ndim() - used;  // a second one stands for nothing
      seen_ellipsis = true;
    } else if (is_bool_index(e)) {
      s.view = unsqueeze(s.view, dim);
      put(full({}, Scalar::of_int(PyObject_IsTrue(e) == 1), DType::Bool));
      s.indices.back() = reshape(s.indices.back(), Dims{1});
      ++dim;
    } else if (is_array_index(e)) {
      Tensor index = index_tensor(e);
      bool mask = is_bool(index.dtype()) || index.dtype() == DType::UInt8;
      if (index.ndim() == 0 && !mask) {
        s.view = apply_integer(s.view, dim, load(index.dtype(), index->data).integer);
        continue;
      }
      if (index.ndim() == 0) {
        s.view = unsqueeze(s.view, dim);
        index = reshape(index, Dims{1});
      }
      int width = mask ? index.ndim() : 1;
      put(index);
      dim += width;
      if (width > 1) s.indices.resize(static_cast<size_t>(dim));
    } else {
      raise_bad_key(e);
    }
  }
  return s;
}

PyObject* keep_class(PyObject* self, Tensor result) {
  PyObject* object = to_python(std::move(result));
  if (Py_TYPE(self) == &TensorType) return object;
  PyTypeObject* subclass = subclass_of(&self, 1);
  return subclass ? as_subclass(subclass, object) : object;
}

// The value of an assignment as a tensor of the target's dtype.
Tensor value_tensor(PyObject* value, DType dtype) {
  if (is_tensor(value)) return Tensor::borrow(value);
  if (is_number(value)) return scalar_tensor(to_scalar(value), dtype);
  return tensor_from_python(value, std::nullopt);
}

// Leading dimensions of size 1 beyond the target's are dropped, as PyTorch does.
Tensor drop_leading_ones(const Tensor& value, int ndim) {
  Tensor v = value;
  while (v.ndim() > ndim && v.size(0) == 1) v = select(v, 0, 0);
  return v;
}

}  // namespace

Py_ssize_t tensor_length(PyObject* self) {
  return guarded(
      [&]() -> Py_ssize_t {
        auto* t = reinterpret_cast<TensorObject*>(self);
        if (t->ndim == 0) raise(PyExc_TypeError, "len() of a 0-d tensor");
        return t->sizes()[0];
      },
      Py_ssize_t{-1});
}

PyObject* tensor_subscript(PyObject* self, PyObject* key) {
  return guarded([&] {
    if (may_have_a_say(self) && classes_of(&self, 1).override)
      return call_override_of_operator("__getitem__", checked(PyTuple_Pack(2, self, key)));
    Tensor t = Tensor::borrow(self);
    if (PyLong_CheckExact(key) && t.ndim() > 0) return keep_class(self, apply_integer(t, 0, to_int(key)));
    Selection s = apply_key(t, key);
    if (s.has_indices) return keep_class(self, index(s.view, s.indices));
    if (s.view.get() == t.get()) s.view = view_as_alias(t);
    return keep_class(self, std::move(s.view));
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(
      [&]() -> int {
        if (!value) raise(PyExc_TypeError, "Tensor does not support deleting items");
        if (may_have_a_say(self) && classes_of(&self, 1).override) {
          Py_DECREF(call_override_of_operator("__setitem__", checked(PyTuple_Pack(3, self, key, value))));
          return 0;
        }
        Tensor t = Tensor::borrow(self);
        Tensor v = value_tensor(value, t.dtype());
        if (key == Py_False) return 0;  // selects nothing, so any shape will do
        Selection s = apply_key(t, key);
        if (s.has_indices) {
          index_put_(s.view, s.indices, v, false);
        } else {
          copy_(s.view, drop_leading_ones(v, s.view.ndim()));
        }
        return 0;
      },
      -1);
}

int tensor_contains(PyObject* self, PyObject* value) {
  return guarded(
      [&]() -> int {
        if (!is_tensor(value) && !is_number(value)) {
          raise(PyExc_RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a ",
                Py_TYPE(value)->tp_name, ".");
        }
        GradModeScope off(false);
        Operand operands[2] = {to_operand(self), to_operand(value)};
        Tensor found = any(elementwise(OpId::eq, std::span<const Operand>(operands, 2)), Dims(), false);
        return load(DType::Bool, found->data).integer != 0;
      },
      -1);
}

}  // namespace chainrule
