// The layout in memory of an elementwise operation's fresh result.
#include "ops/elementwise/elementwise_layout.hpp"

#include "ops/views/memory_format.hpp"
#include "tensor/memory_order.hpp"

namespace chainrule {
namespace {

// A tensor's strides along the dimensions of the result, 0 where it is broadcast.
Dims strides_within(Span sizes, const TensorObject* t) {
  Dims strides(static_cast<int>(sizes.size()));
  int missing = strides.size() - t->ndim;
  for (int d = missing; d < strides.size(); ++d) {
    bool broadcast = t->sizes()[d - missing] == 1 && sizes[d] != 1;
    strides[d] = broadcast ? 0 : t->strides()[d - missing];
  }
  return strides;
}

// PyTorch's strides of images with channels last are made anew, also those of dimensions of size one.
Dims settled(const TensorObject* t, Span layout) {
  if (t->ndim != 4 || t->has(kContiguous)) return Dims(layout);
  const bool last = is_contiguous_in(MemoryFormat::ChannelsLast, Tensor::borrow(const_cast<TensorObject*>(t)));
  return last ? strides_in(MemoryFormat::ChannelsLast, {t->sizes(), t->ndim}) : Dims(layout);
}

// Where all tensors have one shape and one dense layout, so has the output; otherwise their memory orders decide.
Dims common_strides(Span sizes, std::span<const TensorObject* const> tensors) {
  const TensorObject* first = tensors[0];
  Span layout(first->strides(), first->ndim);
  bool alike = is_dense(Span(first->sizes(), first->ndim), layout);
  for (const TensorObject* t : tensors)
    alike = alike && has_shape(t, sizes) && equal(Span(t->strides(), t->ndim), layout);
  if (alike) return settled(first, layout);
  std::vector<Dims> operands;
  for (const TensorObject* t : tensors) operands.push_back(strides_within(sizes, t));
  return dense_strides(sizes, operands);
}

// A number to the power of a tensor and logsigmoid are contiguous in PyTorch, whatever the tensor is.
bool is_plain(const OpRecord& op, std::span<const Operand> in) {
  return (op.id == OpId::pow && !in[0].tensor) || op.id == OpId::logsigmoid;
}

}  // namespace

Dims fresh_strides(const OpRecord& op, Span sizes, std::span<const Operand> in) {
  const TensorObject* tensors[kMaxInputs];
  size_t count = 0;
  bool contiguous = true;
  for (const Operand& o : in) {
    if (!o.tensor) continue;
    tensors[count++] = o.tensor;
    contiguous = contiguous && o.tensor->has(kContiguous) && has_shape(o.tensor, sizes);
  }
  if (is_plain(op, in) || (contiguous && !keeps_strides(in))) return contiguous_strides(sizes);
  return common_strides(sizes, {tensors, count});
}

}  // namespace chainrule
