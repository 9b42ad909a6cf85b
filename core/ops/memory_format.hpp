// The order of dimensions in memory that a caller may ask for.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// The strides of a fresh tensor; raises when the format does not belong to that number of dimensions.
Dims strides_in(MemoryFormat format, Span sizes);
// The same, where Preserve means the order of `like`.
Dims strides_like(const Tensor& like, MemoryFormat format);
// Channels last for a tensor that lies so and not contiguously, which results keep.
MemoryFormat suggested_format(const Tensor& t);
bool is_contiguous_in(MemoryFormat format, const Tensor& t);
Tensor clone_in(MemoryFormat format, const Tensor& t);
Tensor contiguous_in(MemoryFormat format, const Tensor& t);  // itself when it already is

}  // namespace chainrule
