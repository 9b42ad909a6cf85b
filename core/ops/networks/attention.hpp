// Scaled dot-product attention.
#pragma once
#include <optional>

#include "tensor/tensor.hpp"

namespace chainrule {

// softmax(q @ k.T * scale + mask) @ v over the last two dimensions. A mask of truth values says what may be seen. With
// `grouped`, k and v have fewer heads (dimension -3), each shared by several of q's.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                                    double dropout, bool causal, std::optional<double> scale, bool grouped);

}  // namespace chainrule
