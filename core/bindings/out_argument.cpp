// The argument out=: a result is copied into the tensors that the user gave.
#include "bindings/out_argument.hpp"

#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "ops/copy.hpp"
#include "ops/pending.hpp"
#include "ops/read_line.hpp"
#include "ops/refusals.hpp"
#include "ops/write.hpp"

namespace chainrule {
namespace {

// What PyTorch says of an out= of the wrong dtype: W is the one that it wants, F the one that it found.
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
};

[[noreturn]] void raise_out_dtype(const std::string& name, const DTypeFacts& wanted, const DTypeFacts& found) {
  for (const OutWords& words : kOutWords) {
    if (!names_in(words.names, name.c_str())) continue;
    std::string text;
    for (std::string_view rest = words.text; !rest.empty(); rest.remove_prefix(1)) {
      char c = rest[0];
      text += c == 'W' ? wanted.tensor_name : c == 'F' ? found.tensor_name : std::string(1, c);
    }
    raise(PyExc_RuntimeError, text);
  }
  raise(PyExc_RuntimeError, "Expected out tensor to have dtype ", wanted.cpp_name, ", but got ", found.cpp_name,
        " instead");
}

void check_out(const std::string& name, const Tensor& from, const Tensor& to, bool exact) {
  if (exact && from.dtype() != to.dtype()) raise_out_dtype(name, facts(from.dtype()), facts(to.dtype()));
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
  if (!names_in("arange linspace logspace range", c.name.c_str())) return;
  if (made.numel() == out.numel()) return set_layout(made.get(), out.sizes(), contiguous_strides(out.sizes()));
  if (c.name == "arange" && out.numel() > 0) {
    std::string n = std::to_string(made.numel());
    std::string text = "The number of elements in the out tensor of shape " + shape_text(out.sizes()) + " is " +
                       std::to_string(out.numel()) + " which does not match the computed number of elements " + n +
                       ". Note that this may occur as a result of rounding error. The out tensor will be resized to a "
                       "tensor of shape (" +
                       n + ",).";
    checked(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
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
    check_out(c.name, from[i], to[i], o.signature.parameters[o.signature.out].exact);
  for (size_t i = 0; i < from.size(); ++i) copy_to_out(from[i], to[i]);
  return several ? to_python(std::move(to)) : Py_NewRef(out);
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
  check_out("", result, out, exact);
  copy_to_out(result, out);
  return out;
}

}  // namespace chainrule
