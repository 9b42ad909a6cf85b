// Unresolved tensors at the doors through which Python calls the core.
#include "bindings/calls/unresolved.hpp"

#include <algorithm>
#include <unordered_set>

#include "ops/views/copy.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {
namespace {

// Views pass the bits on, and what reads no element need not know them.
constexpr const char* kNeedNoElements =
    // views
    "view view_as _unsafe_view expand expand_as broadcast_to broadcast_tensors permute transpose t squeeze unsqueeze "
    "unfold unflatten select narrow as_strided detach diagonal movedim moveaxis swapaxes swapdims split "
    "split_with_sizes chunk unsafe_chunk unsafe_split unsafe_split_with_sizes unbind tensor_split hsplit vsplit dsplit "
    "alias positive conj _conj _neg_view real imag adjoint view_as_real view_as_complex "
    // the tensor itself becomes a view
    "t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_ detach_ requires_grad_ "
    // descriptions
    "size stride dim ndimension numel nelement element_size storage_offset data_ptr const_data_ptr untyped_storage "
    "is_contiguous is_floating_point is_complex is_signed is_same_size is_set_to is_distributed get_device _is_view "
    "is_inference is_conj is_neg "
    // its place in the graph
    "retain_grad _as_leaf _hooks _post_hooks _mark_numpy";

// What holds for sparse tensors too.
constexpr const char* kDescribes =
    "size dim ndimension numel nelement element_size is_floating_point is_complex is_signed is_same_size "
    "is_distributed get_device is_inference is_conj is_neg requires_grad_ retain_grad backward _as_leaf _hooks "
    "_post_hooks "
    // written for all layouts, in chainrule.sparse.methods
    "to_sparse to_sparse_coo to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc to_dense sparse_mask coalesce "
    "is_coalesced indices values _indices _values _nnz _coalesced_ crow_indices col_indices ccol_indices row_indices "
    "sparse_dim dense_dim sparse_resize_ sparse_resize_and_clear_ resize_as_sparse_ smm sspaddmm";

constexpr const char* kTakesUnresolved =
    // views or copies; copies settle the bits in copy_elements
    "reshape reshape_as flatten ravel atleast_1d atleast_2d atleast_3d clone contiguous copy_ to type type_as cpu "
    "double "
    "float half bfloat16 cfloat cdouble int long short char byte bool conj_physical conj_physical_ resolve_conj "
    "resolve_neg "
    // it gets other memory
    "set_ resize_ resize_as_ "
    // made like it
    "empty_like zeros_like ones_like full_like rand_like randn_like randint_like new_empty new_zeros new_ones new_full "
    "new_empty_strided new_tensor "
    // the engine resolves gradients
    "backward";

// Each function that is defined is looked up.
std::unordered_set<std::string_view> words_of(std::string_view text) {
  std::unordered_set<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end) words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

constexpr int kDepth = 8;  // of lists inside each other that are looked through

}  // namespace

bool needs_no_elements(std::string_view name) {
  static const std::unordered_set<std::string_view> names = words_of(kNeedNoElements);
  return names.contains(name);
}
bool describes(std::string_view name) {
  static const std::unordered_set<std::string_view> names = words_of(kDescribes);
  return names.contains(name);
}
bool takes_unresolved(std::string_view name) {
  static const std::unordered_set<std::string_view> names = words_of(kTakesUnresolved);
  return needs_no_elements(name) || names.contains(name);
}

Tensor resolved_argument(PyObject* tensor) { return resolved(Tensor::borrow(tensor)); }

ResolvedArguments::ResolvedArguments(PyObject* const* args, Py_ssize_t count) : args_(args, args + count) {
  for (PyObject*& o : args_) o = resolve(o, 0);
}

// Borrowed: the argument itself, or what `held_` keeps in its place.
PyObject* ResolvedArguments::resolve(PyObject* o, int depth) {
  if (is_unresolved(o)) {
    settle();
    Tensor original = Tensor::borrow(o), copy = resolved(original);
    copies_.push_back({original, copy, copy->storage->version});
    return copy.py();
  }
  if (depth == kDepth || !(PyList_CheckExact(o) || PyTuple_CheckExact(o))) return o;
  Owned list;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    PyObject* replaced = resolve(item, depth + 1);
    if (replaced == item) continue;
    if (!list) list = Owned(from_python(PySequence_List(o)));
    checked(PyList_SetItem(list.get(), i, Py_NewRef(replaced)));
  }
  if (!list) return o;
  if (PyTuple_CheckExact(o)) list = Owned(checked(PyList_AsTuple(list.get())));
  held_.push_back(std::move(list));
  return held_.back().get();
}

PyObject* ResolvedArguments::original_of(PyObject* o) const {
  for (const Copy& c : copies_) {
    if (c.resolved.py() == o) return c.original.py();
  }
  return nullptr;
}

PyObject* ResolvedArguments::finish(PyObject* result) {
  Owned kept(result);
  for (Copy& c : copies_) {
    if (c.resolved->storage->version == c.version) continue;
    settle();
    if (!equal(c.original.sizes(), c.resolved.sizes())) resize(c.original, c.resolved.sizes());
    copy_(c.original, c.resolved);
  }
  if (PyObject* original = original_of(result)) return Py_NewRef(original);
  bool is_new = (PyTuple_Check(result) || PyList_CheckExact(result)) && Py_REFCNT(result) == 1;
  if (!is_new) return kept.release();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(result); ++i) {
    PyObject*& item = PySequence_Fast_ITEMS(result)[i];
    if (PyObject* original = original_of(item)) Py_SETREF(item, Py_NewRef(original));
  }
  return kept.release();
}

}  // namespace chainrule
