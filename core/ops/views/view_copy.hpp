// Copies of views: squeeze_copy and the like.
#pragma once
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule {

// A copy of a view that was just made, with the view's history under the name of the copying form.
Tensor view_copy(const Tensor& view);
Tensor narrow_copy(const Tensor& t, int64_t dim, int64_t start, int64_t length);  // named as an op of its own
// The same for the pieces of split and kin.
std::vector<Tensor> view_copies(const std::vector<Tensor>& views);
// Pieces that are copies too, whose history calls them by their own name: unsafe_split.
std::vector<Tensor> unsafe_pieces(const std::vector<Tensor>& views);

}  // namespace chainrule
