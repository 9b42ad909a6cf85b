// Pooling: windows, values, and gradients by the positions of the values.
#include "ops/networks/pool.hpp"

#include "ops/indexing/along.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/pool_windows.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/deterministic.hpp"

namespace chainrule {
namespace {

// Indexed by the number of dimensions.
OpInfo kMax[] = {{},
                 {},
                 {"max_pool2d_with_indices", "MaxPool2DWithIndicesBackward0", "g added where the largest element was"},
                 {"max_pool3d_with_indices", "MaxPool3DWithIndicesBackward0", "g added where the largest element was"}};
OpInfo kAdaptiveMax[] = {
    {},
    {},
    {"adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0", "g added where the largest element was"},
    {"adaptive_max_pool3d", "AdaptiveMaxPool3DBackward0", "g added where the largest element was"}};
OpInfo kFractional[] = {
    {},
    {},
    {"fractional_max_pool2d", "FractionalMaxPool2DBackward0", "g added where the largest element was"},
    {"fractional_max_pool3d", "FractionalMaxPool3DBackward0", "g added where the largest element was"}};
OpInfo kAverage[] = {{},
                     {},
                     {"avg_pool2d", "AvgPool2DBackward0", "g shared among the elements of the window", true},
                     {"avg_pool3d", "AvgPool3DBackward0", "g shared among the elements of the window", true}};
OpInfo kAdaptiveAverage[] = {
    {},
    {},
    {"adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0", "g shared among the elements of the window", true},
    {"adaptive_avg_pool3d", "AdaptiveAvgPool3DBackward0", "g shared among the elements of the window", true}};
OpInfo kUnpool[] = {{},
                    {},
                    {"max_unpool2d", "MaxUnpool2DBackward0", "g at the positions"},
                    {"max_unpool3d", "MaxUnpool3DBackward0", "g at the positions"}};
OpInfo kSpread{"avg_pool_backward", "AvgPool2DBackwardBackward0", "g averaged over the windows"};

// Of PyTorch's pools over three dimensions only the sliding maximum keeps the layout; see Note [Layouts of results].
MemoryFormat pooled_format(const OpInfo& op, int dims, const Tensor& x) {
  const bool keeps = x.ndim() == dims + 2 && (dims == 2 || &op == &kMax[3]);
  return keeps ? suggested_format(x) : MemoryFormat::Contiguous;
}

Dims pooled_sizes(const Tensor& x, int dims, const PoolWindows& w) {
  Dims sizes(x.sizes());
  for (int d = 0; d < dims; ++d) sizes[x.ndim() - dims + d] = w.out(3 - dims + d);
  return sizes;
}

int64_t planes_of(Span sizes, int dims) {
  int64_t planes = 1;
  for (size_t i = 0; i + static_cast<size_t>(dims) < sizes.size(); ++i) planes *= sizes[i];
  return planes;
}

// Floats as other kernels take them, integers in int64.
Tensor as_read_by_pools(const Tensor& t, MemoryFormat format) {
  Tensor numbers = to_dtype(t, is_integral(t.dtype()) ? DType::Int64 : kernel_dtype(t.dtype()));
  return format == MemoryFormat::Contiguous ? contiguous(numbers) : contiguous_in(format, numbers);
}

// Kernels also take channels that lie last, so that nothing is copied.
Planes planes_in(MemoryFormat format, Span sizes, int dims) {
  if (format == MemoryFormat::Contiguous) return {planes_of(sizes, dims)};
  return {sizes[0], sizes[1]};
}

// The elements of x (planes of `size`) at positions, and its transpose.
Tensor planes_view(const Tensor& t, int dims) {
  int64_t planes = planes_of(t.sizes(), dims);
  return reshape(t, Dims{planes, planes ? t.numel() / planes : 0});
}

// Raises nothing: indices come from our own kernels or were checked.
Tensor values_to_planes(const Tensor& g, const Tensor& indices, int dims, const Dims& sizes) {
  int64_t planes = planes_of(sizes, dims), size = count(Span(sizes).last(static_cast<size_t>(dims)));
  return reshape(add_along(planes_view(g, dims), 1, planes_view(indices, dims), Dims{planes, size}), sizes);
}

// Adaptive pooling has no options, fractional pooling only windows.
void show_options(Kept& kept, const Node* n, const PoolOptions& o) {
  if (o.kernel.empty()) return;
  if (o.padding.empty())
    return kept.add("kernel_size", o.kernel, "output_size",
                    n->outputs[0].sizes().last(static_cast<size_t>(o.kernel.size())));
  kept.add("kernel_size", o.kernel, "stride", o.stride, "padding", o.padding, "ceil_mode", o.ceil);
}

// Adaptive windows of no size give an empty output, through which PyTorch takes no gradient back.
void check_adaptive_gradient(const Node* n, const PoolOptions& o) {
  if (!o.kernel.empty()) return;
  const Span sizes = n->outputs[0].sizes();
  for (size_t d = 1; d < sizes.size(); ++d) {
    check(
        sizes[d] > 0, n->op->name,
        "_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes ",
        sizes, " with dimension ", d, " being empty");
  }
}

Tensor record_positions(OpInfo& op, const Tensor& values, const Tensor& x, const Tensor& indices, int dims,
                        const PoolOptions& o, MemoryFormat format) {
  return record(op, values, {&x}, {&indices}, [dims, sizes = Dims(x.sizes()), o, format](Backward& b, Kept* kept) {
    if (kept) {
      show_options(*kept, b.node(), o);
      if (!o.dilation.empty()) kept->add("dilation", o.dilation);
      return kept->add("result1", Slot{0});
    }
    check_adaptive_gradient(b.node(), o);
    b.give(0, laid_out(values_to_planes(b.g(), b.saved(0), dims, sizes), format));
  });
}

Pooled pool_by_max(OpInfo& op, int dims, const Tensor& x, const PoolWindows& w, const PoolOptions& o) {
  const MemoryFormat format = pooled_format(op, dims, x);
  const Dims sizes = pooled_sizes(x, dims, w);
  Tensor values, indices = empty_in(format, sizes, DType::Int64);
  {
    GradModeScope off(false);
    Tensor from = as_read_by_pools(x, format), out = empty_in(format, sizes, from.dtype());
    if (out.numel() > 0)
      backend().pool->max(
          {w, planes_in(format, x.sizes(), dims), from.dtype(), from->data, out->data, indices.data<int64_t>()});
    values = to_dtype(out, x.dtype());
  }
  return {record_positions(op, values, x, indices, dims, o, format), indices};
}

Tensor average_transpose(const Tensor& g, int dims, const Dims& sizes, const PoolWindows& w, int64_t divisor,
                         MemoryFormat format);

Tensor pool_by_average(OpInfo& op, int dims, const Tensor& x, const PoolWindows& w, int64_t divisor,
                       const PoolOptions& o) {
  Tensor y;
  const MemoryFormat format = pooled_format(op, dims, x);
  {
    GradModeScope off(false);
    Tensor from = as_read_by_pools(x, format), out = empty_in(format, pooled_sizes(x, dims, w), from.dtype());
    if (out.numel() > 0)
      backend().pool->average({w, planes_in(format, x.sizes(), dims), from.dtype(), from->data, out->data, divisor});
    y = to_dtype(out, x.dtype());
  }
  return record(op, y, {&x}, {}, [dims, w, divisor, o, format, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) {
      if (!o.kernel.empty()) kept->add("count_include_pad", o.counts_padding, "divisor_override", o.divisor);
      return show_options(*kept, b.node(), o);
    }
    check_adaptive_gradient(b.node(), o);
    b.give(0, average_transpose(b.g(), dims, sizes, w, divisor, format));
  });
}

Tensor average_transpose(const Tensor& g, int dims, const Dims& sizes, const PoolWindows& w, int64_t divisor,
                         MemoryFormat format) {
  Tensor result;
  {
    GradModeScope off(false);
    Tensor from = as_read_by_pools(g, format), out = empty_in(format, sizes, from.dtype());
    if (out.numel() > 0)
      backend().pool->average_gradient(
          {w, planes_in(format, sizes, dims), from.dtype(), from->data, out->data, divisor});
    result = to_dtype(out, g.dtype());
  }
  return record(kSpread, result, {&g}, {}, [dims, w, divisor](Backward& b) {
    b.give(0, pool_by_average(kAverage[dims], dims, b.g(), w, divisor, {}));
  });
}

// One dimension is pooled as two, of which the first has size 1.
Tensor with_height(const Tensor& x) { return unsqueeze(x, -2); }
Tensor without_height(const Tensor& y) {
  Dims height{y.ndim() - 2};
  return squeeze(y, &height);
}
Dims behind(int64_t first, const Dims& values) {
  if (values.empty()) return {};
  return {first, values[0]};
}
PoolOptions with_height(PoolOptions o) {
  o.kernel = behind(1, o.kernel);
  o.stride = behind(1, o.stride);
  o.padding = behind(0, o.padding);
  o.dilation = behind(1, o.dilation);
  return o;
}
Pooled without_height(const Pooled& p) { return {without_height(p.first), without_height(p.second)}; }

// PyTorch shows no stride where none was given.
PoolOptions as_shown(PoolOptions full, const PoolOptions& given) {
  if (given.stride.empty()) full.stride = Dims();
  return full;
}

bool all_ones(const Dims& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 1; });
}

}  // namespace

Pooled max_pool(int dims, const Tensor& x, const PoolOptions& o) {
  if (dims == 1) {
    check_pool_input_1d("max_pool1d", x, o);
    return without_height(max_pool(2, with_height(x), with_height(o)));
  }
  PoolOptions full = checked_options("max_pool", dims, o);
  check_pool_input("max_pool", dims, x);
  require_numbers("max_pool", dims, x);
  return pool_by_max(kMax[dims], dims, x, max_windows(dims, x, full), as_shown(full, o));
}

Tensor max_pool1d(const Tensor& x, const PoolOptions& o) {
  PoolOptions wide = o;
  wide.beyond_int = true;
  check_max_pool1d(x, wide);
  require_floating(x, "max_pool1d_impl");
  return max_pool(1, x, wide).first;
}

Tensor avg_pool(int dims, const Tensor& x, const PoolOptions& o) {
  if (dims == 1) {
    check_pool_input_1d("avg_pool1d", x, o);
    return without_height(avg_pool(2, with_height(x), with_height(o)));
  }
  PoolOptions full = checked_options("avg_pool", dims, o);
  check_pool_input("avg_pool", dims, x);
  if (x.dtype() != DType::Int64) require_floating(x, dims == 2 ? "avg_pool2d" : "avg_pool3d");
  return pool_by_average(kAverage[dims], dims, x, average_windows(dims, x, full), o.divisor.value_or(0),
                         as_shown(full, o));
}

Pooled adaptive_max_pool(int dims, const Tensor& x, const Dims& out) {
  if (dims == 1) {
    check_adaptive("adaptive_max_pool1d", 1, x, out);
    return without_height(adaptive_max_pool(2, with_height(x), behind(1, out)));
  }
  const char* name = dims == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d";
  check_adaptive(name, dims, x, out);
  require_floating(x, name);
  return pool_by_max(kAdaptiveMax[dims], dims, x, adaptive_windows(dims, x, out), {});
}

Tensor adaptive_avg_pool(int dims, const Tensor& x, const Dims& out) {
  if (dims == 1) {
    check_adaptive("adaptive_avg_pool1d", 1, x, out);
    return without_height(adaptive_avg_pool(2, with_height(x), behind(1, out)));
  }
  const char* name = dims == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d";
  check_adaptive(name, dims, x, out);
  if (all_ones(out) && is_differentiable(x.dtype())) {
    Dims last;
    for (int d = dims; d > 0; --d) last.push_back(-d);
    Tensor y = mean(x, last, true, {});
    if (const MemoryFormat format = suggested_format(x); format != MemoryFormat::Contiguous && x.ndim() == dims + 2)
      set_layout(y.get(), y.sizes(), strides_in(format, y.sizes()));  // the same elements: all sizes but two are 1
    return y;
  }
  require_floating(x, name);
  return pool_by_average(kAdaptiveAverage[dims], dims, x, adaptive_windows(dims, x, out), 0, {});
}

Pooled fractional_max_pool(int dims, const Tensor& x, const Dims& kernel, const Dims& out, const Tensor& samples) {
  const char* name = dims == 2 ? "fractional_max_pool2d" : "fractional_max_pool3d";
  check_fractional(name, dims, x, kernel, out, samples);
  require_floating(x, name);
  Dims sizes(x.sizes());
  for (int d = 0; d < dims; ++d) sizes[x.ndim() - dims + d] = out[d];
  Tensor values, indices = empty(sizes, DType::Int64);
  {
    GradModeScope off(false);
    Tensor from = prepared(x), random = contiguous(to_dtype(samples, DType::Float64)), y = empty(sizes, from.dtype());
    auto in_three = [&](Span last) {
      std::array<int64_t, 3> values{1, 1, 1};
      std::copy(last.begin(), last.end(), values.end() - dims);
      return values;
    };
    backend().pool->fractional_max({dims, in_three(x.sizes().last(static_cast<size_t>(dims))), in_three(out),
                                    in_three(kernel), planes_of(x.sizes(), dims), random.data<double>(), from.dtype(),
                                    from->data, y->data, indices.data<int64_t>()});
    values = to_dtype(y, x.dtype());
  }
  PoolOptions shown;
  shown.kernel = kernel;
  return {record_positions(kFractional[dims], values, x, indices, dims, shown, MemoryFormat::Contiguous), indices};
}

Tensor max_unpool(int dims, const Tensor& x, const Tensor& indices, const Dims& out) {
  alert_not_deterministic(dims == 2 ? "max_unpooling2d_forward_out" : "max_unpooling3d_forward_out");
  check_unpool(dims, x, indices, out);
  Dims sizes(x.sizes());
  for (int d = 0; d < dims; ++d) sizes[x.ndim() - dims + d] = out[d];
  Tensor result = zeros(sizes, x.dtype());
  {
    GradModeScope off(false);
    Tensor from = contiguous(x), at = contiguous(indices);
    check_unpool_indices(at, dims, out);
    const int64_t planes = planes_of(x.sizes(), dims), item = static_cast<int64_t>(size_of(x.dtype()));
    if (planes)
      backend().pool->unpool(
          {planes, x.numel() / planes, result.numel() / planes, item, at.data<int64_t>(), from->data, result->data});
  }
  result = laid_out(result, pooled_format(kUnpool[dims], dims, x));
  return record(kUnpool[dims], result, {&x}, {&indices}, [dims, sizes = Dims(x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("indices", Slot{0});
    b.give(0, reshape(take_along(planes_view(b.g(), dims), 1, planes_view(b.saved(0), dims)), sizes));
  });
}

}  // namespace chainrule
