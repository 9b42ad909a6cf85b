// The argument out=: a result is copied into the tensors that the user gave.
#include "bindings/calls/out_argument.hpp"

#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "ops/elementwise/pending.hpp"
#include "ops/elementwise/read_line.hpp"
#include "ops/elementwise/refusals.hpp"
#include "ops/indexing/write.hpp"
#include "ops/views/copy.hpp"

namespace chainrule {
namespace {

// What PyTorch says of an out= of the wrong dtype: W is the one that it wants, F the one that it found; w and f are
// their names in C++, in braces. After a bar, what it says of the second result.
struct OutWords {
  const char *names, *text;
};
constexpr OutWords kOutWords[] = {
    {"amax amin", "Expected the dtype for input and out to match, but got W for input's dtype and F for out's dtype."},
    {"complex polar", "Expected object of scalar type W but got scalar type F for argument 'out'"},
    {"dot vdot", "result dtype F does not match input dtype W"},
    {"nonzero", "nonzero: Expected out tensor to have scalar type W but got scalar type F"},
    {"searchsorted bucketize",
     "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
     "whether out_int32 flag is True, but we got output tensor's dtype F where it is W"},
    {"tensordot inner", "tensordot: Expected the output tensor to have dtype W, but got an output tensor with dtype F"},
    {"kthvalue", "output values must be of same type as input: W, not F"},
    {"quantile nanquantile", "quantile() out tensor must be same dtype as the input tensor: W, not F"},
    {"cummax cummin logcumsumexp", "expected scalar_type W but found F"},
    {"mode",
     "expected scalar type 'W' but got 'F' for values output|expected scalar type 'W' but got 'F' for indices output"},
    {"frexp",
     "torch.frexp() expects mantissa to have dtype {w} but got {f}|torch.frexp() expects exponent to have int dtype "
     "but "
     "got {f}"},
    {"histogram",
     "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {w} and hist {f}|"
     "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {w} and bin_edges "
     "{f} for dimension 0"},
    {"nonzero_static", "nonzero_static: Expected out tensor to have scalar type W but got scalar type F"},
    {"linalg_norm", "linalg.norm expected out tensor dtype W but got: F"},
    {"linalg_matrix_norm nuclear_norm", "linalg.matrix_norm expected out tensor dtype W but got: F"},
    {"linalg_multi_dot chain_matmul", "multi_dot(): expected out tensor to have dtype {w} but got {f}"},
    {"linalg_solve_triangular", "expected scalar type W but found F"},
    {"linalg_vecdot", "linalg.vecdot: Expected out of dtypeW but found F"},
    {"ormqr",
     "torch.ormqr: Expected input and result to have the same dtype, but input has dtypeW and result has dtype F"},
};
constexpr const char* kExactWords = "Expected out tensor to have dtype {w}, but got {f} instead";

// Functions that take any out= into which the result can be cast, and name themselves and their results where it can't.
struct CastWords {
  const char *names, *speaker, *results;
};
constexpr CastWords kCastWords[] = {
    {"linalg_cond", "linalg.cond", "result"},
    {"linalg_eig", "torch.linalg.eig", "eigenvalues eigenvectors"},
    {"linalg_eigvals", "torch.linalg.eigvals", "eigenvalues"},
    {"linalg_householder_product orgqr", "torch.linalg.householder_product", "result"},
    {"linalg_lstsq", "torch.linalg.lstsq", "solution solution rank singular_values"},
    {"linalg_matrix_rank", "torch.linalg.matrix_rank", "result"},
    {"linalg_pinv", "linalg.pinv", "result"},
    {"linalg_tensorinv", "tensorinv", "result"},
    {"linalg_tensorsolve", "tensorsolve", "result"},
    {"linalg_matrix_power matrix_power", "matrix_power", "result"},
    {"cholesky", "cholesky", "result"},
    {"cholesky_inverse", "cholesky_inverse", "result"},
    {"cholesky_solve", "cholesky_solve", "result"},
    {"geqrf", "torch.geqrf", "a tau"},
};

std::string filled_in(std::string_view words, const DTypeFacts& wanted, const DTypeFacts& found) {
  std::string text;
  for (; !words.empty(); words.remove_prefix(1)) {
    bool in_cpp = words.starts_with("{w}") || words.starts_with("{f}");
    if (in_cpp) {
      text += words[1] == 'w' ? wanted.cpp_name : found.cpp_name;
      words.remove_prefix(2);
    } else {
      text += words[0] == 'W' ? wanted.tensor_name : words[0] == 'F' ? found.tensor_name : std::string(1, words[0]);
    }
  }
  return text;
}

[[noreturn]] void raise_out_dtype(const std::string& name, size_t i, DType wanted, DType found) {
  std::string_view text = kExactWords;
  for (const OutWords& words : kOutWords) {
    if (names_in(words.names, name.c_str())) text = words.text;
  }
  size_t bar = text.find('|');
  text = bar == text.npos ? text : i == 0 ? text.substr(0, bar) : text.substr(bar + 1);
  raise(PyExc_RuntimeError, filled_in(text, facts(wanted), facts(found)));
}

std::string word_of(std::string_view words, size_t i) {
  for (; i > 0; --i) words.remove_prefix(words.find(' ') + 1);
  return std::string(words.substr(0, words.find(' ')));
}

void check_castable(const std::string& name, size_t i, DType from, DType to) {
  if (can_cast(from, to)) return;
  for (const CastWords& words : kCastWords) {
    if (!names_in(words.names, name.c_str())) continue;
    std::string result = word_of(words.results, i);
    raise(PyExc_RuntimeError, words.speaker, ": Expected ", result, " to be safely castable from ",
          facts(from).tensor_name, " dtype, but got ", result, " with dtype ", facts(to).tensor_name);
  }
  if (name.starts_with("fft_") && is_complex(from) && !is_complex(to)) {
    raise(PyExc_RuntimeError, name.substr(4), " expects a complex output tensor, but got ", facts(to).tensor_name);
  }
}

void check_out(const std::string& name, size_t i, const Tensor& from, const Tensor& to, bool exact) {
  check_castable(name, i, from.dtype(), to.dtype());
  if (exact && from.dtype() != to.dtype()) raise_out_dtype(name, i, from.dtype(), to.dtype());
  check_out_unrecorded("", {&from, &to});
  check_cast(from.dtype(), to.dtype());
}

void copy_to_out(const Tensor& from, const Tensor& to) {
  prepare_out(to, from.sizes());
  check_no_overlap(to);
  copy_elements(to, from);
  mark_written(to);
}

void take_dtype_of_out(const Signature& s, BoundArguments& bound) {
  DType dtype = Tensor::borrow(bound[s.out]).dtype();
  PyObject* given = bound[s.dtype];
  if (given != Py_None && to_dtype_value(given) != dtype) {
    raise(PyExc_RuntimeError, "dtype ", facts(to_dtype_value(given)).tensor_name,
          " does not match dtype of out parameter (", facts(dtype).tensor_name, ")");
  }
  bound.replace(s.dtype, dtype_object(dtype));
}

// A range goes into any tensor that has as many elements, in whatever shape; another is resized, and only arange says
// so.
void fit_range(const Callable& c, const Tensor& made, const Tensor& out) {
  if (!names_in("arange linspace logspace range fft_fftfreq fft_rfftfreq", c.name.c_str())) return;
  if (made.numel() == out.numel()) return set_layout(made.get(), out.sizes(), contiguous_strides(out.sizes()));
  if (names_in("arange fft_fftfreq fft_rfftfreq", c.name.c_str()) && out.numel() > 0) {
    std::string n = std::to_string(made.numel());
    std::string text = "The number of elements in the out tensor of shape " + shape_text(out.sizes()) + " is " +
                       std::to_string(out.numel()) + " which does not match the computed number of elements " + n +
                       ". Note that this may occur as a result of rounding error. The out tensor will be resized to a "
                       "tensor of shape (" +
                       n + ",).";
    from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
  }
  resize(out, made.sizes());
}

}  // namespace

void check_several(const Callable& c, PyObject* out) {
  if (is_tensor_sequence(out)) return;
  raise(PyExc_TypeError, c.name, "(): argument 'out' must be tuple of Tensors, not ", Py_TYPE(out)->tp_name);
}

PyObject* serve_out(const Callable& c, const Overload& o, PyObject* result, PyObject* out) {
  settle();
  bool several = !is_tensor(result);
  std::vector<Tensor> from = to_tensors(result);
  Py_DECREF(result);
  if (!several && !is_tensor(out)) {
    raise(PyExc_TypeError, c.name, "(): argument 'out' must be Tensor, not ", Py_TYPE(out)->tp_name);
  }
  if (several) check_several(c, out);
  std::vector<Tensor> to = to_tensors(out);
  if (from.size() != to.size())
    raise(PyExc_TypeError, "expected tuple of ", from.size(), " elements but got ", to.size());
  for (size_t i = 0; i < from.size(); ++i)
    check_out(c.name, i, from[i], to[i], o.signature.parameters[o.signature.out].exact);
  for (size_t i = 0; i < from.size(); ++i) copy_to_out(from[i], to[i]);
  return several ? to_python(std::move(to)) : Py_NewRef(out);
}

void refuse_shared_out(const Callable& c, const Overload& o, const BoundArguments& bound) {
  PyObject* out = bound[o.signature.out];
  if (!names_in("cross linalg_cross", c.name.c_str()) || !is_tensor(out)) return;
  for (int i = 0; i < o.signature.out; ++i) {
    if (o.signature.parameters[i].kind == Kind::Tensor) may_overlap(Tensor::borrow(out), Tensor::borrow(bound[i]));
  }
}

bool creates(const Overload& o) {
  const Signature& s = o.signature;
  return o.copies_out && s.dtype >= 0 && s.parameters[0].kind != Kind::Tensor;
}

PyObject* create_into(const Callable& c, const Overload& o, BoundArguments& bound) {
  PyObject* out = bound[o.signature.out];
  take_dtype_of_out(o.signature, bound);
  PyObject* result = checked(o.call(bound));
  Tensor made = Tensor::borrow(result);
  bool tracked = requires_grad(made);
  if (tracked) set_requires_grad(made, false);
  fit_range(c, made, Tensor::borrow(out));
  Py_DECREF(serve_out(c, o, result, out));
  if (tracked) set_requires_grad(Tensor::borrow(out), true);
  return Py_NewRef(out);
}

Tensor deliver_apart(const Tensor& result, const Tensor& out, std::span<const Tensor* const> inputs, bool exact) {
  if (!out) return result;
  check_no_overlap(out);
  for (const Tensor* t : inputs) apart_from(out, *t);
  check_out("", 0, result, out, exact);
  copy_to_out(result, out);
  return out;
}

}  // namespace chainrule
