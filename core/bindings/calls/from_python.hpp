// tensor(data): nested sequences, numbers, arrays and tensors become a tensor.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

// A fresh tensor with the data's shape; dtype inferred as PyTorch does when none is given.
Tensor tensor_from_python(PyObject* data, std::optional<DType> dtype);
// An index of any kind: bool and uint8 stay, all else becomes int64.
Tensor index_from_python(PyObject* data);
// Nested lists of Python numbers, or one number for a 0-d tensor; a new reference.
PyObject* to_list(const Tensor& t);

}  // namespace chainrule
