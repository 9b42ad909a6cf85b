// Convolution that forms only the products that there are; see convolution_gathered.hpp.
#include "ops/networks/convolution_gathered.hpp"

#include <cmath>

#include "ops/create/create.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/indexing/index_write.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/join.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

int64_t times(CheckedSize a, int64_t b) { return (a * b).value(); }

// Where the windows read along dimension d, tap by tap; one past the end where that is padding.
Tensor positions(const ConvolutionShape& s, size_t d) {
  auto steps = [](int64_t count, int64_t step) {
    return arange(Scalar::of_int(0), Scalar::of_int(count), Scalar::of_int(1), DType::Int64) * Scalar::of_int(step);
  };
  const Scalar outside = Scalar::of_int(s.in[d]);
  Tensor at =
      unsqueeze(steps(s.out[d], s.stride[d]) - Scalar::of_int(s.padding[d]), 1) + steps(s.kernel[d], s.dilation[d]);
  at = elementwise(OpId::where, {elementwise(OpId::lt, {at, Scalar::of_int(0)}), outside, at});
  at = elementwise(OpId::where, {elementwise(OpId::gt, {at, outside}), outside, at});
  return reshape(at, Dims{at.numel()});
}

// (batch, groups, windows, what each of them reads)
Tensor columns_of(const ConvolutionShape& s, const Tensor& x) {
  Tensor t = reshape(x, Dims{s.batch, times(s.groups, s.in_channels), s.in[0], s.in[1], s.in[2]});
  for (size_t d = 0; d < 3; ++d) {
    const int dim = static_cast<int>(d) + 2;
    Dims padding(t.sizes());
    padding[dim] = 1;
    t = index_select(cat(std::vector<Tensor>{t, zeros(padding, t.dtype())}, dim), dim, positions(s, d));
  }
  t = reshape(
      t, Dims{s.batch, s.groups, s.in_channels, s.out[0], s.kernel[0], s.out[1], s.kernel[1], s.out[2], s.kernel[2]});
  t = permute(t, Dims{0, 1, 3, 5, 7, 2, 4, 6, 8});
  return reshape(t, Dims{s.batch, s.groups, s.out_pixels(), s.weight_columns()});
}

// The transpose of columns_of.
Tensor put_back(const ConvolutionShape& s, const Tensor& columns) {
  Tensor t = reshape(columns, Dims{s.batch, s.groups, s.out[0], s.out[1], s.out[2], s.in_channels, s.kernel[0],
                                   s.kernel[1], s.kernel[2]});
  t = permute(t, Dims{0, 1, 5, 2, 6, 3, 7, 4, 8});
  t = reshape(t, Dims{s.batch, times(s.groups, s.in_channels), times(s.out[0], s.kernel[0]),
                      times(s.out[1], s.kernel[1]), times(s.out[2], s.kernel[2])});
  for (size_t d = 0; d < 3; ++d) {
    const int dim = static_cast<int>(d) + 2;
    Dims sizes(t.sizes());
    sizes[dim] = s.in[d] + 1;
    Tensor whole = index_add(zeros(sizes, t.dtype()), dim, positions(s, d), t, Scalar::of_int(1), Place::Itself);
    t = narrow(whole, dim, 0, s.in[d]);
  }
  return t;
}

Tensor weight_rows(const ConvolutionShape& s, const Tensor& weight) {
  return reshape(weight, Dims{s.groups, s.out_channels, s.weight_columns()});
}
Tensor gradient_rows(const ConvolutionShape& s, const Tensor& g) {
  return reshape(g, Dims{s.batch, s.groups, s.out_channels, s.out_pixels()});
}

}  // namespace

bool reads_far_apart(const ConvolutionShape& s) {
  double padded = 1, read = 1;
  for (size_t d = 0; d < 3; ++d) {
    padded *= static_cast<double>(s.in[d]) + 2 * static_cast<double>(s.padding[d]);
    read *= static_cast<double>(s.in[d]) + static_cast<double>(s.out[d]) * static_cast<double>(s.kernel[d]);
  }
  return padded > 0x1p20 + 16 * read;
}

bool is_finite(const Tensor& t) {
  Dims all;
  for (int d = 0; d < t.ndim(); ++d) all.push_back(d);
  return std::isfinite(item(sum(t, all, false, {})).real);
}

Tensor gathered_value(const ConvolutionShape& s, const Tensor& x, const Tensor& weight) {
  Tensor y = matmul(weight_rows(s, weight), transpose(columns_of(s, x), 2, 3));
  return reshape(y, Dims{s.batch, times(s.groups, s.out_channels), s.out[0], s.out[1], s.out[2]});
}

Tensor gathered_input_gradient(const ConvolutionShape& s, const Tensor& g, const Tensor& weight) {
  return put_back(s, matmul(transpose(gradient_rows(s, g), 2, 3), weight_rows(s, weight)));
}

Tensor gathered_weight_gradient(const ConvolutionShape& s, const Tensor& g, const Tensor& x) {
  Tensor per_sample = matmul(gradient_rows(s, g), columns_of(s, x));
  return reshape(sum(per_sample, Dims{0}, false, {}),
                 Dims{times(s.groups, s.out_channels), s.in_channels, s.kernel[0], s.kernel[1], s.kernel[2]});
}

}  // namespace chainrule
