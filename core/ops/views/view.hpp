// Other looks at the same memory.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

Tensor view(const Tensor& t, Span sizes);  // raises when the strides do not allow it
// The same bytes as another dtype; elements of another size change the last dimension. Not recorded.
Tensor view_dtype(const Tensor& t, DType dtype);
Tensor reshape(const Tensor& t, Span sizes);      // copies when they do not
Tensor unsafe_view(const Tensor& t, Span sizes);  // the same for a result that nobody else will hold: not a view of it
Tensor expand(const Tensor& t, Span sizes);       // -1 keeps a size
Tensor permute(const Tensor& t, Span dims);
Tensor transpose(const Tensor& t, int64_t dim0, int64_t dim1);
Tensor t(const Tensor& x);
// `listed`: a list of one dimension, which PyTorch has another node for.
Tensor squeeze(const Tensor& t, const Dims* dims = nullptr, bool listed = false);
Tensor unsqueeze(const Tensor& t, int64_t dim);
Tensor flatten(const Tensor& t, int64_t start, int64_t end);
Tensor select(const Tensor& t, int64_t dim, int64_t index);
Tensor slice(const Tensor& t, int64_t dim, int64_t start, int64_t stop, int64_t step);  // bounds already clamped
// The same with bounds as in t[start:stop:step], negative ones from the end.
Tensor slice_between(const Tensor& t, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop,
                     int64_t step);
Tensor narrow(const Tensor& t, int64_t dim, int64_t start, int64_t length);
// Windows of `size` elements along `dim`, `step` apart; the elements of a window are the last dimension.
Tensor unfold(const Tensor& t, int64_t dim, int64_t size, int64_t step);
Tensor detach(const Tensor& t);
Tensor adjoint_matrix(const Tensor& t, const char* name);  // mT, which errors call `name`
Tensor view_as_alias(const Tensor& t);

// Where the slice at `index` of a dimension begins, in elements from the tensor's first.
int64_t first_of(const Tensor& t, int dim, int64_t index);
// Sizes with -1 replaced, checked against the number of elements.
Dims infer_sizes(Span sizes, int64_t numel);
// Strides that show the same elements as `sizes`, or false when only a copy could.
bool view_strides(Span old_sizes, Span old_strides, Span sizes, int64_t numel, Dims& strides);

}  // namespace chainrule
