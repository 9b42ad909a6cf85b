// What is said when the factors of a product do not fit: PyTorch's words, then which dimensions clash and what would
// fit.
#include "ops/matmul/matmul_checks.hpp"

#include "ops/matmul/product.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

std::string conversion_hint(const Tensor& a, const Tensor& b) {
  // Integers become floating, not the reverse.
  bool first = is_differentiable(b.dtype()) && !is_differentiable(a.dtype());
  const Tensor &given = first ? a : b, &wanted = first ? b : a;
  return std::string("\n  What to do: convert one of them; for example ") + (first ? "a" : "b") + ".to(" +
         facts(wanted.dtype()).name + ") for the " + (first ? "first" : "second") + ", which is " +
         facts(given.dtype()).name + ".";
}

int64_t row_count(const Tensor& t) { return t.ndim() < 2 ? 1 : t.numel() / std::max<int64_t>(1, t.size(t.ndim() - 1)); }

}  // namespace

const char* element_name(DType t) {
  static constexpr const char* kNames[kDTypesWithKernels] = {
      "bool",          "unsigned char",       "unsigned short",      "unsigned int",
      "unsigned long", "signed char",         "short int",           "int",
      "long int",      "c10::Half",           "c10::BFloat16",       "float",
      "double",        "c10::complex<float>", "c10::complex<double>"};
  return is_stored_only(t) ? facts(t).cpp_name : kNames[static_cast<int>(t)];
}

void raise_not_matrix(const char* argument, const char* op, const Tensor& t) {
  raise(PyExc_RuntimeError, argument, " must be a matrix, got ", t.ndim(), "-D tensor\n  ", op,
        " takes matrices only, and this has the shape ", t.sizes(), "; matmul (the operator @) takes any.");
}

void raise_inner_mismatch(const Tensor& a, const Tensor& b, int64_t rows, int64_t columns) {
  int64_t k = a.size(a.ndim() - 1);
  std::string hint;
  bool weight = b.ndim() == 2 && b.size(1) == rows && b.size(0) == columns && rows != columns;
  if (weight) {
    hint = "\n  linear: the input's last dimension must be in_features, the weight's second.";
  } else if (columns == k) {
    hint = "\n  What to do: perhaps the second is transposed; a @ b.T would fit.";
  } else if (a.ndim() == 2 && a.size(0) == rows) {
    hint = "\n  What to do: perhaps the first is transposed; a.T @ b would fit.";
  }
  raise(PyExc_RuntimeError, "mat1 and mat2 shapes cannot be multiplied (", row_count(a), "x", k, " and ", rows, "x",
        columns, ")\n  The first has ", k, " columns and the second ", rows,
        " rows; these must be equal. Shapes: ", a.sizes(), " and ", b.sizes(), ".", hint);
}

void raise_batch_mismatch(int64_t batch, int64_t k, int64_t rows, const Tensor& a, const Tensor& b) {
  raise(PyExc_RuntimeError, "Expected size for first two dimensions of batch2 tensor to be: [", batch, ", ", k,
        "] but got: [", batch, ", ", rows, "].\n  The matrices of the first have ", k,
        " columns and those of the second ", rows, " rows; these must be equal. Shapes: ", a.sizes(), " and ",
        b.sizes(), ".",
        b.size(b.ndim() - 1) == k
            ? "\n  What to do: perhaps the second is transposed; a @ b.transpose(-2, -1) would fit."
            : "");
}

void raise_dtypes(const Tensor& a, const Tensor& b) {
  raise(PyExc_RuntimeError, "expected m1 and m2 to have the same dtype, but got: ", element_name(a.dtype()),
        " != ", element_name(b.dtype()), conversion_hint(a, b));
}

void raise_factor_dtypes(const Tensor& a, const Tensor& b) {
  raise(PyExc_RuntimeError, "mat1 and mat2 must have the same dtype, but got ", facts(a.dtype()).tensor_name, " and ",
        facts(b.dtype()).tensor_name, conversion_hint(a, b));
}

void check_same_batch_dtype(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return;
  raise(PyExc_RuntimeError, "expected scalar type ", facts(a.dtype()).tensor_name, " but found ",
        facts(b.dtype()).tensor_name, conversion_hint(a, b));
}

void check_matrix_vector(const Tensor& a, const Tensor& vector) {
  int64_t k = a.size(a.ndim() - 1), rows = row_count(a);
  if (k != vector.size(0)) {
    raise(PyExc_RuntimeError, "size mismatch, got input (", rows, "), mat (", rows, "x", k, "), vec (", vector.size(0),
          ")\n  The matrix has ", k, " columns and the vector ", vector.size(0), " elements; these must be equal.");
  }
  if (a.dtype() != vector.dtype()) {
    raise(PyExc_RuntimeError, "addmv input tensors must have the same dtype, but got ",
          facts(vector.dtype()).tensor_name, ", ", facts(a.dtype()).tensor_name, ", and ",
          facts(vector.dtype()).tensor_name, conversion_hint(a, vector));
  }
}

void check_vectors(const Tensor& a, const Tensor& b) {
  if (a.ndim() != 1 || b.ndim() != 1) {
    raise(PyExc_RuntimeError, "1D tensors expected, but got ", a.ndim(), "D and ", b.ndim(), "D tensors");
  }
  if (a.dtype() != b.dtype()) {
    raise(PyExc_RuntimeError, "dot : expected both vectors to have same dtype, but found ",
          facts(a.dtype()).tensor_name, " and ", facts(b.dtype()).tensor_name, conversion_hint(a, b));
  }
  if (a.numel() != b.numel()) {
    raise(PyExc_RuntimeError, "inconsistent tensor size, expected tensor ", a.sizes(), " and src ", b.sizes(),
          " to have the same number of elements, but got ", a.numel(), " and ", b.numel(), " elements respectively");
  }
  check_multipliable(a, b, "dot");
}

void check_batches(const Tensor& a, const Tensor& b) {
  if (a.ndim() != 3) raise(PyExc_RuntimeError, "batch1 must be a 3D tensor, but it has the shape ", a.sizes());
  if (b.ndim() != 3) raise(PyExc_RuntimeError, "batch2 must be a 3D tensor, but it has the shape ", b.sizes());
  if (a.size(0) == b.size(0) && a.size(2) == b.size(1)) return;
  raise(PyExc_RuntimeError, "Expected size for first two dimensions of batch2 tensor to be: [", a.size(0), ", ",
        a.size(2), "] but got: [", b.size(0), ", ", b.size(1), "].\n  Shapes: ", a.sizes(), " and ", b.sizes(),
        "; both need the same number of matrices, and columns of the first must equal rows of the second.");
}

}  // namespace chainrule
