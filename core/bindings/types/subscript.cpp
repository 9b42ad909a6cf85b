// x[...] and x[...] = y: integers, slices, None and Ellipsis give views; tensors and lists of indices are gathered.
#include "bindings/types/subscript.hpp"

#include "autograd/record.hpp"
#include "bindings/calls/batched.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/from_python.hpp"
#include "bindings/calls/unresolved.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/indexing/index.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

bool is_bool_index(PyObject* o) { return PyBool_Check(o) || is_numpy_bool(o); }

bool is_plain_integer(PyObject* o) {
  if (PyLong_CheckExact(o)) return true;
  return !is_tensor(o) && !is_bool_index(o) && is_index(o) && !PySequence_Check(o);  // arrays have __index__ too
}

// An index that stands for a tensor: a tensor, a list, a range, an array.
bool is_array_index(PyObject* o) {
  if (is_tensor(o)) return true;
  return !is_number(o) && (PyObject_CheckBuffer(o) || (PySequence_Check(o) && !PyUnicode_Check(o)));
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

// A second ellipsis stands for as many dimensions as the first, an array that is a mask for more than were counted.
void check_within(const Tensor& view, int dim, int uses) {
  if (dim + uses <= view.ndim()) return;
  raise(PyExc_IndexError, "too many indices for tensor of dimension ", view.ndim(), ": an index stands at ", dim);
}

// `whole`: give the tensor itself where all of the dimension is asked for.
Tensor apply_slice(const Tensor& t, int dim, PyObject* key, bool whole) {
  Py_ssize_t start, stop, step;
  checked(PySlice_Unpack(key, &start, &stop, &step));
  check_within(t, dim, 1);  // an __index__ may have changed the tensor itself
  if (step <= 0) raise(PyExc_ValueError, "step must be greater than zero");
  if (whole && start == 0 && stop >= t.size(dim) && step == 1) return t;
  PySlice_AdjustIndices(t.size(dim), &start, &stop, step);
  return slice(t, dim, start, stop, step);
}

// `original`: which dimension of the indexed tensor this was.
Tensor apply_integer(const Tensor& t, int dim, int64_t index, int original) {
  check_within(t, dim, 1);
  int64_t size = t.size(dim);
  if (index < -size || index >= size) {
    raise(PyExc_IndexError, "index ", index, " is out of bounds for dimension ", original, " with size ", size);
  }
  return select(t, dim, index);
}

// Whether a key that is a sequence, though no tuple, is meant as one: it holds what only a tuple of indices would.
bool is_meant_as_tuple(PyObject* key) {
  if (is_tensor(key) || PyObject_CheckBuffer(key) || !PySequence_Check(key) || PyUnicode_Check(key)) return false;
  Py_ssize_t n = PySequence_Size(key);
  settle();
  if (n < 0) PyErr_Clear();
  bool found = false;
  for (Py_ssize_t i = 0; i < n && n < 32 && !found; ++i) {
    PyObject* item = from_python(PySequence_GetItem(key, i));
    found = is_tensor(item) || PySequence_Check(item) || PySlice_Check(item) || item == Py_Ellipsis || item == Py_None;
    Py_DECREF(item);
  }
  return found;
}

// The entries of a key; owned by it, or by `tuple`.
class Entries {
 public:
  explicit Entries(PyObject* key) : single_(key) {
    if (PyTuple_Check(key)) {
      tuple_ = Py_NewRef(key);
    } else if (is_meant_as_tuple(key)) {
      from_python(
          PyErr_WarnEx(PyExc_UserWarning,
                       "Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] "
                       "instead of x[seq].",
                       1));
      tuple_ = from_python(PySequence_Tuple(key));
    }
  }
  ~Entries() { Py_XDECREF(tuple_); }
  Entries(const Entries&) = delete;

  PyObject* const* begin() const { return tuple_ ? &PyTuple_GET_ITEM(tuple_, 0) : &single_; }
  PyObject* const* end() const { return begin() + (tuple_ ? PyTuple_GET_SIZE(tuple_) : 1); }

 private:
  PyObject *single_, *tuple_ = nullptr;
};

// What remains after views: the viewed tensor and a list of indices as index() takes it.
struct Selection {
  Tensor view;
  std::vector<Tensor> indices;
  int covered = 0;  // how many dimensions the list stands for

  void put(Tensor index, int dim, int width) {
    indices.resize(indices.size() + static_cast<size_t>(dim - covered));
    indices.push_back(std::move(index));
    covered = dim + width;
  }
};

bool is_mask(const Tensor& index) { return is_bool(index.dtype()) || index.dtype() == DType::UInt8; }

Tensor index_tensor(PyObject* o) {
  Tensor t = is_tensor(o) ? Tensor::borrow(o) : index_from_python(o);
  if (t.dtype() == DType::UInt8 && t.ndim()) {
    from_python(
        PyErr_WarnEx(PyExc_UserWarning,
                     "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.", 1));
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

[[noreturn]] void raise_too_many(const Tensor& self, PyObject* key) {
  if (self.ndim() == 0 && is_plain_integer(key)) {
    raise(PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
          "convert a 0-dim tensor to a number");
  }
  Py_ssize_t start, stop, step;
  if (self.ndim() == 0 && PySlice_Check(key)) checked(PySlice_Unpack(key, &start, &stop, &step));
  if (self.ndim() == 0 && PySlice_Check(key)) raise(PyExc_IndexError, "slice() cannot be applied to a 0-dim tensor.");
  raise(PyExc_IndexError, "too many indices for tensor of dimension ", self.ndim());
}

// What a bool selects from a dimension of size 1: it, or nothing.
Tensor position_of(bool b) { return zeros(Dims{b}, DType::Int64); }

// As in PyTorch, a slice of all is no view of its own, unless it is all of the key: x[:] is a slice, x[:, 0] a select.
Selection apply_key(const Tensor& self, PyObject* key, bool assigned = false) {
  Entries entries(key);
  bool whole = assigned || PyTuple_Check(key);
  int used = 0, ndim = self.ndim();
  for (PyObject* e : entries) used += consumed_dims(e);
  if (used > ndim) raise_too_many(self, key);
  Selection s{self, {}};
  int dim = 0, original = 0;  // the next dimension of the view, and of self
  for (PyObject* e : entries) {
    int here = original, uses = consumed_dims(e);
    original += uses;
    check_within(s.view, dim, uses);
    if (is_plain_integer(e)) {
      s.view = apply_integer(s.view, dim, to_int(e), here);
    } else if (PySlice_Check(e)) {
      s.view = apply_slice(s.view, dim, e, whole), ++dim;
    } else if (e == Py_None) {
      s.view = unsqueeze(s.view, dim++);
    } else if (e == Py_Ellipsis) {
      dim += ndim - used;
      original += ndim - used;
    } else if (is_bool_index(e)) {
      s.view = unsqueeze(s.view, dim);
      s.put(position_of(from_python(PyObject_IsTrue(e)) == 1), dim++, 1);
    } else if (is_array_index(e)) {
      Tensor index = resolved(index_tensor(e));
      bool mask = is_mask(index);
      if (index.ndim() == 0 && !mask && is_integral(index.dtype())) {
        s.view = apply_integer(s.view, dim, item(index).integer, here);
        continue;
      }
      if (index.ndim() == 0 && mask) {
        s.view = unsqueeze(s.view, dim);
        index = position_of(item(index).integer != 0);
        mask = false;
      }
      int width = mask ? index.ndim() : 1;
      s.put(index, dim, width);
      dim += width;
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
  int overflow = 0;
  if (dtype == DType::Int64 && PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow) raise(PyExc_ValueError, "Overflow when unpacking long long");
  if (is_number(value)) return scalar_tensor(to_scalar(value), dtype);
  raise(PyExc_TypeError, "can't assign a ", Py_TYPE(value)->tp_name, " to a torch.", facts(dtype).tensor_name,
        "Tensor: make a tensor of it first");
}

// Leading dimensions of size 1 beyond the target's are dropped, as PyTorch does.
Tensor drop_leading_ones(const Tensor& value, int ndim) {
  Tensor v = value;
  while (v.ndim() > ndim && v.size(0) == 1) v = select(v, 0, 0);
  return v;
}

bool is_key_elsewhere(PyObject* key) { return storages_elsewhere > 0 && classes_of(&key, 1).only_elsewhere; }

// Raises as expand does.
void check_expands(const Tensor& value, Span sizes) {
  if (value.ndim() == 0 || equal(value.sizes(), sizes)) return;
  GradModeScope off(false);
  expand(value, sizes);
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
    if (vmap_depth > 0 && holds_batched(key)) [[unlikely]]
      return subscript_batched(self, key);
    if ((may_have_a_say(self) && classes_of(&self, 1).override) || is_key_elsewhere(key))
      return call_override_of_operator("__getitem__", checked(PyTuple_Pack(2, self, key)));
    Tensor t = Tensor::borrow(self);
    if (PyLong_CheckExact(key) && t.ndim() > 0) return keep_class(self, apply_integer(t, 0, to_int(key), 0));
    Selection s = apply_key(t, key);
    if (!s.indices.empty()) return keep_class(self, index(resolved(s.view), s.indices));
    if (s.view.get() == t.get()) s.view = view_as_alias(t);
    return keep_class(self, std::move(s.view));
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return guarded(
      [&]() -> int {
        if (!value) raise(PyExc_TypeError, "Tensor does not support deleting items");
        if (vmap_depth > 0 && (holds_batched(key) || is_batched(value))) [[unlikely]] {
          Py_DECREF(assign_batched(self, key, value));
          return 0;
        }
        // Within call_on() nobody asks any more where things are.
        const bool from_elsewhere = Storage::making.device == Device::CPU && is_tensor(value) &&
                                    device_of_argument(value) != device_of_argument(self);
        if (from_elsewhere || (may_have_a_say(self) && classes_of(&self, 1).override) || is_key_elsewhere(key)) {
          Py_DECREF(call_override_of_operator("__setitem__", checked(PyTuple_Pack(3, self, key, value))));
          return 0;
        }
        Tensor t = Tensor::borrow(self);
        Tensor v = value_tensor(value, t.dtype());
        if (key == Py_False) return 0;  // selects nothing, so any shape will do
        Selection s = key == Py_True ? Selection{unsqueeze(t, 0), {}} : apply_key(t, key, true);
        if (!s.indices.empty()) {
          Tensor target = resolved(s.view);
          index_put(target, s.indices, drop_leading_ones(resolved(v), 0), false, Place::Itself);
          if (target.get() != s.view.get()) copy_(s.view, target);
        } else if (s.view.get() == t.get() && v.ndim() == 0 && t.ndim() > 0 && !t->bits() && !v->bits()) {
          fill(t, v, Place::Itself);
        } else {
          v = drop_leading_ones(v, s.view.ndim());
          check_expands(v, s.view.sizes());
          copy_(s.view, v);
        }
        return 0;
      },
      -1);
}

int tensor_contains(PyObject* self, PyObject* value) {
  return guarded(
      [&]() -> int {
        if (!is_tensor(value) && !is_number(value)) {
          raise(PyExc_RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '",
                Py_TYPE(value)->tp_name, "'>.");
        }
        if (is_meta(self)) raise(PyExc_RuntimeError, "Tensor.item() cannot be called on meta tensors");
        GradModeScope off(false);
        DeviceScope there(device_of_argument(self));
        Tensor own = is_sparse(self) ? call_sparse("dense", Tensor::borrow(self)) : resolved_argument(self);
        Tensor sought = is_tensor(value) ? resolved_argument(value) : Tensor();
        Operand operands[2] = {to_operand(own.py()), to_operand(sought ? sought.py() : value)};
        Tensor found = any(elementwise(OpId::eq, std::span<const Operand>(operands, 2)), Dims(), false);
        return item(found).integer != 0;
      },
      -1);
}

}  // namespace chainrule
