// Taking a tensor apart into views.
#pragma once
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

std::vector<Tensor> split(const Tensor& t, int64_t size, int64_t dim);  // pieces of `size`, the last one smaller
std::vector<Tensor> split_with_sizes(const Tensor& t, Span sizes, int64_t dim);
std::vector<Tensor> chunk(const Tensor& t, int64_t chunks, int64_t dim);
std::vector<Tensor> tensor_split(const Tensor& t, int64_t sections, int64_t dim);
std::vector<Tensor> tensor_split_at(const Tensor& t, Span indices, int64_t dim);
// hsplit, vsplit and dsplit, by the number of dimensions that a tensor needs for them.
std::vector<Tensor> split_axis(int least, const Tensor& t, int64_t sections);
std::vector<Tensor> split_axis_at(int least, const Tensor& t, Span indices);
std::vector<Tensor> unbind(const Tensor& t, int64_t dim);

}  // namespace chainrule
