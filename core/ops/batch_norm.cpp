// Batch normalisation: each channel over the batch and all positions.
#include <cmath>
#include <vector>

#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "backends/cpu/normalize.hpp"
#include "ops/arithmetic.hpp"
#include "ops/composed_gradient.hpp"
#include "ops/kernel_input.hpp"
#include "ops/memory_format.hpp"
#include "ops/normalize.hpp"
#include "ops/rearrange.hpp"
#include "ops/reduce.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

OpInfo kBatchNorm{"native_batch_norm", "NativeBatchNormBackward0",
                  "w * rstd * (g - mean(g) - x_hat * mean(g * x_hat)), sum(g * x_hat), sum(g)"};

constexpr int64_t kShortPiece = 16;  // below this a channel's pieces are brought together first

// x with channels first, each channel in long contiguous pieces; or x of rows, each of one element per channel.
struct ChannelInput {
  bool turned;   // dimensions 0 and 1 are swapped
  bool of_rows;  // channels are columns, and all elements of a row go through one vector of numbers
  cpu::Channels shape;

  explicit ChannelInput(const Tensor& x) {
    int64_t n = x.size(0), c = x.size(1), inner = x.numel() / std::max<int64_t>(1, n * c);
    of_rows = inner == 1 && n > 1 && c >= kShortPiece;
    turned = inner < kShortPiece && n > 1 && !of_rows;
    shape = turned ? cpu::Channels{1, c, n * inner} : cpu::Channels{n, c, inner};
  }
  Tensor prepare(const Tensor& t) const { return of_rows ? prepared(t) : contiguous(turned ? transpose(t, 0, 1) : t); }
  Tensor fresh(const Tensor& x, DType dtype) const {
    Dims sizes(x.sizes());
    if (turned) std::swap(sizes[0], sizes[1]);
    return empty(sizes, dtype);
  }
  Tensor finish(const Tensor& t, DType dtype) const {
    return contiguous(to_dtype(turned ? transpose(t, 0, 1) : t, dtype));
  }
};

Tensor tensor_of(const std::vector<double>& values, DType dtype) {
  Tensor t = empty(Dims{static_cast<int64_t>(values.size())}, DType::Float64);
  std::copy(values.begin(), values.end(), t.data<double>());
  return to_dtype(t, dtype);
}

void check_count(const Tensor& t, const char* name, int64_t channels) {
  check(!t || t.numel() == channels, name, " should contain ", channels, " elements not ", t ? t.numel() : 0);
}

void check_arguments(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool training) {
  check(x.ndim() >= 1, "batch_norm: the input must have at least 1 dimension, but it has none");
  int64_t channels = x.ndim() > 1 ? x.size(1) : 0;
  if (static_cast<bool>(running_mean) != static_cast<bool>(running_var) && training)
    raise(PyExc_ValueError, "running_mean and running_var must either both be None or neither be None");
  check(running_mean || training, "running_mean must be defined in evaluation mode");
  check(running_var || training, "running_var must be defined in evaluation mode");
  check_count(running_mean, "running_mean", channels);
  check_count(running_var, "running_var", channels);
  check_count(weight, "weight", channels);
  check_count(bias, "bias", channels);
  check(x.ndim() > 1 || x.numel() == 0,
        "batch_norm: expected an input with a batch and a channel dimension, but got shape ", x.sizes());
  check_parameter_dtypes(x, {&weight, &bias, &running_mean, &running_var});
  require_floating(x, "batch_norm");
}

// A vector over channels, laid out beside x.
Tensor beside(const Tensor& v, const Tensor& x) {
  Dims sizes(x.ndim(), 1);
  sizes[1] = v.numel();
  return reshape(v, sizes);
}

// The definition, of operations with histories.
Tensor composed(const std::vector<Tensor>& in, const Tensor& running_mean, const Tensor& running_var, bool training,
                double eps) {
  DType dtype = in[0].dtype();
  Tensor x = in[1] ? to_dtype(in[0], in[1].dtype()) : in[0];
  Dims dims;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != 1) dims.push_back(i);
  }
  Tensor deviation = x - (training ? mean(x, dims, true, {}) : beside(running_mean, x));
  Tensor variance = training ? mean(deviation * deviation, dims, true, {}) : beside(running_var, x);
  Tensor y = deviation * elementwise(OpId::rsqrt, {variance + eps});
  if (in[1]) y = y * beside(in[1], x);
  if (in[2]) y = y + beside(in[2], x);
  return to_dtype(y, dtype);
}

// running = (1 - momentum) * running + momentum * value
void move_towards(const Tensor& running, std::vector<double> values, double momentum) {
  std::vector<double> before = parameter_values(running, running.numel(), 0);
  for (size_t i = 0; i < values.size(); ++i) values[i] = (1 - momentum) * before[i] + momentum * values[i];
  copy_elements(running, view(tensor_of(values, running.dtype()), running.sizes()));
  mark_written(running);
}

struct Statistics {
  std::vector<double> means, rstds;
};

// A number per channel as a row of the given dtype.
Tensor row_of(const std::vector<double>& values, const Tensor& x) { return beside(tensor_of(values, x.dtype()), x); }

// The moments of columns.
void column_moments(const Tensor& x, cpu::Moments* out) {
  forward_mode::PauseScope pause;
  auto [variances, means] = var_mean(x, Dims{0}, 0, false);
  Tensor v = to_dtype(variances, DType::Float64), m = to_dtype(means, DType::Float64);
  for (int64_t c = 0; c < x.size(1); ++c) out[c] = {m.data<double>()[c], v.data<double>()[c]};
}

// a * b + c of rows and vectors beside them
Tensor multiply_add(const Tensor& a, const Tensor& b, const Tensor& c) {
  const double one = 1;
  return elementwise(OpId::addcmul, {c, a, b}, &one);
}

// What cpu/normalize.hpp does by channels, by rows. The mean is part of the shift, as in PyTorch's kernel.
Tensor affine_rows(const Tensor& x, const std::vector<cpu::Affine>& affine) {
  forward_mode::PauseScope pause;
  std::vector<double> scales, shifts;
  for (const cpu::Affine& a : affine) {
    scales.push_back(a.scale);
    shifts.push_back(a.shift - a.mean * a.scale);
  }
  return multiply_add(x, row_of(scales, x), row_of(shifts, x));
}

void column_sums(const Tensor& g, const Tensor& deviation, cpu::ChannelSums* out) {
  forward_mode::PauseScope pause;
  Tensor first = to_dtype(sum(g, Dims{0}, false, {}), DType::Float64);
  Tensor second = to_dtype(sum(g * deviation, Dims{0}, false, {}), DType::Float64);
  for (int64_t c = 0; c < g.size(1); ++c) out[c] = {first.data<double>()[c], second.data<double>()[c]};
}

Tensor combine_rows(const Tensor& g, const Tensor& deviation, const std::vector<cpu::Combination>& combinations) {
  forward_mode::PauseScope pause;
  std::vector<double> a, b, c;
  for (const cpu::Combination& m : combinations) {
    a.push_back(m.a);
    b.push_back(m.b);
    c.push_back(m.c);
  }
  return multiply_add(g, row_of(a, g), multiply_add(deviation, row_of(b, g), row_of(c, g)));
}

Statistics batch_statistics(const Tensor& from, const ChannelInput& input, const Tensor& running_mean,
                            const Tensor& running_var, double momentum, double eps) {
  auto channels = static_cast<size_t>(input.shape.channels);
  std::vector<cpu::Moments> moments(channels);
  if (input.of_rows)
    column_moments(from, moments.data());
  else
    cpu::channel_moments(from.dtype(), from->data, input.shape, moments.data());
  Statistics s{std::vector<double>(channels), std::vector<double>(channels)};
  std::vector<double> unbiased(channels);
  auto count = static_cast<double>(input.shape.per_channel());
  for (size_t c = 0; c < channels; ++c) {
    s.means[c] = moments[c].mean;
    s.rstds[c] = 1 / std::sqrt(moments[c].variance + eps);
    unbiased[c] = moments[c].variance * count / (count - 1);
  }
  if (running_mean) move_towards(running_mean, s.means, momentum);
  if (running_var) move_towards(running_var, unbiased, momentum);
  return s;
}

Statistics running_statistics(const Tensor& running_mean, const Tensor& running_var, int64_t channels, double eps) {
  Statistics s{parameter_values(running_mean, channels, 0), parameter_values(running_var, channels, 1)};
  for (double& v : s.rstds) v = 1 / std::sqrt(v + eps);
  return s;
}

// x's channels, contiguous: shifted and scaled, or put together with those of a gradient.
Tensor scaled(const Tensor& x, const Tensor& from, const ChannelInput& input, const std::vector<cpu::Affine>& affine) {
  if (input.of_rows) return input.finish(affine_rows(from, affine), x.dtype());
  Tensor out = input.fresh(x, from.dtype());
  cpu::affine_channels(out.dtype(), from->data, out->data, input.shape, affine.data());
  return input.finish(out, x.dtype());
}

Tensor combined(const Tensor& x, const Tensor& g, const Tensor& from, const Tensor& deviation,
                const ChannelInput& input, const std::vector<cpu::Combination>& combinations) {
  if (input.of_rows) return input.finish(combine_rows(g, deviation, combinations), x.dtype());
  Tensor out = input.fresh(x, g.dtype());
  cpu::combine_channels(g.dtype(), g->data, from->data, out->data, input.shape, combinations.data());
  return input.finish(out, x.dtype());
}

void give_gradients(Backward& b, const Tensor& x, const Tensor& weight, const Tensor& means, const Tensor& rstds,
                    bool training, DType parameters) {
  ChannelInput input(x);
  int64_t channels = input.shape.channels;
  Tensor g = input.prepare(b.g()), from = input.prepare(x);
  std::vector<cpu::ChannelSums> sums(static_cast<size_t>(channels));
  Tensor deviation;
  if (input.of_rows) {
    forward_mode::PauseScope pause;
    deviation = from - beside(to_dtype(means, from.dtype()), from);
    column_sums(g, deviation, sums.data());
  } else {
    cpu::channel_sums(g.dtype(), g->data, from->data, input.shape, means.data<double>(), sums.data());
  }
  const double* rstd = rstds.data<double>();
  if (b.needs(0)) {
    std::vector<double> w = parameter_values(weight, channels, 1);
    std::vector<cpu::Combination> combinations(static_cast<size_t>(channels));
    auto count = static_cast<double>(input.shape.per_channel());
    for (size_t c = 0; c < combinations.size(); ++c) {
      double a = w[c] * rstd[c];
      combinations[c] = {means.data<double>()[c], a, 0, 0};
      if (!training) continue;
      combinations[c].b = -a * rstd[c] * rstd[c] * sums[c].g_deviation / count;
      combinations[c].c = -a * sums[c].g / count;
    }
    const MemoryFormat format = suggested_format(x);
    const bool plain = format == MemoryFormat::Contiguous;
    b.give(0, plain ? combined(x, g, from, deviation, input, combinations)
                    : combine_last(format, b.g(), x, 1, combinations));
  }
  std::vector<double> result(static_cast<size_t>(channels));
  if (b.needs(1)) {
    for (size_t c = 0; c < result.size(); ++c) result[c] = sums[c].g_deviation * rstd[c];
    b.give(1, tensor_of(result, parameters));
  }
  if (b.needs(2)) {
    for (size_t c = 0; c < result.size(); ++c) result[c] = sums[c].g;
    b.give(2, tensor_of(result, parameters));
  }
}

// By what lies contiguous, also where a size of 1 leaves the strides' order open.
MemoryFormat format_of(const Tensor& x) {
  if (x.is_contiguous()) return MemoryFormat::Contiguous;
  if (x.ndim() == 4 && is_contiguous_in(MemoryFormat::ChannelsLast, x)) return MemoryFormat::ChannelsLast;
  return suggested_format(x);
}

void refuse_tangents(const Tensor& x, const Tensor& running_mean, const Tensor& running_var) {
  auto has_tangent = [](const Tensor& t) { return t && forward_mode::has_tangent(t.get()); };
  check(!has_tangent(x) || !(has_tangent(running_mean) || has_tangent(running_var)),
        "batch_norm is not differentiable wrt running_mean and running_var, they cannot have forward grad defined");
}

}  // namespace

Normalized native_batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                             const Tensor& running_var, bool training, double momentum, double eps) {
  check_arguments(x, weight, bias, running_mean, running_var, training);
  if (forward_mode::active()) [[unlikely]]
    refuse_tangents(x, running_mean, running_var);
  DType dtype = statistics_dtype(x, weight ? weight : running_mean);
  if (x.ndim() == 1) return {clone(x), empty(Dims{0}, dtype), empty(Dims{0}, dtype)};  // no channels at all
  Tensor y, means, rstds;
  {
    GradModeScope off(false);
    ChannelInput input(x);
    int64_t channels = input.shape.channels;
    const MemoryFormat format = format_of(x);
    const bool plain = format == MemoryFormat::Contiguous;
    Tensor from = plain || training ? input.prepare(x) : Tensor();
    Statistics s = training ? batch_statistics(from, input, running_mean, running_var, momentum, eps)
                            : running_statistics(running_mean, running_var, channels, eps);
    std::vector<double> w = parameter_values(weight, channels, 1), b = parameter_values(bias, channels, 0);
    std::vector<cpu::Affine> affine(w.size());
    for (size_t c = 0; c < affine.size(); ++c) affine[c] = {s.means[c], s.rstds[c] * w[c], b[c]};
    y = plain ? scaled(x, from, input, affine) : affine_last(format, x, 1, affine);
    means = tensor_of(s.means, DType::Float64);
    rstds = tensor_of(s.rstds, DType::Float64);
  }
  Tensor none;
  y = record(kBatchNorm, y, {&x, &weight, &bias},
             {&x, &weight, &bias, &means, &rstds, training ? &none : &running_mean, training ? &none : &running_var},
             [training, eps,
              parameters = weight ? weight.dtype()
                           : bias ? bias.dtype()
                                  : dtype,
              weighted = static_cast<bool>(weight), biased = static_cast<bool>(bias)](Backward& b, Kept* kept) {
               if (kept)
                 return kept->add("input", Slot{0}, "weight", Slot{1}, "result1", Slot{3}, "result2", Slot{4},
                                  "running_mean", Slot{5}, "running_var", Slot{6}, "training", training, "eps", eps);
               Tensor x = b.saved(0), weight = saved_if(b, 1, weighted), bias = saved_if(b, 2, biased);
               if (!grad_enabled()) {
                 return give_gradients(b, x, weight, b.saved(3), b.saved(4), training, parameters);
               }
               Tensor mean = saved_if(b, 5, !training), var = saved_if(b, 6, !training);
               give_composed_gradient(b, {x, weight, bias}, [&](const std::vector<Tensor>& in) {
                 return composed(in, mean, var, training, eps);
               });
             });
  if (!training) return {y, empty(Dims{0}, dtype), empty(Dims{0}, dtype)};
  GradModeScope off(false);
  return {y, to_dtype(means, dtype), to_dtype(rstds, dtype)};
}

Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool use_input_stats, double momentum, double eps) {
  check(use_input_stats || (running_mean && running_var),
        "Expected running_mean and running_var to be defined when use_input_stats is false");
  wrap_dim(1, x.ndim());
  // Samples and channels together are the channels of one sample.
  int64_t samples = x.size(0), channels = x.size(1);
  Dims together(x.sizes());
  together[0] = 1;
  together[1] = samples * channels;
  auto repeated = [&](const Tensor& t) { return t ? repeat(t, Dims{samples}) : Tensor(); };
  Tensor mean = repeated(running_mean), var = repeated(running_var);
  Tensor y = std::get<0>(native_batch_norm(reshape(contiguous(x), together), repeated(weight), repeated(bias), mean,
                                           var, use_input_stats, momentum, eps));
  if (use_input_stats) {
    GradModeScope off(false);
    auto fold_back = [&](const Tensor& running, const Tensor& all) {
      if (!running) return;
      copy_elements(running, chainrule::mean(view(all, Dims{samples, channels}), Dims{0}, false, {}));
      mark_written(running);
    };
    fold_back(running_mean, mean);
    fold_back(running_var, var);
  }
  return reshape(y, x.sizes());
}

}  // namespace chainrule
