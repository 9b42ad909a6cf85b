// Batch normalisation: each channel over the batch and all positions.
#include "autograd/forward_mode.hpp"
#include "autograd/inplace.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/normalize.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/rearrange.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kBatchNorm{"native_batch_norm", "NativeBatchNormBackward0",
                  "w * rstd * (g - mean(g) - x_hat * mean(g * x_hat)), sum(g * x_hat), sum(g)"};

constexpr int64_t kShortPiece = 16;  // below this a channel's pieces are brought together first

// x with channels first, each channel in long contiguous pieces; or x of rows, each of one element per channel.
struct ChannelInput {
  bool turned;   // dimensions 0 and 1 are swapped
  bool of_rows;  // channels are columns, and all elements of a row go through one vector of numbers
  Channels shape;

  explicit ChannelInput(const Tensor& x) {
    int64_t n = x.size(0), c = x.size(1), inner = x.numel() / std::max<int64_t>(1, n * c);
    of_rows = inner == 1 && n > 1 && c >= kShortPiece;
    turned = inner < kShortPiece && n > 1 && !of_rows;
    shape = turned ? Channels{1, c, n * inner} : Channels{n, c, inner};
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

Tensor fresh_numbers(int64_t n) { return empty(Dims{n}, DType::Float64); }

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

// running = (1 - momentum) * running + momentum * value. For variances, `count` is the number of elements of each.
void move_towards(const Tensor& running, const Tensor& values, double momentum, bool of_variances, double count) {
  Tensor before = parameter_numbers(running), after = fresh_numbers(values.numel());
  backend().normalize->move_running({values.numel(), momentum, of_variances, count, values.data<double>(),
                                     before.data<double>(), after.data<double>()});
  copy_elements(running, view(to_dtype(after, running.dtype()), running.sizes()));
  mark_written(running);
}

// Of each channel, float64.
struct Statistics {
  Tensor means, rstds;
  ChannelStatistics of_channels() const { return {means.data<double>(), rstds.data<double>()}; }
};

Tensor reciprocal_deviations(const Tensor& variances, double eps) {
  Tensor rstds = fresh_numbers(variances.numel());
  backend().normalize->deviations({variances.numel(), 1, eps, variances.data<double>(), rstds.data<double>()});
  return rstds;
}

// One of several numbers per channel, as a row of x's dtype.
Tensor row_of(const Tensor& numbers, int i, const Tensor& x) {
  return beside(to_dtype(select(numbers, 0, i), x.dtype()), x);
}

// a * b + c of rows and vectors beside them
Tensor multiply_add(const Tensor& a, const Tensor& b, const Tensor& c) {
  const double one = 1;
  return elementwise(OpId::addcmul, {c, a, b}, &one);
}

// What kernels do by channels, by rows.
Tensor affine_rows(const Tensor& x, const Tensor& numbers) {
  forward_mode::PauseScope pause;
  return multiply_add(x, row_of(numbers, 1, x), row_of(numbers, 2, x));
}

Tensor combine_rows(const Tensor& g, const Tensor& deviation, const Tensor& numbers) {
  forward_mode::PauseScope pause;
  return multiply_add(g, row_of(numbers, 1, g), multiply_add(deviation, row_of(numbers, 2, g), row_of(numbers, 3, g)));
}

Statistics batch_statistics(const Tensor& from, const ChannelInput& input, const Tensor& running_mean,
                            const Tensor& running_var, double momentum, double eps) {
  Tensor means, variances;
  if (input.of_rows) {
    forward_mode::PauseScope pause;
    std::tie(variances, means) = var_mean(from, Dims{0}, 0, false);
    variances = to_dtype(variances, DType::Float64);
    means = to_dtype(means, DType::Float64);
  } else {
    means = fresh_numbers(input.shape.channels);
    variances = fresh_numbers(input.shape.channels);
    backend().normalize->moments(
        {from.dtype(), input.shape, from->data, means.data<double>(), variances.data<double>(), 1});
  }
  const auto count = static_cast<double>(input.shape.per_channel());
  if (running_mean) move_towards(running_mean, means, momentum, false, count);
  if (running_var) move_towards(running_var, variances, momentum, true, count);
  return {means, reciprocal_deviations(variances, eps)};
}

Statistics running_statistics(const Tensor& running_mean, const Tensor& running_var, int64_t channels, double eps) {
  Tensor means = fresh_numbers(channels);
  // A copy: the running ones may move before the gradient is asked for.
  copy_elements(means, view(parameter_numbers(running_mean), means.sizes()));
  return {means, reciprocal_deviations(parameter_numbers(running_var), eps)};
}

// x's channels, contiguous: shifted and scaled, or put together with those of a gradient.
Tensor scaled(const Tensor& x, const Tensor& from, const ChannelInput& input, const Tensor& numbers) {
  if (input.of_rows) return input.finish(affine_rows(from, numbers), x.dtype());
  Tensor out = input.fresh(x, from.dtype());
  backend().normalize->affine({out.dtype(), input.shape, numbers.data<double>(), from->data, out->data});
  return input.finish(out, x.dtype());
}

Tensor combined(const Tensor& x, const Tensor& g, const Tensor& from, const Tensor& deviation,
                const ChannelInput& input, const Tensor& numbers) {
  if (input.of_rows) return input.finish(combine_rows(g, deviation, numbers), x.dtype());
  Tensor out = input.fresh(x, g.dtype());
  backend().normalize->combine({g.dtype(), input.shape, numbers.data<double>(), g->data, from->data, out->data});
  return input.finish(out, x.dtype());
}

void give_gradients(Backward& b, const Tensor& x, const Tensor& weight, const Statistics& s, bool training,
                    DType parameters) {
  ChannelInput input(x);
  const int64_t channels = input.shape.channels;
  Tensor g = input.prepare(b.g()), from = input.prepare(x), deviation, g_sums, deviation_sums;
  if (input.of_rows) {
    forward_mode::PauseScope pause;
    deviation = from - beside(to_dtype(s.means, from.dtype()), from);
    g_sums = to_dtype(sum(g, Dims{0}, false, {}), DType::Float64);
    deviation_sums = to_dtype(sum(g * deviation, Dims{0}, false, {}), DType::Float64);
  } else {
    g_sums = fresh_numbers(channels);
    deviation_sums = fresh_numbers(channels);
    backend().normalize->sums({g.dtype(), input.shape, s.of_channels(), g->data, from->data, g_sums.data<double>(),
                               deviation_sums.data<double>()});
  }
  if (b.needs(0)) {
    Tensor w = parameter_numbers(weight), numbers = empty(Dims{4, channels}, DType::Float64);
    backend().normalize->combination_numbers({s.of_channels(), channels, channels, numbers_of(w),
                                              training ? g_sums.data<double>() : nullptr, deviation_sums.data<double>(),
                                              static_cast<double>(input.shape.per_channel()), numbers.data<double>()});
    const MemoryFormat format = suggested_format(x);
    const bool plain = format == MemoryFormat::Contiguous;
    b.give(0, plain ? combined(x, g, from, deviation, input, numbers) : combine_last(format, b.g(), x, 1, numbers));
  }
  if (!b.needs(1) && !b.needs(2)) return;
  Tensor dw = fresh_numbers(channels), db = fresh_numbers(channels);
  backend().normalize->parameter_gradients({s.of_channels(), channels, channels, g_sums.data<double>(),
                                            deviation_sums.data<double>(), dw.data<double>(), db.data<double>()});
  if (b.needs(1)) b.give(1, to_dtype(dw, parameters));
  if (b.needs(2)) b.give(2, to_dtype(db, parameters));
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
  Tensor y;
  Statistics s;
  {
    GradModeScope off(false);
    ChannelInput input(x);
    int64_t channels = input.shape.channels;
    const MemoryFormat format = format_of(x);
    const bool plain = format == MemoryFormat::Contiguous;
    Tensor from = plain || training ? input.prepare(x) : Tensor();
    s = training ? batch_statistics(from, input, running_mean, running_var, momentum, eps)
                 : running_statistics(running_mean, running_var, channels, eps);
    Tensor w = parameter_numbers(weight), b = parameter_numbers(bias);
    Tensor numbers = empty(Dims{3, channels}, DType::Float64);
    backend().normalize->affine_numbers({s.of_channels(), channels, channels, numbers_of(w), numbers_of(b),
                                         plain && input.of_rows, numbers.data<double>()});
    y = plain ? scaled(x, from, input, numbers) : affine_last(format, x, 1, numbers);
  }
  Tensor none;
  y = record(
      kBatchNorm, y, {&x, &weight, &bias},
      {&x, &weight, &bias, &s.means, &s.rstds, training ? &none : &running_mean, training ? &none : &running_var},
      [training, eps,
       parameters = weight ? weight.dtype()
                    : bias ? bias.dtype()
                           : dtype,
       weighted = static_cast<bool>(weight), biased = static_cast<bool>(bias)](Backward& b, Kept* kept) {
        if (kept)
          return kept->add("input", Slot{0}, "weight", Slot{1}, "result1", Slot{3}, "result2", Slot{4}, "running_mean",
                           Slot{5}, "running_var", Slot{6}, "training", training, "eps", eps);
        Tensor x = b.saved(0), weight = saved_if(b, 1, weighted), bias = saved_if(b, 2, biased);
        if (!grad_enabled()) {
          return give_gradients(b, x, weight, {b.saved(3), b.saved(4)}, training, parameters);
        }
        Tensor mean = saved_if(b, 5, !training), var = saved_if(b, 6, !training);
        give_composed_gradient(b, {x, weight, bias},
                               [&](const std::vector<Tensor>& in) { return composed(in, mean, var, training, eps); });
      });
  if (!training) return {y, empty(Dims{0}, dtype), empty(Dims{0}, dtype)};
  GradModeScope off(false);
  return {y, to_dtype(s.means, dtype), to_dtype(s.rstds, dtype)};
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
