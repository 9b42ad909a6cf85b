// Where a tensor's elements are not zero.
#include "ops/nonzero.hpp"

#include <algorithm>

#include "autograd/record.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/split.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

// Which elements are not zero, as contiguous bytes of 0 or 1.
Tensor flags_of(const Tensor& x) {
  GradModeScope off(false);
  return contiguous(to_dtype(x, DType::Bool));
}

int64_t count_flags(const Tensor& flags) {
  const auto* bits = flags.data<uint8_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < flags.numel(); ++i) found += bits[i];
  return found;
}

// Writes the coordinates of the first `found` flags: coordinate d of flag i to out[d * found + i].
void write_coordinates(const Tensor& flags, int64_t found, int64_t* out) {
  int last = flags.ndim() - 1;
  if (last < 0 || found == 0) return;
  int64_t length = flags.size(last), written = 0;
  int64_t* columns = out + last * found;
  const auto* bits = flags.data<uint8_t>();
  Dims at(last);  // the row's own coordinates
  for (; written < found; bits += length) {
    int64_t before = written;
    for (int64_t j = 0; j < length && written < found; ++j) {  // written anyway, kept if the flag says so
      columns[written] = j;
      written += bits[j];
    }
    for (int d = 0; d < last; ++d) std::fill(out + d * found + before, out + d * found + written, at[d]);
    for (int d = last; d-- > 0; at[d] = 0) {
      if (++at[d] < flags.size(d)) break;
    }
  }
}

// Coordinates lie together by dimension, as PyTorch has them.
Tensor coordinates(const Tensor& flags, int64_t found) {
  Tensor result = empty(Dims{flags.ndim(), found}, DType::Int64);
  write_coordinates(flags, found, result.data<int64_t>());
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
