// Enlarging a tensor at the ends of its last dimensions by what it holds: mirrored, or its first and last elements.
#include <limits>

#include "autograd/record.hpp"
#include "backends/padding.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/pad.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/memory_format.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kReflectionPads[] = {
    {"reflection_pad1d", "ReflectionPad1DBackward0", "g, what was mirrored added to where it came from"},
    {"reflection_pad2d", "ReflectionPad2DBackward0", "g, what was mirrored added to where it came from"},
    {"reflection_pad3d", "ReflectionPad3DBackward0", "g, what was mirrored added to where it came from"}};
OpInfo kReplicationPads[] = {
    {"replication_pad1d", "ReplicationPad1DBackward0", "g, what was repeated added to where it came from"},
    {"replication_pad2d", "ReplicationPad2DBackward0", "g, what was repeated added to where it came from"},
    {"replication_pad3d", "ReplicationPad3DBackward0", "g, what was repeated added to where it came from"}};
OpInfo kReflectionPadGradients[] = {
    {"reflection_pad1d_backward", "ReflectionPad1DBackwardBackward0", "g, padded in the same way"},
    {"reflection_pad2d_backward", "ReflectionPad2DBackwardBackward0", "g, padded in the same way"},
    {"reflection_pad3d_backward", "ReflectionPad3DBackwardBackward0", "g, padded in the same way"}};
OpInfo kReplicationPadGradients[] = {
    {"replication_pad1d_backward", "ReplicationPad1DBackwardBackward0", "g, padded in the same way"},
    {"replication_pad2d_backward", "ReplicationPad2DBackwardBackward0", "g, padded in the same way"},
    {"replication_pad3d_backward", "ReplicationPad3DBackwardBackward0", "g, padded in the same way"}};

RepeatedPadding padding_of(Span sizes, Span pad, bool reflects, MemoryFormat format) {
  RepeatedPadding p;
  const size_t dims = pad.size() / 2;
  for (size_t i = 0; i < sizes.size() - dims; ++i) p.planes *= sizes[i];
  if (format != MemoryFormat::Contiguous) p.lanes = sizes[1], p.planes = sizes[0];
  for (size_t i = 0; i < dims; ++i)
    p.along[2 - i] = PaddedDimension(sizes[sizes.size() - 1 - i], pad[2 * i], pad[2 * i + 1], reflects);
  return p;
}

// PyTorch's words for the user stand in Python, where it is known which function was called.
void check_repeated(const Tensor& x, Span pad, bool reflects) {
  check(pad.size() % 2 == 0 && pad.size() >= 2 && pad.size() <= 6 && pad.size() / 2 <= x.sizes().size(),
        "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now, but got padding ", pad,
        " of input ", x.sizes());
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t n = x.sizes()[x.sizes().size() - 1 - i], most = reflects ? n - 1 : std::numeric_limits<int64_t>::max();
    check(n > 0 && pad[2 * i] <= most && pad[2 * i + 1] <= most,
          "Padding size should be less than the corresponding input dimension, but got: padding ", pad, " of input ",
          x.sizes());
  }
}

Tensor repeated_pad_gradient(const Tensor& g, const Tensor& x, Span pad, bool reflects) {
  const Span sizes = x.sizes();
  const DType type = is_complex(g.dtype()) ? g.dtype() : kernel_dtype(g.dtype());
  Tensor from, dx;
  {
    GradModeScope off(false);
    const MemoryFormat format = suggested_format(x);
    from = contiguous_in(format, to_dtype(g, type));
    dx = empty_in(format, sizes, type);
    backend().padding->repeat_gradient({padding_of(sizes, pad, reflects, format), type, from->data, dx->data});
    dx = to_dtype(dx, g.dtype());
  }
  OpInfo* ops = reflects ? kReflectionPadGradients : kReplicationPadGradients;
  return record(ops[pad.size() / 2 - 1], dx, {&g}, {}, [given = Dims(pad), reflects](Backward& b, Kept* kept) {
    if (kept) return kept->add("padding", given);
    b.give(0, repeated_pad(b.g(), given, reflects));
  });
}

}  // namespace

Tensor repeated_pad(const Tensor& x, Span pad, bool reflects) {
  check_repeated(x, pad, reflects);
  const MemoryFormat format = suggested_format(x);
  Dims sizes(x.sizes());
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t& size = sizes[x.ndim() - 1 - static_cast<int>(i)];
    size = (CheckedSize(size) + pad[2 * i] + pad[2 * i + 1]).value();
  }
  Tensor out = empty_in(format, sizes, x.dtype()), from;  // before an index is made for each place
  {
    GradModeScope off(false);
    from = contiguous_in(format, x);
  }
  if (out.numel() > 0)
    backend().padding->repeat({padding_of(x.sizes(), pad, reflects, format), x.dtype(), from->data, out->data});
  OpInfo* ops = reflects ? kReflectionPads : kReplicationPads;
  return record(ops[pad.size() / 2 - 1], out, {&x}, {&x}, [given = Dims(pad), reflects](Backward& b, Kept* kept) {
    if (kept) return kept->add("padding", given, "self", Slot{0});
    b.give(0, repeated_pad_gradient(b.g(), b.saved(0), given, reflects));
  });
}

}  // namespace chainrule
