// What a tensor is: a Python object that pairs a storage with a layout and knows how it was calculated.
#pragma once
#include <Python.h>

#include <utility>

#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"
#include "tensor/gc.hpp"
#include "tensor/storage.hpp"

namespace chainrule {

struct Node;
struct TensorObject;

enum TensorFlag : uint16_t {
  kRequiresGrad = 1,      // a leaf whose gradient is wanted
  kRetainsGrad = 2,       // a non-leaf that keeps its gradient
  kFromSlab = 4,          // memory comes from our slab (exact Tensor), not from the type's allocator
  kContiguous = 8,        // strides are those of a fresh tensor of this shape
  kViewNoGrad = 16,       // a view made while recording was off
  kViewOfMany = 32,       // one of several views made by one call (split, unbind, chunk)
  kCaptured = 64,         // an input of the running autograd.grad
  kInference = 128,       // made under inference_mode
  kFreshGrad = 256,       // its .grad was first written by the running backward
  kCut = 512,             // its value left the graph; see autograd/cut.hpp
  kViewCustom = 1024,     // a view that a function written in Python gave out, with a gradient of its own
  kViewInference = 2048,  // a view made under inference_mode
  kDetached = 4096,       // detach_() took its history
  kConj = 8192,           // shows the conjugates of what lies in memory; see Note [Unresolved tensors]
  kNeg = 16384,           // shows the negatives of what lies in memory
};
// Views whose history cannot follow a write; so cannot that of views of them.
inline constexpr uint16_t kUnwritableView = kViewNoGrad | kViewOfMany | kViewCustom | kViewInference;

// Note [Unresolved tensors]
// x.conj() shares memory with x and shows its conjugates; x.conj().imag shows negatives. Such a tensor has a bit, and
// is resolved by a copy that has none. Views pass the bits on (link_view, alias), copies settle them (copy_elements),
// and no other operation knows them: where Python's arguments come in, an operation that is not on the list gets
// resolved tensors, and what it wrote is copied back (bindings/calls/unresolved.hpp). So does the engine with gradients
// that Python gives it. Doors look at arguments only while an unresolved tensor is alive.
constexpr uint16_t kUnresolved = kConj | kNeg;
extern int64_t unresolved_tensors;  // how many are alive

// What few tensors have. Owned by the tensor; null for most.
struct TensorExtras {
  PyObject* hooks = nullptr;        // strong: dict of tensor hooks, by handle id
  PyObject* post_hooks = nullptr;   // strong: dict of hooks that run after accumulation
  Node* accumulator = nullptr;      // weak: the AccumulateGrad node shown in next_functions
  TensorObject* pending = nullptr;  // strong: gradient summed so far in the running backward
  uint32_t run = 0;                 // the backward that `pending` belongs to
  TensorObject* tangent = nullptr;  // strong: forward-mode derivative
  uint32_t tangent_level = 0;
  TensorObject* forward_base = nullptr;  // strong: see autograd/forward_mode.hpp
  uint32_t forward_level = 0;            // the dual level that `forward_base` belongs to
  uint64_t detached_at = 0;              // the number of the next node when detach_() was called
  PyObject* name = nullptr;              // strong
  // dtype that the gradient is kept in: kOwnDType, kAnyDType, or a DType
  int8_t grad_dtype = kOwnDType;
  static constexpr int8_t kOwnDType = -1, kAnyDType = -2;
  SourceLine cut;                // where this value left the graph
  const char* cut_by = nullptr;  // "detach", "item", "no_grad" ...
  SourceLine cleared;            // where .grad was set to None last
  uint64_t relaid_at = 0;        // next_sequence when it was last laid out anew; see Note [Tensors laid out anew]
};

struct TensorObject {
  PyObject_HEAD
  Storage* storage;    // strong; null only for a tensor that never got data
  char* data;          // storage->data plus the offset
  Node* node;          // strong: the grad_fn, null for a leaf
  TensorObject* grad;  // strong
  int64_t numel;
  DType dtype;
  uint8_t ndim;
  uint16_t flags;
  uint32_t output_number;  // which output of `node` this is
  union {
    int64_t inline_dims[2 * 5];  // sizes, then strides from kInlineDims on
    int64_t* heap_dims;          // 2 * ndim entries when ndim > kInlineDims
  };
  PyObject* dict;
  PyObject* weakrefs;
  TensorObject* base;    // strong: the tensor this one is a view of (never itself a view)
  uint32_t view_epoch;   // base's history epoch that `node` was made for; see Note [Views and history]
  uint32_t epoch;        // how often an in-place write rewrote this tensor's history through a view
  TensorExtras* extras;  // owned

  static constexpr int kInlineDims = 5;
  const int64_t* sizes() const { return ndim <= kInlineDims ? inline_dims : heap_dims; }
  const int64_t* strides() const { return ndim <= kInlineDims ? inline_dims + kInlineDims : heap_dims + ndim; }
  bool has(TensorFlag f) const { return flags & f; }
  uint16_t bits() const { return flags & kUnresolved; }
  // Whether it was laid out anew after node number `since`.
  bool was_relaid(uint64_t since) const { return extras && extras->relaid_at > since; }
};

extern PyTypeObject TensorType;  // filled in by the bindings

inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == &TensorType || PyType_IsSubtype(Py_TYPE(o), &TensorType); }

// An owning handle; the C++ side's `Tensor`. Copying counts references, so it needs Python's lock.
class Tensor {
 public:
  Tensor() = default;
  static Tensor steal(TensorObject* t) {
    Tensor result;
    result.object_ = t;
    return result;
  }
  static Tensor borrow(TensorObject* t) { return steal(reinterpret_cast<TensorObject*>(Py_XNewRef((PyObject*)t))); }
  static Tensor borrow(PyObject* t) { return borrow(reinterpret_cast<TensorObject*>(t)); }
  Tensor(const Tensor& other) : object_(other.object_) { Py_XINCREF((PyObject*)object_); }
  Tensor(Tensor&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Tensor() { Py_XDECREF((PyObject*)object_); }

  explicit operator bool() const { return object_ != nullptr; }
  TensorObject* get() const { return object_; }
  TensorObject* operator->() const { return object_; }
  TensorObject* release() { return std::exchange(object_, nullptr); }
  PyObject* py() const { return reinterpret_cast<PyObject*>(object_); }
  PyObject* release_py() { return reinterpret_cast<PyObject*>(release()); }

  DType dtype() const { return object_->dtype; }
  int ndim() const { return object_->ndim; }
  int64_t numel() const { return object_->numel; }
  Span sizes() const { return {object_->sizes(), object_->ndim}; }
  Span strides() const { return {object_->strides(), object_->ndim}; }
  int64_t size(int i) const { return object_->sizes()[i]; }
  int64_t stride(int i) const { return object_->strides()[i]; }
  bool is_contiguous() const { return object_->has(kContiguous); }
  // Offset of the first element in its storage, in elements.
  int64_t offset() const {
    return (object_->data - object_->storage->data) / static_cast<int64_t>(size_of(object_->dtype));
  }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(object_->data);
  }
  // By address, since .data shares memory under a storage of its own.
  bool same_storage(const Tensor& other) const { return object_->storage->data == other->storage->data; }

 private:
  TensorObject* object_ = nullptr;
};

// A fresh contiguous tensor with undefined content.
Tensor empty(Span sizes, DType dtype);
// A fresh contiguous tensor of the shape that `like`, itself contiguous, has; the quick way to a small result.
Tensor empty_as(const TensorObject* like, DType dtype);
// A fresh tensor with the given dense strides (see dense_strides_like).
Tensor empty_strided(Span sizes, Span strides, DType dtype);
// A tensor over `storage` (a new reference is taken) starting `offset` elements in; no history.
Tensor tensor_over(Storage* storage, Span sizes, Span strides, int64_t offset, DType dtype);
// The same bytes and layout without history.
Tensor alias(const Tensor& t);
// Like alias, as an instance of a Python subclass.
Tensor alias_as(PyTypeObject* type, const Tensor& t);

// Makes `t` hold what `source` holds (storage, layout, dtype), keeping its identity.
void replace_data(TensorObject* t, const Tensor& source);
void set_layout(TensorObject* t, Span sizes, Span strides);
// Makes `t` show its memory conjugated or negated, or (no bits) as it is.
void set_bits(TensorObject* t, uint16_t bits);
// Resizes in place, contiguous; reallocates when the storage is too small.
void resize(const Tensor& t, Span sizes);

TensorExtras* extras_of(TensorObject* t);  // makes it on first use
void mark_relaid(TensorObject* t);         // see Note [Tensors laid out anew]
int64_t count(Span sizes);                 // product; raises when it overflows or an entry is negative
Dims contiguous_strides(Span sizes);
// The strides of a fresh tensor that keeps the order of dimensions in memory of `like` (PyTorch's preserve_format).
Dims dense_strides_like(const Tensor& like);
bool is_dense(Span sizes, Span strides);  // elements fill a block without gaps or overlap
// A dimension counted from the end when negative; raises IndexError in PyTorch's words.
int wrap_dim(int64_t dim, int ndim);

// Takes part in cyclic garbage collection from now on; needed once it can be part of a cycle.
inline void track(TensorObject* t) {
  if (!gc::is_tracked(t)) gc::track(t);
}
void tensor_dealloc(PyObject* self);
int tensor_traverse(PyObject* self, visitproc visit, void* arg);
int tensor_clear(PyObject* self);
int64_t live_tensors();  // for leak tests

}  // namespace chainrule
