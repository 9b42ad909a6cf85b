// The order of dimensions in memory that a caller may ask for.
#include "ops/views/memory_format.hpp"

#include "autograd/record.hpp"
#include "ops/views/copy.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

int rank_of(MemoryFormat format) { return format == MemoryFormat::ChannelsLast ? 4 : 5; }

// The dimensions from the one that lies closest in memory: channels, then space from the last, then the batch.
Dims channels_first_in_memory(int rank) {
  Dims order{1};
  for (int d = rank - 1; d > 1; --d) order.push_back(d);
  order.push_back(0);
  return order;
}

Dims channels_last_strides(MemoryFormat format, Span sizes) {
  int rank = rank_of(format);
  if (static_cast<int>(sizes.size()) != rank) {
    raise(PyExc_RuntimeError, "required rank ", rank, " tensor to use channels_last", rank == 5 ? "_3d" : "",
          " format");
  }
  Dims strides(rank);
  int64_t step = 1;
  for (int64_t d : channels_first_in_memory(rank)) {
    strides[static_cast<int>(d)] = step;
    step *= std::max<int64_t>(sizes[static_cast<size_t>(d)], 1);
  }
  return strides;
}

}  // namespace

Dims strides_in(MemoryFormat format, Span sizes) {
  if (format == MemoryFormat::Preserve) raise(PyExc_RuntimeError, "unsupported memory format Preserve");
  return format == MemoryFormat::Contiguous ? contiguous_strides(sizes) : channels_last_strides(format, sizes);
}

Dims strides_like(const Tensor& like, MemoryFormat format) {
  return format == MemoryFormat::Preserve ? dense_strides_like(like) : strides_in(format, like.sizes());
}

bool is_contiguous_in(MemoryFormat format, const Tensor& t) {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve) return t.is_contiguous();
  if (t.ndim() != rank_of(format)) return false;
  Dims wanted = channels_last_strides(format, t.sizes());
  for (int d = 0; d < t.ndim(); ++d) {
    if (t.size(d) != 1 && t.stride(d) != wanted[d]) return false;
  }
  return true;
}

// Each dimension must step over all that lie closer; gaps are no matter. Where sizes of 1 leave two answers, the
// strides of those dimensions decide, and equal ones mean contiguous.
MemoryFormat format_of_strides(const Tensor& t) {
  if (t.numel() == 0 || t.stride(1) == 0) return MemoryFormat::Contiguous;
  int64_t reach = 0;
  for (int64_t i : channels_first_in_memory(t.ndim())) {
    const int d = static_cast<int>(i);
    if (t.stride(d) < reach || (d == 0 && reach == t.stride(1))) return MemoryFormat::Contiguous;
    reach = t.stride(d) * t.size(d);
  }
  return t.ndim() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

Tensor empty_in(MemoryFormat format, Span sizes, DType dtype) {
  if (format == MemoryFormat::Contiguous) return empty(sizes, dtype);
  return empty_strided(sizes, strides_in(format, sizes), dtype);
}

Tensor clone_in(MemoryFormat format, const Tensor& t) {
  return format == MemoryFormat::Preserve ? clone(t) : copy_strided(t, strides_in(format, t.sizes()));
}

Tensor contiguous_in(MemoryFormat format, const Tensor& t) {
  if (is_contiguous_in(format, t)) return t;
  if (format == MemoryFormat::Preserve) {
    raise(PyExc_RuntimeError, "preserve memory format is unsupported by the contiguous operator");
  }
  return clone_in(format, t);
}

Tensor copy_column_major(const Tensor& a) {
  Dims strides(a.sizes());
  const int n = a.ndim();
  int64_t step = a.size(n - 2) * a.size(n - 1);
  for (int i = n - 3; i >= 0; --i) {
    strides[i] = step;
    step *= a.size(i);
  }
  strides[n - 2] = 1;
  strides[n - 1] = a.size(n - 2);
  GradModeScope off(false);
  return copy_strided(a, strides);
}

}  // namespace chainrule
