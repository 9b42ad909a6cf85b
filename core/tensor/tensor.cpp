// Making, describing and freeing tensors.
#include "tensor/tensor.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/checked_size.hpp"
#include "tensor/memory_order.hpp"
#include "tensor/onlookers.hpp"
#include "tensor/python_call.hpp"
#include "tensor/slab.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {
namespace {

using TensorSlab = Slab<TensorObject>;
int64_t live = 0;

TensorObject* blank_tensor() {
  TensorObject* t = TensorSlab::allocate(&TensorType);
  t->storage = nullptr;
  t->node = nullptr;
  t->grad = nullptr;
  t->numel = 0;
  t->ndim = 0;
  t->flags = kFromSlab;
  t->output_number = 0;
  t->dict = nullptr;
  t->weakrefs = nullptr;
  t->base = nullptr;
  t->view_epoch = t->epoch = 0;
  t->extras = nullptr;
  ++live;
  return t;
}

void free_dims(TensorObject* t) {
  if (t->ndim > TensorObject::kInlineDims) delete[] t->heap_dims;
}

void free_extras(TensorObject* t) {
  TensorExtras* r = std::exchange(t->extras, nullptr);
  if (!r) return;
  Py_CLEAR(r->hooks);
  Py_CLEAR(r->post_hooks);
  Py_CLEAR(r->pending);
  Py_CLEAR(r->tangent);
  Py_CLEAR(r->forward_base);
  Py_CLEAR(r->name);
  delete r;
}

bool strides_are_contiguous(Span sizes, Span strides, int64_t numel) {
  if (numel == 0) return true;
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

// Dimensions from the innermost in memory to the outermost, as PyTorch's TensorIterator orders a fresh output: the
// first operand decides that is not broadcast along either of two dimensions.
Dims memory_order(Span sizes, std::span<const Dims> operands) {
  auto must_swap = [&](int64_t inner, int64_t outer) {
    for (const Dims& strides : operands) {
      int64_t a = strides[static_cast<int>(inner)], b = strides[static_cast<int>(outer)];
      if (a == 0 || b == 0) continue;
      if (a != b) return a < b ? -1 : 1;
      if (sizes[inner] > sizes[outer]) return 1;
    }
    return 0;
  };
  // Insertion sort on the reversed list: stable for ties, quits at the first decided comparison.
  Dims reversed(static_cast<int>(sizes.size()));
  for (int i = 0; i < reversed.size(); ++i) reversed[i] = reversed.size() - 1 - i;
  for (int i = 1; i < reversed.size(); ++i) {
    int at = i;
    for (int j = i - 1; j >= 0; --j) {
      int verdict = must_swap(reversed[j], reversed[at]);
      if (verdict > 0) {
        std::swap(reversed[j], reversed[at]);
        at = j;
      } else if (verdict < 0) {
        break;
      }
    }
  }
  return reversed;
}

void check_same_length(Span sizes, Span strides) {
  check(strides.size() == sizes.size(), "dimensionality of sizes (", sizes.size(),
        ") must match dimensionality of strides (", strides.size(), ")");
}

// From the first element to the end of the last.
int64_t strided_bytes(Span sizes, Span strides, DType dtype) {
  check_same_length(sizes, strides);
  if (count(sizes) == 0) return 0;
  int64_t extent = 1, reach, bytes;
  bool overflow = false;
  for (size_t i = 0; i < sizes.size(); ++i)
    overflow |=
        __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) || __builtin_add_overflow(extent, reach, &extent);
  if (overflow || __builtin_mul_overflow(extent, static_cast<int64_t>(size_of(dtype)), &bytes)) {
    raise(PyExc_RuntimeError, "Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  }
  return bytes;
}

// A tensor's gradient may have one of its own, and so on: freed one after another, not by recursion.
void free_grad(TensorObject* t) {
  TensorObject* g = std::exchange(t->grad, nullptr);
  while (g) {
    TensorObject* next = Py_REFCNT((PyObject*)g) == 1 ? std::exchange(g->grad, nullptr) : nullptr;
    Py_DECREF((PyObject*)g);
    g = next;
  }
}

}  // namespace

int64_t live_tensors() { return live; }

int64_t unresolved_tensors = 0, onlookers = 0;
void set_bits(TensorObject* t, uint16_t bits) {
  int change = (bits != 0) - (t->bits() != 0);
  unresolved_tensors += change;
  onlookers += change;
  t->flags = static_cast<uint16_t>((t->flags & ~kUnresolved) | bits);
}

std::string shape_text(Span sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

int64_t count(Span sizes) {
  int64_t n = 1;
  bool zero = false, overflow = false;
  for (int64_t s : sizes) {
    if (s < 0) raise(PyExc_RuntimeError, "Trying to create tensor with negative dimension ", s, ": ", sizes);
    zero |= s == 0;
    overflow |= __builtin_mul_overflow(n, s, &n);
  }
  if (zero) return 0;
  if (overflow || n > (int64_t{1} << 58)) {
    raise(PyExc_RuntimeError, "Storage size calculation overflowed with sizes=", sizes);
  }
  return n;
}

Dims contiguous_strides(Span sizes) {
  Dims strides(static_cast<int>(sizes.size()));
  int64_t step = 1;
  bool overflow = false;  // where a size is 0, the others may be as large as they like, but not their strides
  for (int i = strides.size(); i-- > 0;) {
    if (overflow) raise(PyExc_RuntimeError, "Stride calculation overflowed: sizes ", sizes);
    strides[i] = step;
    overflow = __builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step);
  }
  return strides;
}

bool is_dense(Span sizes, Span strides) {
  Dims laid_out(strides);
  int64_t expected = 1;
  for (int64_t d : memory_order(sizes, {&laid_out, 1})) {
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Dims dense_strides_like(const Tensor& like) {
  if (like.is_contiguous() || is_dense(like.sizes(), like.strides())) return Dims(like.strides());
  Dims laid_out(like.strides());
  return dense_strides(like.sizes(), {&laid_out, 1});
}

Dims dense_strides(Span sizes, std::span<const Dims> operands) {
  Dims strides(static_cast<int>(sizes.size()));
  int64_t step = 1;
  for (int64_t d : memory_order(sizes, operands)) {
    strides[static_cast<int>(d)] = step;
    step = wrapped(step, std::max<int64_t>(sizes[d], 1));
  }
  return strides;
}

int wrap_dim(int64_t dim, int ndim) {
  int64_t range = std::max(ndim, 1);
  if (dim < -range || dim >= range) {
    raise(PyExc_IndexError, "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
          "], but got ", dim, ")");
  }
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

void set_layout(TensorObject* t, Span sizes, Span strides) {
  auto n = static_cast<int>(sizes.size());
  if (n > 64) raise(PyExc_RuntimeError, "a tensor has at most 64 dimensions, but this one would have ", n);
  check_same_length(sizes, strides);
  int64_t numel = count(sizes);
  if (n > TensorObject::kInlineDims) {
    auto* dims = new int64_t[2 * n];
    std::copy(sizes.begin(), sizes.end(), dims);
    std::copy(strides.begin(), strides.end(), dims + n);
    free_dims(t);
    t->heap_dims = dims;
  } else {
    // The new spans may point into this very object.
    int64_t copy[2 * TensorObject::kInlineDims];
    std::copy(sizes.begin(), sizes.end(), copy);
    std::copy(strides.begin(), strides.end(), copy + TensorObject::kInlineDims);
    free_dims(t);
    std::copy(copy, copy + n, t->inline_dims);
    std::copy(copy + TensorObject::kInlineDims, copy + TensorObject::kInlineDims + n,
              t->inline_dims + TensorObject::kInlineDims);
  }
  t->ndim = static_cast<uint8_t>(n);
  t->numel = numel;
  bool contiguous = strides_are_contiguous({t->sizes(), size_t(n)}, {t->strides(), size_t(n)}, numel);
  t->flags = contiguous ? t->flags | kContiguous : t->flags & ~kContiguous;
}

Tensor empty(Span sizes, DType dtype) {
  int64_t numel = count(sizes);
  if (!numel) contiguous_strides(sizes);  // raises where no tensor without elements can have them
  Storage* storage = Storage::make(numel * static_cast<int64_t>(size_of(dtype)));
  TensorObject* t = blank_tensor();
  t->storage = storage;
  t->data = storage->data;
  t->dtype = dtype;
  t->numel = numel;
  Tensor result = Tensor::steal(t);
  auto n = static_cast<int>(sizes.size());
  if (n <= TensorObject::kInlineDims) {
    t->ndim = static_cast<uint8_t>(n);
    t->flags |= kContiguous;
    uint64_t step = 1;  // may wrap around after the last stride
    for (int i = n; i-- > 0;) {
      t->inline_dims[i] = sizes[i];
      t->inline_dims[TensorObject::kInlineDims + i] = static_cast<int64_t>(step);
      step *= static_cast<uint64_t>(std::max<int64_t>(sizes[i], 1));
    }
  } else {
    set_layout(t, sizes, contiguous_strides(sizes));
  }
  return result;
}

Tensor empty_as(const TensorObject* like, DType dtype) {
  if (like->ndim > TensorObject::kInlineDims) return empty({like->sizes(), like->ndim}, dtype);
  Storage* storage = Storage::make(like->numel * static_cast<int64_t>(size_of(dtype)));
  TensorObject* t = blank_tensor();
  t->storage = storage;
  t->data = storage->data;
  t->dtype = dtype;
  t->numel = like->numel;
  t->ndim = like->ndim;
  t->flags = kFromSlab | kContiguous;
  uint64_t step = 1;
  for (int i = like->ndim; i-- > 0;) {
    int64_t size = like->inline_dims[i];
    t->inline_dims[i] = size;
    t->inline_dims[TensorObject::kInlineDims + i] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(std::max<int64_t>(size, 1));
  }
  return Tensor::steal(t);
}

Tensor empty_strided(Span sizes, Span strides, DType dtype) {
  Storage* storage = Storage::make(strided_bytes(sizes, strides, dtype));
  TensorObject* t = blank_tensor();
  t->storage = storage;
  t->data = storage->data;
  t->dtype = dtype;
  Tensor result = Tensor::steal(t);
  set_layout(t, sizes, strides);
  return result;
}

Tensor tensor_over(Storage* storage, Span sizes, Span strides, int64_t offset, DType dtype) {
  TensorObject* t = blank_tensor();
  storage->retain();
  t->storage = storage;
  t->data = storage->data + wrapped(offset, static_cast<int64_t>(size_of(dtype)));
  t->dtype = dtype;
  Tensor result = Tensor::steal(t);
  set_layout(t, sizes, strides);
  return result;
}

Tensor alias(const Tensor& source) {
  TensorObject* t = blank_tensor();
  t->storage = source->storage;
  t->storage->retain();
  t->data = source->data;
  t->dtype = source->dtype;
  Tensor result = Tensor::steal(t);
  if (source.ndim() <= TensorObject::kInlineDims) {
    t->numel = source->numel;
    t->ndim = source->ndim;
    t->flags |= source->flags & kContiguous;
    std::memcpy(t->inline_dims, source->inline_dims, sizeof t->inline_dims);
  } else {
    set_layout(t, source.sizes(), source.strides());
  }
  if (source->bits()) set_bits(t, source->bits());
  return result;
}

Tensor alias_as(PyTypeObject* type, const Tensor& source) {
  if (type == &TensorType) return alias(source);
  auto* t = reinterpret_cast<TensorObject*>(checked(type->tp_alloc(type, 0)));  // tracked and zeroed by Python
  ++live;
  t->storage = source->storage;
  t->storage->retain();
  t->data = source->data;
  t->dtype = source->dtype;
  Tensor result = Tensor::steal(t);
  set_layout(t, source.sizes(), source.strides());
  set_bits(t, source->bits());
  return result;
}

void mark_relaid(TensorObject* t) { extras_of(t)->relaid_at = next_sequence; }

void replace_data(TensorObject* t, const Tensor& source) {
  Span sizes(t->sizes(), t->ndim);
  bool same_kind = t->dtype == source.dtype() && equal(sizes, source.sizes());
  if (!same_kind || (t->has(kContiguous) && !source.is_contiguous())) mark_relaid(t);
  Storage* old = t->storage;
  source->storage->retain();
  t->storage = source->storage;
  t->data = source->data;
  t->dtype = source->dtype;
  await_kernels();  // one may read what is let go
  if (old) old->release();
  set_layout(t, source.sizes(), source.strides());
  set_bits(t, source->bits());
}

void resize(const Tensor& t, Span sizes) {
  Dims strides = contiguous_strides(sizes);
  int64_t numel = count(sizes);
  // A view of no elements may stand anywhere, beyond its storage too.
  int64_t bytes = numel ? ((CheckedSize(t.offset()) + numel) * static_cast<int64_t>(size_of(t.dtype()))).value() : 0;
  Storage* storage = t->storage;
  if (bytes > storage->bytes) {
    if (!storage->resizable) raise(PyExc_RuntimeError, "Trying to resize storage that is not resizable");
    Tensor fresh = empty(Dims{bytes}, DType::UInt8);
    const auto kept = static_cast<size_t>(storage->bytes);
    if (!is_host_memory(storage->device)) {
      cuda::write(fresh->data, storage->data, kept);
    } else if (ElementScope open; storage->device != Device::Meta) {
      std::memcpy(fresh->data, storage->data, kept);
    }
    await_kernels();  // one may read what is let go
    int64_t offset = t->data - storage->data;
    fresh->storage->version = storage->version;
    fresh->storage->written_at = storage->written_at;
    std::swap(t->storage, fresh->storage);
    t->data = t->storage->data + offset;
  }
  if (!equal(t.sizes(), sizes)) mark_relaid(t.get());
  set_layout(t.get(), sizes, strides);
}

TensorExtras* extras_of(TensorObject* t) {
  if (!t->extras) t->extras = new TensorExtras();
  return t->extras;
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* t = reinterpret_cast<TensorObject*>(self);
  Py_VISIT((PyObject*)t->node);
  Py_VISIT((PyObject*)t->grad);
  Py_VISIT((PyObject*)t->base);
  Py_VISIT(t->dict);
  if (TensorExtras* r = t->extras) {
    Py_VISIT(r->hooks);
    Py_VISIT(r->post_hooks);
    Py_VISIT((PyObject*)r->pending);
    Py_VISIT((PyObject*)r->tangent);
    Py_VISIT((PyObject*)r->forward_base);
  }
  return 0;
}

int tensor_clear(PyObject* self) {
  auto* t = reinterpret_cast<TensorObject*>(self);
  Py_CLEAR(t->node);
  Py_CLEAR(t->grad);
  Py_CLEAR(t->base);
  Py_CLEAR(t->dict);
  free_extras(t);
  return 0;
}

namespace {

void free_tensor(TensorObject* t) {
  auto* self = reinterpret_cast<PyObject*>(t);
  if (t->node) Py_DECREF((PyObject*)std::exchange(t->node, nullptr));
  if (t->grad) free_grad(t);
  if (t->base) Py_DECREF((PyObject*)std::exchange(t->base, nullptr));
  if (t->extras) free_extras(t);
  if (t->storage) t->storage->release();
  if (t->bits()) set_bits(t, 0);
  free_dims(t);
  --live;
  if (t->flags & kFromSlab) {
    TensorSlab::release(t);
  } else {
    Py_TYPE(self)->tp_free(self);
  }
}

// A tensor whose end runs code of the user's: callbacks of references, the end of what hangs on it, a subclass.
[[gnu::noinline]] void free_watched_tensor(TensorObject* t) {
  if (t->weakrefs) PyObject_ClearWeakRefs(reinterpret_cast<PyObject*>(t));
  if (t->dict) Py_DECREF(std::exchange(t->dict, nullptr));
  free_tensor(t);
  settle_quietly();
}

}  // namespace

void tensor_dealloc(PyObject* self) {
  auto* t = reinterpret_cast<TensorObject*>(self);
  if (gc::is_tracked(self)) gc::untrack(self);
  if (t->weakrefs || t->dict || !t->has(kFromSlab)) return free_watched_tensor(t);
  free_tensor(t);
}

}  // namespace chainrule
