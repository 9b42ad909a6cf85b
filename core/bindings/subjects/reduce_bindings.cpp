// Reductions, bound.
#include "autograd/record.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/out_argument.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/networks/softmax.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/reduce/scan.hpp"
#include "ops/views/copy.hpp"
#include "tensor/owned.hpp"

namespace chainrule {
namespace {

using MaybeDims = std::optional<Dims>;

// dim=None and dim=() mean all dimensions; written out, so that the node is named as with a list of dimensions.
Dims dims_or_all(const Tensor& x, const MaybeDims& dims) {
  if (dims && !dims->empty()) return *dims;
  Dims all(x.ndim());
  for (int i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

double correction_of(bool unbiased) { return unbiased ? 1 : 0; }

// The sum of singular values, an operation in Python.
Tensor nuclear_norm(const Tensor& x, const MaybeDims& dims, bool keepdim, MaybeDType dtype) {
  Callable& found = *find_callable("nuclear_norm", false);
  Tensor from = dtype ? to_dtype(x, *dtype) : x;
  Owned at(dims ? checked(PyTuple_New(dims->size())) : Py_NewRef(Py_None));
  for (int i = 0; dims && i < dims->size(); ++i) PyTuple_SET_ITEM(at.get(), i, to_python((*dims)[i]));
  PyObject* arguments[] = {from.py(), at.get(), keepdim ? Py_True : Py_False};
  return Tensor::steal(reinterpret_cast<TensorObject*>(checked(call(nullptr, found, arguments, 3, nullptr))));
}

double real_order(PyObject* ord) {
  if (PyComplex_Check(ord))
    raise(PyExc_RuntimeError, "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
  return to_double(ord);
}

Tensor norm_named(const Tensor& x, PyObject* p, const MaybeDims& dims, bool keepdim, MaybeDType dtype) {
  if (p == Py_None) return norm(x, 2, dims.value_or(Dims()), keepdim, dtype);
  if (is_tensor(p) && requires_grad(Tensor::borrow(p)))
    raise(PyExc_TypeError, "linalg_vector_norm(): argument 'ord' (position 2) must be Number, not Tensor");
  if (!PyUnicode_Check(p)) return norm(x, real_order(p), dims.value_or(Dims()), keepdim, dtype);
  std::string name = PyUnicode_AsUTF8(p);
  if (name == "fro") return norm(x, 2, dims.value_or(Dims()), keepdim, dtype);
  if (name == "nuc") return nuclear_norm(x, dims, keepdim, dtype);
  raise(PyExc_RuntimeError, "linalg.matrix_norm: Order ", name, " not supported.");
}

// The three spellings that var and std share: unbiased alone, dim with unbiased, and correction.
template <class R>
void define_spread(const std::string& name, const std::string& returns,
                   R (*f)(const Tensor&, const Dims&, double, bool)) {
  auto text = [&](const char* parameters) {
    return Signature::parse(name + "(Tensor input, " + parameters + ")" + returns);
  };
  Forms forms = returns.empty() ? kBoth : kFunction;
  define_call(text("bool unbiased=True"), forms, [f](const BoundArguments& a) {
    return to_python(f(Tensor::borrow(a[0]), Dims(), correction_of(a[1] == Py_True), false));
  });
  bool one = returns.empty();  // a pair has no out=
  const char *first_out = one ? ", *, Tensor? out=None" : "", *next_out = one ? ", Tensor? out=None" : "";
  auto with_out = [&](const char* parameters, const char* out) {
    return text((std::string(parameters) + out).c_str());
  };
  define_call(
      with_out("int[]? dim, bool unbiased=True, bool keepdim=False", first_out), forms,
      [f](const BoundArguments& a) {
        MaybeDims dims = FromPython<MaybeDims>::from(a[1]);
        return to_python(
            f(Tensor::borrow(a[0]), dims.value_or(Dims()), correction_of(a[2] == Py_True), a[3] == Py_True));
      },
      one);
  define_call(
      with_out("int[]? dim=None, *, Number? correction=1, bool keepdim=False", next_out), forms,
      [f](const BoundArguments& a) {
        MaybeDims dims = FromPython<MaybeDims>::from(a[1]);
        double correction = a[2] == Py_None ? 1 : to_double(a[2]);
        return to_python(f(Tensor::borrow(a[0]), dims.value_or(Dims()), correction, a[3] == Py_True));
      },
      one);
}

void bind_spread() {
  define_spread("var", "", var);
  define_spread("std", "", standard_deviation);
  define_spread("var_mean", " -> Tensor[]", var_mean);
  define_spread("std_mean", " -> Tensor[]", std_mean);
  define(
      "norm(Tensor input, object p='fro', int[]? dim=None, bool keepdim=False, Tensor!? out=None, dtype? dtype=None)",
      kFunction, norm_named);
  define("norm(Tensor input, object p='fro', int[]? dim=None, bool keepdim=False, dtype? dtype=None)", kMethod,
         norm_named);
  define(
      "linalg_vector_norm(Tensor x, Number ord=2, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None, Tensor!? "
      "out=None)",
      kFunction, [](const Tensor& x, PyObject* ord, const MaybeDims& dims, bool keepdim, MaybeDType t) {
        return vector_norm(x, real_order(ord), dims.value_or(Dims()), keepdim, t);
      });
}

// A truth value goes into an `out` of bool, or of uint8 from the time before bool existed.
Tensor deliver_truth(const char* name, const Tensor& result, const Tensor& out) {
  if (out && !is_bool(out.dtype()) && out.dtype() != DType::UInt8) {
    raise(PyExc_RuntimeError, name, " only supports bool tensor for result, got: ", facts(out.dtype()).tensor_name);
  }
  return deliver_apart(result, out, {}, false);
}

[[noreturn]] void raise_running_truth(const char* name) {
  raise(PyExc_NotImplementedError, '"', name, "_out_cpu\" not implemented for 'Bool'\n  ", name,
        "_ writes into its input, and a running total of truth values is a number: call ", name);
}

// cumsum and cumsum_, which writes the result into its input.
template <Tensor (*running)(const Tensor&, int64_t, MaybeDType)>
void define_running(const std::string& name) {
  define(name + "(Tensor input, int dim, *, dtype? dtype=None, Tensor~? out=None)", kBoth, running);
  define(name + "_(Tensor input, int dim, *, dtype? dtype=None)", kMethod,
         [](const Tensor& input, int64_t dim, MaybeDType dtype) {
           if (is_bool(input.dtype()) && input.ndim() > 0 && input.numel() > 0)
             raise_running_truth(running == cumsum ? "cumsum" : "cumprod");
           if (dtype && *dtype != input.dtype())
             raise(PyExc_RuntimeError, "Bad in-place call: input tensor dtype ", facts(input.dtype()).cpp_name,
                   " and output tensor dtype ", facts(*dtype).cpp_name, " should match");
           const Tensor* inputs[] = {&input};
           // What the gradient reads must outlive the write.
           Tensor self = input, before = should_record(inputs) ? clone(input) : input;
           return copy_(self, running(before, dim, dtype));
         });
}

void bind_scans() {
  define_running<cumsum>("cumsum");
  define_running<cumprod>("cumprod");
  define("cummax(Tensor input, int dim, *, Tensor[]!? out=None) -> (values, indices)", kBoth, cummax);
  define("cummin(Tensor input, int dim, *, Tensor[]!? out=None) -> (values, indices)", kBoth, cummin);
  define("logcumsumexp(Tensor input, int dim, *, Tensor!? out=None)", kBoth, logcumsumexp);
  define("softmax(Tensor input, int dim, dtype? dtype=None, *, Tensor!? out=None)", kBoth, softmax);
  define("log_softmax(Tensor input, int dim, dtype? dtype=None, *, Tensor!? out=None)", kBoth, log_softmax);
}

}  // namespace

void bind_reductions() {
  define("sum(Tensor input, *, dtype? dtype=None)", kBoth,
         [](const Tensor& x, MaybeDType t) { return sum(x, Dims(), false, t); });
  define("sum(Tensor input, int[]? dim, bool keepdim=False, *, dtype? dtype=None, Tensor~? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, MaybeDType t) {
           return sum(x, dims_or_all(x, dims), keepdim, t);
         });
  define("mean(Tensor input, *, dtype? dtype=None, Tensor~? out=None)", kBoth,
         [](const Tensor& x, MaybeDType t) { return mean(x, Dims(), false, t); });
  define("mean(Tensor input, int[]? dim, bool keepdim=False, *, dtype? dtype=None, Tensor~? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, MaybeDType t) {
           return mean(x, dims_or_all(x, dims), keepdim, t);
         });
  define("amax(Tensor input, int[] dim=(), bool keepdim=False, *, Tensor!? out=None)", kBoth,
         [](const Tensor& x, const Dims& dims, bool keepdim) { return amax(x, dims, keepdim); });
  define("amin(Tensor input, int[] dim=(), bool keepdim=False, *, Tensor!? out=None)", kBoth,
         [](const Tensor& x, const Dims& dims, bool keepdim) { return amin(x, dims, keepdim); });
  define("max(Tensor input, *, Tensor? out=None)", kBoth, [](const Tensor& x) { return max_all(x); });
  // A tensor of one integer could stand for a dimension, but is meant as the other tensor.
  define("max(Tensor input, Tensor other, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const Tensor& other) { return elementwise(OpId::maximum, {Operand(x), Operand(other)}); });
  define("max(Tensor input, int dim, bool keepdim=False, *, Tensor[]!? out=None) -> (values, indices)", kBoth,
         [](const Tensor& x, int64_t dim, bool keepdim) { return max_dim(x, dim, keepdim); });
  define("min(Tensor input, *, Tensor? out=None)", kBoth, [](const Tensor& x) { return min_all(x); });
  define("min(Tensor input, Tensor other, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const Tensor& other) { return elementwise(OpId::minimum, {Operand(x), Operand(other)}); });
  define("min(Tensor input, int dim, bool keepdim=False, *, Tensor[]!? out=None) -> (values, indices)", kBoth,
         [](const Tensor& x, int64_t dim, bool keepdim) { return min_dim(x, dim, keepdim); });
  define("argmax(Tensor input, int? dim=None, bool keepdim=False, *, Tensor!? out=None)", kBoth, argmax);
  define("argmin(Tensor input, int? dim=None, bool keepdim=False, *, Tensor!? out=None)", kBoth, argmin);
  define("any(Tensor input, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const Tensor& out) { return deliver_truth("any", any(x, Dims(), false), out); });
  define("any(Tensor input, int[]? dim, bool keepdim=False, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, const Tensor& out) {
           return deliver_truth("any", dims ? any_dims(x, *dims, keepdim) : any(x, Dims(), keepdim), out);
         });
  define("all(Tensor input, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const Tensor& out) { return deliver_truth("all", all(x, Dims(), false), out); });
  define("all(Tensor input, int[]? dim, bool keepdim=False, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, const Tensor& out) {
           return deliver_truth("all", dims ? all_dims(x, *dims, keepdim) : all(x, Dims(), keepdim), out);
         });
  define("prod(Tensor input, *, dtype? dtype=None)", kBoth, [](const Tensor& x, MaybeDType t) { return prod(x, t); });
  define("prod(Tensor input, int dim, bool keepdim=False, *, dtype? dtype=None, Tensor~? out=None)", kBoth,
         [](const Tensor& x, int64_t dim, bool keepdim, MaybeDType t) { return prod(x, dim, keepdim, t); });
  define("nansum(Tensor input, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None, Tensor~? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, MaybeDType t) {
           return nansum(x, dims.value_or(Dims()), keepdim, t);
         });
  define("nanmean(Tensor input, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None, Tensor? out=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims, bool keepdim, MaybeDType t) {
           return nanmean(x, dims.value_or(Dims()), keepdim, t);
         });
  define("count_nonzero(Tensor input, int[]? dim=None)", kBoth,
         [](const Tensor& x, const MaybeDims& dims) { return count_nonzero(x, dims.value_or(Dims())); });
  define("logsumexp(Tensor input, int[] dim, bool keepdim=False, *, Tensor? out=None)", kBoth,
         [](const Tensor& x, const Dims& dims, bool keepdim) { return logsumexp(x, dims, keepdim); });
  define("aminmax(Tensor input, *, int? dim=None, bool keepdim=False, Tensor[]!? out=None) -> (min, max)", kFunction,
         aminmax);
  define("aminmax(Tensor input, *, int? dim=None, bool keepdim=False) -> (min, max)", kMethod, aminmax);
  bind_spread();
  bind_scans();
}

}  // namespace chainrule
