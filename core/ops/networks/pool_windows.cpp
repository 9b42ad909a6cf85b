// Where the windows of each kind of pooling lie, and what a pooling may be asked for, in PyTorch's words.
#include "ops/networks/pool_windows.hpp"

#include <string_view>

#include "backends/bounds.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

const char* number_word(int dims) { return dims == 2 ? "two" : "three"; }

Dims expanded(const Dims& values, const char* op, const char* name, int dims, const Dims& otherwise) {
  if (values.empty()) return otherwise;
  if (values.size() == 1) return Dims(dims, values[0]);
  check(values.size() == dims, op, dims, "d: ", name, " must either be a single int, or a tuple of ", number_word(dims),
        " ints");
  return values;
}

// One window in each unused leading dimension.
PoolWindows start(int dims, const Tensor& x) {
  PoolWindows w{{1, 1, 1}, {1, 1, 1}, {}};
  for (int d = 0; d < 3 - dims; ++d) w.along[d] = {Window{0, 1, 1, 1}};
  for (int d = 0; d < dims; ++d) w.in[static_cast<size_t>(3 - dims + d)] = x.size(x.ndim() - dims + d);
  return w;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

int64_t output_size(int64_t in, int d, const PoolOptions& o) {
  CheckedSize reach = in + 2 * CheckedSize(o.padding[d]) - CheckedSize(o.dilation[d]) * (o.kernel[d] - 1) - 1;
  if (o.ceil) reach += o.stride[d] - 1;
  int64_t out = floor_div(reach.value(), o.stride[d]) + 1;
  // The last window must begin inside the input or the padding before it.
  return o.ceil && (CheckedSize(out - 1) * o.stride[d]).value() >= in + o.padding[d] ? out - 1 : out;
}

// "(3x8x8)"
std::string size_text(int64_t channels, Span extent) {
  std::string text = "(";
  text += std::to_string(channels);
  for (int64_t e : extent) text.append("x").append(std::to_string(e));
  return text + ")";
}

Dims output_sizes(int dims, const Tensor& x, const PoolOptions& o) {
  Dims out(dims);
  bool positive = true;
  for (int d = 0; d < dims; ++d) {
    out[d] = output_size(x.size(x.ndim() - dims + d), d, o);
    positive &= out[d] > 0;
  }
  int64_t channels = x.size(x.ndim() - dims - 1);
  check(positive, "Given input size: ", size_text(channels, x.sizes().last(static_cast<size_t>(dims))),
        ". Calculated output size: ", size_text(channels, out), ". Output size is too small");
  return out;
}

// Before a window is made for each output: raises if there is no room for the outputs themselves. False: there are
// none, or on meta nobody calculates them, and no windows are needed.
bool make_room(PoolWindows& w, int dims, const Tensor& x, const Dims& out) {
  constexpr int64_t kMany = 1 << 16;
  Dims sizes(x.sizes());
  for (int d = 0; d < dims; ++d) {
    w.outs[static_cast<size_t>(3 - dims + d)] = out[d];
    sizes[x.ndim() - dims + d] = out[d];
  }
  const int64_t outputs = count(sizes);
  if (outputs > kMany) empty(sizes, x.dtype());
  if (works_on_meta()) return false;
  for (int d = 0; d < dims && outputs > 0; ++d) w.along[3 - dims + d].reserve(static_cast<size_t>(out[d]));
  return outputs > 0;
}

// Calls each(dimension, start of the window) for all windows.
template <class Each>
PoolWindows sliding(int dims, const Tensor& x, const PoolOptions& o, Each each) {
  PoolWindows w = start(dims, x);
  Dims out = output_sizes(dims, x, o);
  if (!make_room(w, dims, x, out)) return w;
  for (int d = 0; d < dims; ++d) {
    for (int64_t i = 0; i < out[d]; ++i) {
      w.along[3 - dims + d].push_back(each(d, w.in[static_cast<size_t>(3 - dims + d)], i * o.stride[d] - o.padding[d]));
    }
  }
  return w;
}

void check_ints(const PoolOptions& o) {
  for (const Dims* numbers : {&o.kernel, &o.stride, &o.padding, &o.dilation}) {
    for (int64_t n : *numbers)
      check(n == static_cast<int32_t>(n), "value cannot be converted to type int without overflow: ", n);
  }
}

}  // namespace

PoolOptions checked_options(const char* name, int dims, const PoolOptions& given) {
  PoolOptions o = given;
  o.kernel = expanded(given.kernel, name, "kernel_size", dims, Dims());
  check(o.kernel.size() == dims, name, dims, "d: kernel_size must either be a single int, or a tuple of ",
        number_word(dims), " ints");
  o.stride = expanded(given.stride, name, "stride", dims, o.kernel);
  o.padding = expanded(given.padding, name, "padding", dims, Dims(dims, 0));
  o.dilation = expanded(given.dilation, name, "dilation", dims, Dims(dims, 1));
  if (!o.beyond_int) check_ints(o);
  check(!o.divisor || *o.divisor != 0, "divisor must be not zero");
  for (int d = 0; d < dims; ++d) {
    check(o.stride[d] != 0, "stride should not be zero");
    check(o.kernel[d] > 0, "kernel size should be greater than zero, but got ", Span(o.kernel));
    check(o.stride[d] > 0, "stride should be greater than zero, but got ", Span(o.stride));
    check(o.dilation[d] > 0, "dilation should be greater than zero, but got ", Span(o.dilation));
    check(o.padding[d] >= 0, "pad must be non-negative, but got pad: ", o.padding[d]);
    check(o.padding[d] <= ((o.kernel[d] - 1) * CheckedSize(o.dilation[d]) + 1).value() / 2,
          "pad should be at most half of effective kernel size, but got pad=", o.padding[d],
          ", kernel_size=", o.kernel[d], " and dilation=", o.dilation[d]);
  }
  return o;
}

void check_pool_input(const char* name, int dims, const Tensor& x) {
  if (dims == 2) {
    check(x.ndim() == 3 || x.ndim() == 4, "non-empty 3D or 4D (batch mode) tensor expected for input");
  } else {
    check(x.ndim() == 4 || x.ndim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input");
  }
  for (int d = x.ndim() == dims + 2; d < x.ndim(); ++d) {
    check(dims == 2 || x.size(d) > 0, name, "3d(): Expected input's non-batch dimensions to have positive length, but ",
          "input has a shape of ", x.sizes(), " and dimension ", d, " has length zero!");
    check(x.size(d) > 0,
          "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:", x.sizes());
  }
}

void check_pool_input_1d(const char* name, const Tensor& x, const PoolOptions& o, bool alone) {
  check(x.ndim() == 2 || x.ndim() == 3, name,
        ": Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size "
        "for input, but got:",
        x.sizes());
  check(o.kernel.size() == 1 && o.stride.size() <= 1 && o.padding.size() <= 1 && o.dilation.size() <= 1, name,
        "() argument 'kernel_size' must contain one int, and so must stride, padding and dilation");
  if (o.stride.empty() || o.stride[0] > 0) {
    PoolOptions full = checked_options(name, 1, o);
    int64_t out = output_size(x.size(x.ndim() - 1), 0, full);
    const int64_t channels = x.size(x.ndim() - 2), in = x.size(x.ndim() - 1);
    check(out > 0 || !alone, name, "() Invalid computed output size: ", out);
    check(out > 0, "Given input size: (", channels, "x1x", in, "). Calculated output size: (", channels, "x1x", out,
          "). Output size is too small");
  }
}

// The values alone come from another function of PyTorch's, which has words of its own.
void check_max_pool1d(const Tensor& x, const PoolOptions& o) {
  bool fits = x.ndim() == 2 || x.ndim() == 3;
  for (int d = x.ndim() == 3; fits && d < x.ndim(); ++d) fits = x.size(d) > 0;
  check(fits, "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:",
        x.sizes());
  const std::pair<const char*, const Dims*> lists[] = {
      {"kernel_size", &o.kernel}, {"stride", &o.stride}, {"dilation", &o.dilation}};
  for (auto [name, values] : lists) {
    check(values->size() == 1 || (values->empty() && values != &o.kernel), "max_pool1d() ", name,
          " must be an int, list of ints or tuple of ints of size 1 but got size ", values->size());
    check(values->empty() || (*values)[0] > 0, "max_pool1d() ", name, " must be greater than zero, but got ",
          values->empty() ? 0 : (*values)[0]);
  }
  check_pool_input_1d("max_pool1d", x, o, true);
}

void require_numbers(const char* name, int dims, const Tensor& x) {
  if (is_floating(x.dtype()) || is_integral(x.dtype())) return;
  raise(PyExc_NotImplementedError, "\"", name, dims, "d\" not implemented for '", facts(x.dtype()).tensor_name, "'");
}

void check_adaptive(const char* name, int dims, const Tensor& x, const Dims& out) {
  bool average = std::string_view(name).find("avg") != std::string_view::npos;
  check(dims > 1 || out.size() == 1, name, "() argument 'output_size' should contain one int (got ", out.size(), ")");
  check(out.size() == dims, name,
        average ? ": output_size must be " : "(): internal error: output_size.size() must be ", dims, ", but got ",
        Span(out));
  check(x.ndim() == dims + 1 || x.ndim() == dims + 2, name, "(): Expected ", dims + 1, "D or ", dims + 2,
        "D tensor, but got ", x.sizes());
  for (int64_t s : out) {
    check(s >= 0 || !average, name, ": elements of output_size must be greater than or equal to 0 but received ",
          Span(out));
    check(s >= 0, "Trying to create tensor with negative dimension ", s, ": output_size is ", Span(out));
  }
  for (int d = 0; d < dims; ++d) {
    check(x.size(x.ndim() - dims + d) > 0, name,
          "(): Expected input to have non-zero size for non-batch dimensions, "
          "but input has sizes ",
          x.sizes());
  }
}

void check_fractional(const char* name, int dims, const Tensor& x, const Dims& kernel, const Dims& out,
                      const Tensor& samples) {
  check(kernel.size() == dims, name, ": kernel_size must either be a single int or tuple of ", dims, " ints");
  check(out.size() == dims, name, ": output_size must either be a single int or tuple of ", dims, " ints");
  check(x.ndim() == dims + 1 || x.ndim() == dims + 2, name, ": Expected ", dims + 1, "D or ", dims + 2,
        "D tensor, but got: ", x.sizes());
  const char* names[] = {"time", "height", "width"};
  for (int d = 0; d < dims; ++d) {
    int64_t in = x.size(x.ndim() - dims + d);
    check(kernel[d] > 0 && out[d] > 0 && kernel[d] <= in && out[d] - 1 <= in - kernel[d], name, "(): pool ",
          names[3 - dims + d], " ", kernel[d], " too large relative to input ", names[3 - dims + d], " ", in);
  }
  int64_t batch = x.ndim() == dims + 2 ? x.size(0) : 1;
  check(samples.ndim() == 3 && samples.size(0) >= batch && samples.size(1) == x.size(x.ndim() - dims - 1) &&
            samples.size(2) == dims,
        "Expect _random_samples of shape (batch, channels, ", dims, "), but got ", samples.sizes(), " for input ",
        x.sizes());
}

void check_unpool(int dims, const Tensor& x, const Tensor& indices, const Dims& out) {
  const char* name = dims == 2 ? "max_unpooling2d" : "max_unpooling3d";
  check(indices.dtype() == DType::Int64,
        "elements in indices should be type int64 but got: ", facts(indices.dtype()).tensor_name);
  check(out.size() == dims, "There should be exactly ", number_word(dims), " elements in output_size, but got ",
        out.size());
  check(x.ndim() == dims + 1 || x.ndim() == dims + 2, "Input to ", name, " should be a ", dims + 1, "d or ", dims + 2,
        "d Tensor, but got a tensor with ", x.ndim(), " dimensions");
  check(equal(x.sizes(), indices.sizes()), "Expected shape of indices to be same as that of the input tensor (",
        x.sizes(), ") but got indices tensor with shape: ", indices.sizes());
}

void check_unpool_indices(const Tensor& indices, int dims, const Dims& out) {
  int64_t size = count(Span(out).first(static_cast<size_t>(dims)));
  StrayIndex stray;
  backend().bounds->check({indices.data<int64_t>(), indices.numel(), size, {}, &stray});
  check(stray.position < 0, "Found an invalid max index: ", stray.value, " (output volumes are of size ", Span(out),
        ")");
}

PoolWindows max_windows(int dims, const Tensor& x, const PoolOptions& o) {
  return sliding(dims, x, o, [&](int d, int64_t in, int64_t begin) {
    int64_t step = o.dilation[d], reach = (o.kernel[d] - 1) * step;
    int64_t end = reach >= in - begin ? in : begin + reach + 1;
    if (begin < 0) begin += (-begin + step - 1) / step * step;  // the first element that is none of the padding's
    return Window{begin, end, std::min(step, in + 1), 0};       // one step too far is as good as any
  });
}

PoolWindows average_windows(int dims, const Tensor& x, const PoolOptions& o) {
  return sliding(dims, x, o, [&](int d, int64_t in, int64_t begin) {
    int64_t last = in + o.padding[d], end = o.kernel[d] > last - begin ? last : begin + o.kernel[d];
    int64_t whole = end - begin;
    begin = std::max<int64_t>(begin, 0);
    end = std::min(end, in);
    return Window{begin, end, 1, o.counts_padding ? whole : end - begin};
  });
}

PoolWindows adaptive_windows(int dims, const Tensor& x, const Dims& out) {
  PoolWindows w = start(dims, x);
  if (!make_room(w, dims, x, out)) return w;
  for (int d = 0; d < dims; ++d) {
    int64_t in = w.in[static_cast<size_t>(3 - dims + d)];
    for (int64_t i = 0; i < out[d]; ++i) {
      int64_t begin = i * in / out[d], end = ((i + 1) * in + out[d] - 1) / out[d];
      w.along[3 - dims + d].push_back({begin, end, 1, end - begin});
    }
  }
  return w;
}

}  // namespace chainrule
