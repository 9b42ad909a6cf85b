// Where a tensor's elements are not zero.
#include "ops/indexing/nonzero.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "backends/mask.hpp"
#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/split.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

// Which elements are not zero, as contiguous bytes of 0 or 1.
Tensor flags_of(const Tensor& x) {
  GradModeScope off(false);
  return contiguous(to_dtype(x, DType::Bool));
}

int64_t count_flags(const Tensor& flags) {
  int64_t found = 0;  // no kernel runs on meta
  backend().mask->count({flags.sizes(), flags.data<uint8_t>(), flags.strides(), &found});
  return found;
}

// Coordinates lie together by dimension, as PyTorch has them.
Tensor coordinates(const Tensor& flags, int64_t found) {
  Tensor result = empty(Dims{flags.ndim(), found}, DType::Int64);
  backend().mask->coordinates({flags.sizes(), flags.data<uint8_t>(), found, result.data<int64_t>()});
  return result;
}

}  // namespace

Tensor nonzero(const Tensor& x) {
  Tensor flags = flags_of(x);
  int64_t found = count_flags(flags);
  Dims sizes{found, x.ndim()}, strides{1, found};
  if (found <= 1) strides = contiguous_strides(sizes);
  Tensor by_dimension = coordinates(flags, found);
  return tensor_over(by_dimension->storage, sizes, strides, 0, DType::Int64);
}

Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill) {
  check(size >= 0, "nonzero_static: 'size' must be an non-negative integer, but it is ", size);
  Tensor flags = flags_of(x), result = full(Dims{size, x.ndim()}, Scalar::of_int(fill), DType::Int64);
  int64_t found = std::min(size, count_flags(flags));
  GradModeScope off(false);
  if (found > 0 && x.ndim() > 0) copy_elements(narrow(result, 0, 0, found), t(coordinates(flags, found)));
  return result;
}

std::vector<Tensor> nonzero_by_dimension(const Tensor& x) {
  GradModeScope off(false);
  return unbind(nonzero(x.ndim() ? x : unsqueeze(x, 0)), 1);
}

}  // namespace chainrule
