// autocast: casts the arguments of the operations on PyTorch's lists.
#include "bindings/calls/autocast.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "autograd/record.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/subclass.hpp"
#include "ops/views/copy.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
// Inside an autocast region, products and convolutions run in a lower precision, losses and some delicate operations in
// float32, all others in what they are given. Which is which says the name that Python calls: the lists below are
// PyTorch's for the CPU and for GPUs, with the names of operations added that PyTorch composes of those on the lists
// and chainrule does not. What is written in Python is cast by what it calls, or by a decorator (amp/precision.py).
// Outside of regions all this costs one look at `autocasting`. A weight is used often in a region, so its lower form is
// kept until the outermost region ends, with the history that leads to it; it is made again when the weight was written
// meanwhile.
thread_local bool autocasting = false;

namespace {

constexpr std::string_view kLower[] = {
    "_addmm_activation",
    "addbmm",
    "addmm",
    "affine_grid_generator",
    "baddbmm",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "linalg_vecdot",
    "linear",
    "matmul",
    "mm",
    "prelu",
    "scaled_dot_product_attention",
};
constexpr std::string_view kFloat32[] = {
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "ctc_loss",
    "fake_quantize_per_tensor_affine",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "geqrf",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "hinge_embedding_loss",
    "huber_loss",
    "inverse",
    "kl_div",
    "l1_loss",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_matrix_rank",
    "linalg_qr",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "lu_solve",
    "margin_ranking_loss",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nanquantile",
    "nll_loss",
    "nll_loss2d",
    "orgqr",
    "ormqr",
    "pinverse",
    "poisson_nll_loss",
    "polar",
    "prod",
    "qr",
    "quantile",
    "reflection_pad1d",
    "reflection_pad2d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "smooth_l1_loss",
    "soft_margin_loss",
    "stft",
    "svd",
    "trace",
    "triangular_solve",
    "triplet_margin_loss",
    "view_as_complex",
};
constexpr std::string_view kWidest[] = {"cat",    "column_stack", "concat",    "concatenate", "dstack",
                                        "hstack", "index_copy",   "row_stack", "stack",       "vstack"};
constexpr std::string_view kComposed[] = {"gru",      "gru_cell", "lstm",          "lstm_cell",
                                          "rnn_relu", "rnn_tanh", "rnn_relu_cell", "rnn_tanh_cell"};

constexpr std::string_view kLowerOnGpu[] = {
    "_addmm_activation",
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "einsum",
    "gru",
    "gru_cell",
    "linalg_multi_dot",
    "linalg_vecdot",
    "linear",
    "lstm",
    "lstm_cell",
    "matmul",
    "mm",
    "mv",
    "prelu",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "scaled_dot_product_attention",
};
constexpr std::string_view kFloat32OnGpu[] = {
    "__pow__",
    "__rpow__",
    "acos",
    "arccos",
    "arcsin",
    "asin",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy_loss",
    "cumprod",
    "cumsum",
    "dist",
    "erfinv",
    "exp",
    "expm1",
    "group_norm",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "linalg_matrix_norm",
    "linalg_vector_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logsumexp",
    "margin_ranking_loss",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "native_layer_norm",
    "nll_loss",
    "nll_loss2d",
    "norm",
    "nuclear_norm",
    "pdist",
    "poisson_nll_loss",
    "pow",
    "prod",
    "reciprocal",
    "renorm",
    "rms_norm",
    "rsqrt",
    "sinh",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softplus",
    "special_erfinv",
    "special_expm1",
    "special_log1p",
    "special_log_softmax",
    "special_logsumexp",
    "special_softmax",
    "sum",
    "tan",
    "triplet_margin_loss",
};
constexpr std::string_view kWidestOnGpu[] = {
    "addcdiv",         "addcmul",         "atan2",  "bilinear",  "cat",       "column_stack",
    "concat",          "concatenate",     "cross",  "dot",       "dstack",    "grid_sampler",
    "grid_sampler_2d", "grid_sampler_3d", "hstack", "index_put", "row_stack", "scatter_add",
    "stack",           "tensordot",       "vdot",   "vstack",
};

template <size_t n>
bool has(const std::string_view (&list)[n], std::string_view name) {
  return std::find(list, list + n, name) != list + n;
}

// ---- the state, per thread

struct KeptWeight {
  Tensor weight, lower;
  uint32_t version;
};
struct Mode {
  bool enabled = false;
  DType dtype;
};
struct State {
  Mode modes[2] = {{.dtype = DType::BFloat16}, {.dtype = DType::Float16}};  // by AutocastDevice
  DType dtype = DType::BFloat16;                                            // of the operation that is cast
  bool caches = true;
  int nesting = 0;
  std::unordered_map<TensorObject*, KeptWeight> kept;
};
// Never freed by itself: a thread's end could not let go of Python objects.
State& state() {
  thread_local State* s = new State;
  return *s;
}

// ---- casting

bool is_on_gpu(PyObject* o) {
  if (is_tensor(o)) return device_of_argument(o).kind == DeviceKind::Cuda;
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  PyObject** entries = PySequence_Fast_ITEMS(o);
  return std::any_of(entries, entries + PySequence_Fast_GET_SIZE(o),
                     [](PyObject* entry) { return device_of_argument(entry).kind == DeviceKind::Cuda; });
}

// Whether there is a region for the device; from now on its dtype is the one that operations are cast to.
bool begin(AutocastDevice device) {
  const Mode& mode = state().modes[static_cast<int>(device)];
  state().dtype = mode.dtype;
  return mode.enabled;
}

// inner() is a product of matrices here; of two vectors it is dot, of a single number mul, and neither is on the lists.
bool multiplies_matrices(PyObject* const* args, Py_ssize_t n) {
  bool matrices = false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!is_tensor(args[i])) continue;
    int ndim = Tensor::borrow(args[i]).ndim();
    if (ndim == 0) return false;
    matrices |= ndim >= 2;
  }
  return matrices;
}

bool is_cast(DType dtype) { return is_floating(dtype) && dtype != DType::Float64; }

bool is_weight(const Tensor& t) { return t.dtype() == DType::Float32 && t->has(kRequiresGrad) && !t->node && !t->base; }

Tensor lower_weight(const Tensor& weight, DType dtype) {
  auto& kept = state().kept;
  uint32_t version = weight->storage->version;
  auto found = kept.find(weight.get());
  if (found != kept.end() && found->second.version == version && found->second.lower.dtype() == dtype)
    return found->second.lower;
  Tensor lower = to_dtype(weight, dtype);
  kept.insert_or_assign(weight.get(), KeptWeight{weight, lower, version});
  return lower;
}

Tensor cast(const Tensor& t, DType dtype) {
  if (!is_cast(t.dtype()) || t.dtype() == dtype) return t;
  // What is cast without recording has no history, and would be in the way of those who want one.
  bool keeps = state().caches && state().nesting > 0 && grad_enabled() && dtype == state().dtype && is_weight(t);
  return keeps ? lower_weight(t, dtype) : to_dtype(t, dtype);
}

// The argument with its tensors cast; lists and tuples become lists.
Owned cast_argument(PyObject* o, DType dtype) {
  if (is_tensor(o)) return Owned(cast(Tensor::borrow(o), dtype).release_py());
  if (!is_tensor_sequence(o)) return Owned(Py_NewRef(o));
  Owned list(from_python(PySequence_List(o)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    Tensor before = Tensor::borrow(PyList_GET_ITEM(list.get(), i));
    PyList_SetItem(list.get(), i, cast(before, dtype).release_py());
  }
  return list;
}

// float32 if there is one, else autocast's dtype.
void widen(PyObject* o, DType& dtype) {
  if (!is_tensor(o)) {
    if (!is_tensor_sequence(o)) return;
    for (const Tensor& t : to_tensors(o)) widen(t.py(), dtype);
    return;
  }
  DType next = Tensor::borrow(o).dtype();
  if (!is_cast(next)) return;
  if (next == DType::Float32) {
    dtype = next;
  } else if (next != state().dtype && dtype != DType::Float32) {
    raise(PyExc_RuntimeError, "Unexpected floating ScalarType in at::autocast::prioritize: ", facts(next).tensor_name,
          " under autocast to ", facts(state().dtype).tensor_name);
  }
}

DType target(Precision precision, PyObject* const* args, Py_ssize_t n) {
  if (precision == Precision::Float32) return DType::Float32;
  DType dtype = state().dtype;
  if (precision == Precision::Widest) std::for_each(args, args + n, [&](PyObject* o) { widen(o, dtype); });
  return dtype;
}

// out= keeps its dtype, and so do the arguments: PyTorch's lists have no such forms.
bool writes_out(PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, i), "out") == 0) return args[n + i] != Py_None;
  }
  return false;
}

PyObject* call_composed(const std::string& name, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  Owned module(checked(PyImport_ImportModule("chainrule.amp.composed")));
  Owned function(checked(PyObject_GetAttrString(module.get(), name.c_str())));
  return handed_on(PyObject_Vectorcall(function.get(), args, static_cast<size_t>(n), keywords));
}

}  // namespace

Precision precision_on_gpu(std::string_view name) {
  if (has(kLowerOnGpu, name)) return Precision::Lower;
  if (name == "inner") return Precision::LowerMatrices;
  if (has(kFloat32OnGpu, name)) return Precision::Float32;
  return has(kWidestOnGpu, name) ? Precision::Widest : Precision::AsGiven;
}

Precision precision_of(std::string_view name) {
  if (has(kLower, name)) return Precision::Lower;
  if (name == "inner") return Precision::LowerMatrices;
  if (has(kFloat32, name)) return Precision::Float32;
  if (has(kWidest, name)) return Precision::Widest;
  return has(kComposed, name) ? Precision::Composed : Precision::AsGiven;
}

PyObject* call_autocast(PyObject* self, const Callable& c, PyObject* const* args, Py_ssize_t n, PyObject* keywords) {
  Py_ssize_t count = n + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  const bool on_gpu = storages_elsewhere > 0 && std::any_of(args, args + count, is_on_gpu);
  const Precision precision = on_gpu ? c.precision_on_gpu : c.precision;
  if (precision == Precision::AsGiven || !begin(on_gpu ? AutocastDevice::Gpu : AutocastDevice::Cpu) ||
      writes_out(args, n, keywords))
    return call(self, c, args, n, keywords);
  Classes classes = classes_of(args, count);
  if (precision == Precision::LowerMatrices && !multiplies_matrices(args, count))
    return call(self, c, args, n, keywords);
  if (classes.override) return call(self, c, args, n, keywords);  // it comes back without the class that overrides
  if (precision == Precision::Composed) return call_composed(c.name, args, n, keywords);
  settle();
  DType dtype = target(precision, args, count);
  std::vector<Owned> cast_args;
  std::vector<PyObject*> borrowed;
  for (Py_ssize_t i = 0; i < count; ++i) {
    cast_args.push_back(cast_argument(args[i], dtype));
    borrowed.push_back(cast_args.back().get());
  }
  AutocastPause pause;
  PyObject* result = call(self, c, borrowed.data(), n, keywords);
  return classes.result ? as_subclass(classes.result, result) : result;
}

Tensor cast_lower(const Tensor& t) {
  const bool on_gpu = t->storage->device.kind == DeviceKind::Cuda;
  return begin(on_gpu ? AutocastDevice::Gpu : AutocastDevice::Cpu) ? cast(t, state().dtype) : t;
}
Tensor cast_of_power(const Tensor& t) {
  const bool on_gpu = t->storage->device.kind == DeviceKind::Cuda;
  return on_gpu && begin(AutocastDevice::Gpu) ? cast(t, DType::Float32) : t;
}

bool autocasts(AutocastDevice device) { return autocasting && state().modes[static_cast<int>(device)].enabled; }
void set_autocasts(AutocastDevice device, bool on) {
  auto& modes = state().modes;
  modes[static_cast<int>(device)].enabled = on;
  autocasting = modes[0].enabled || modes[1].enabled;
}
DType autocast_dtype(AutocastDevice device) { return state().modes[static_cast<int>(device)].dtype; }
void set_autocast_dtype(AutocastDevice device, DType dtype) { state().modes[static_cast<int>(device)].dtype = dtype; }
bool autocast_caches() { return state().caches; }
void set_autocast_caches(bool on) { state().caches = on; }
int change_autocast_nesting(int by) { return state().nesting += by; }
void clear_autocast_cache() { std::exchange(state().kept, {}).clear(); }

}  // namespace chainrule
