// The order of dimensions in memory that a caller may ask for.
#pragma once
#include "tensor/tensor.hpp"

namespace chainrule {

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// The strides of a fresh tensor; raises when the format does not belong to that number of dimensions.
Dims strides_in(MemoryFormat format, Span sizes);
// The same, where Preserve means the order of `like`.
Dims strides_like(const Tensor& like, MemoryFormat format);
bool is_contiguous_in(MemoryFormat format, const Tensor& t);
Tensor empty_in(MemoryFormat format, Span sizes, DType dtype);
Tensor clone_in(MemoryFormat format, const Tensor& t);
Tensor contiguous_in(MemoryFormat format, const Tensor& t);  // itself when it already is
Tensor copy_column_major(const Tensor& matrices);            // without history

// Note [Layouts of results]
// A result keeps the order of its input: where the input's strides say that channels lie last, so they do in the
// result. An operation asks once for the suggested_format of its input, for which a contiguous one pays a comparison.
// Some kernels take channels that lie last as they are; others work on contiguous tensors, and laid_out copies their
// results. Which operations do so, and whether a gradient follows the input or the incoming gradient, is PyTorch's
// choice, one operation at a time.

MemoryFormat format_of_strides(const Tensor& t);  // for 4 or 5 dimensions
inline MemoryFormat suggested_format(const Tensor& t) {
  const int last = t.ndim() - 1;
  if ((last != 3 && last != 4) || t.stride(1) > t.stride(last)) [[likely]]
    return MemoryFormat::Contiguous;
  return format_of_strides(t);
}
// For a fresh contiguous tensor.
inline Tensor laid_out(Tensor t, MemoryFormat format) {
  return format == MemoryFormat::Contiguous ? t : clone_in(format, t);
}

}  // namespace chainrule
