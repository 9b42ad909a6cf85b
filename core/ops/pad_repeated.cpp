// Enlarging a tensor at the ends of its last dimensions by what it holds: mirrored, or its first and last elements.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "autograd/record.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/copy.hpp"
#include "ops/kernel_input.hpp"
#include "ops/memory_format.hpp"
#include "ops/pad.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/element_type.hpp"
#include "tensor/item_type.hpp"

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

// One dimension: which element of the tensor each place of the padded one holds.
struct PaddedDimension {
  int64_t size = 1, before = 0, after = 0;
  bool reflects = false;
  int64_t first = 0, last = 1;  // the places in between hold neighbours, from source(first) on

  PaddedDimension() = default;
  PaddedDimension(int64_t n, int64_t before, int64_t after, bool reflects)
      : size(n), before(before), after(after), reflects(reflects), first(std::max<int64_t>(before, 0)) {
    last = std::max(first, padded() - std::max<int64_t>(after, 0));
  }
  int64_t padded() const { return size + before + after; }
  int64_t source(int64_t place) const {
    const int64_t i = place - before, mirrored = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return reflects ? mirrored : std::clamp<int64_t>(i, 0, size - 1);
  }
};

struct RepeatedPadding {
  std::array<PaddedDimension, 3> along;  // depth, height, width
  int64_t planes = 1, lanes = 1;         // elements at each place: more than one where channels lie last

  RepeatedPadding(Span sizes, Span pad, bool reflects, MemoryFormat format) {
    const size_t dims = pad.size() / 2;
    for (size_t i = 0; i < sizes.size() - dims; ++i) planes *= sizes[i];
    if (format != MemoryFormat::Contiguous) lanes = sizes[1], planes = sizes[0];
    for (size_t i = 0; i < dims; ++i)
      along[2 - i] = PaddedDimension(sizes[sizes.size() - 1 - i], pad[2 * i], pad[2 * i + 1], reflects);
  }

  // Calls f(row of the tensor, row of the padded one) for all rows of the padded one, a plane on one thread.
  template <class F>
  void each_row(F f) const {
    const auto& [depth, height, width] = along;
    const int64_t rows = depth.padded() * height.padded();
    cpu::parallel_for(planes, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, rows * width.padded() * lanes)),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t p = begin; p < end; ++p) {
                          for (int64_t r = 0; r < rows; ++r) {
                            const int64_t z = depth.source(r / height.padded());
                            const int64_t y = height.source(r % height.padded());
                            f((p * depth.size + z) * height.size + y, p * rows + r);
                          }
                        }
                      });
  }
};

template <class T>
void pad_rows(const RepeatedPadding& padding, const char* x, char* out) {
  const PaddedDimension& width = padding.along[2];
  padding.each_row([&](int64_t from, int64_t to) {
    const T* source = reinterpret_cast<const T*>(x) + from * width.size;
    T* row = reinterpret_cast<T*>(out) + to * width.padded();
    for (int64_t i = 0; i < width.first; ++i) row[i] = source[width.source(i)];
    if (width.last > width.first)
      std::memcpy(row + width.first, source + width.source(width.first),
                  static_cast<size_t>(width.last - width.first) * sizeof(T));
    for (int64_t i = width.last; i < width.padded(); ++i) row[i] = source[width.source(i)];
  });
}

// The same with several elements at each place.
void pad_places(const RepeatedPadding& padding, int64_t item, const char* x, char* out) {
  const PaddedDimension& width = padding.along[2];
  const int64_t place = padding.lanes * item;
  padding.each_row([&](int64_t from, int64_t to) {
    const char* source = x + from * width.size * place;
    char* row = out + to * width.padded() * place;
    const auto copy = [&](int64_t i, int64_t count) {
      std::memcpy(row + i * place, source + width.source(i) * place, static_cast<size_t>(count * place));
    };
    for (int64_t i = 0; i < width.first; ++i) copy(i, 1);
    if (width.last > width.first) copy(width.first, width.last - width.first);
    for (int64_t i = width.last; i < width.padded(); ++i) copy(i, 1);
  });
}

template <class T>
void add_rows(const RepeatedPadding& padding, const T* g, T* dx) {
  const PaddedDimension& width = padding.along[2];
  const int64_t lanes = padding.lanes;
  padding.each_row([&](int64_t to, int64_t from) {
    const T* row = g + from * width.padded() * lanes;
    T* target = dx + to * width.size * lanes;
    const auto add = [&](int64_t i, int64_t count) {
      T* sums = target + width.source(i) * lanes;
      for (int64_t j = 0; j < count * lanes; ++j) sums[j] = sums[j] + row[i * lanes + j];
    };
    for (int64_t i = 0; i < width.first; ++i) add(i, 1);
    if (width.last > width.first) add(width.first, width.last - width.first);
    for (int64_t i = width.last; i < width.padded(); ++i) add(i, 1);
  });
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
    const RepeatedPadding padding(sizes, pad, reflects, format);
    from = contiguous_in(format, to_dtype(g, type));
    dx = empty_in(format, sizes, type);
    std::memset(dx->data, 0, static_cast<size_t>(dx.numel()) * size_of(type));
    if (from.numel() > 0)
      with_arithmetic_type(type, [&]<class T>(T*) { add_rows<T>(padding, from.data<T>(), dx.data<T>()); });
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
  const RepeatedPadding padding(x.sizes(), pad, reflects, format);
  {
    GradModeScope off(false);
    from = contiguous_in(format, x);
  }
  const auto item = static_cast<int64_t>(size_of(x.dtype()));
  if (out.numel() > 0 && padding.lanes > 1)
    pad_places(padding, item, from->data, out->data);
  else if (out.numel() > 0)
    with_item_type(item, [&]<class T>(T*) { pad_rows<T>(padding, from->data, out->data); });
  OpInfo* ops = reflects ? kReflectionPads : kReplicationPads;
  return record(ops[pad.size() / 2 - 1], out, {&x}, {&x}, [given = Dims(pad), reflects](Backward& b, Kept* kept) {
    if (kept) return kept->add("padding", given, "self", Slot{0});
    b.give(0, repeated_pad_gradient(b.g(), b.saved(0), given, reflects));
  });
}

}  // namespace chainrule
