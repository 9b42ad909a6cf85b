// Group normalisation: groups of channels of each sample.
#include "autograd/forward_mode.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/normalize.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kGroupNorm{"native_group_norm", "NativeGroupNormBackward0",
                  "rstd * (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)), sum(g * x_hat), sum(g)"};

struct GroupShape {
  int64_t samples, channels, positions, groups;

  int64_t rows() const { return (CheckedSize(samples) * groups).value(); }
  int64_t per_group() const { return channels / groups; }
  int64_t size() const { return per_group() * positions; }  // elements of a group
  // Then whole groups are normalised as rows, and the parameters take a pass of their own.
  bool has_short_channels() const { return positions < 16 && size() > 0; }
  Dims dims() const { return {samples, channels, positions}; }
  Channels whole_groups() const { return {1, rows(), size()}; }
  Channels single_channels() const { return {1, samples * channels, positions}; }
  // A caller may have counted otherwise than x does.
  MemoryFormat format_of(const Tensor& x) const {
    const MemoryFormat format = suggested_format(x);
    const bool whole = format != MemoryFormat::Contiguous && x.size(0) == samples && x.size(1) == channels;
    return whole ? format : MemoryFormat::Contiguous;
  }
  int64_t all_channels() const { return (CheckedSize(samples) * channels).value(); }
  // Means and rstds as a float64 tensor (rows, 2) has them.
  ChannelStatistics of_channels(const Tensor& statistics) const {
    return {statistics.data<double>(), statistics.data<double>() + 1, 2, per_group()};
  }
};

Tensor composed(const std::vector<Tensor>& in, const GroupShape& s, double eps) {
  DType dtype = in[0].dtype();
  Tensor x = in[1] ? to_dtype(in[0], in[1].dtype()) : in[0];
  Tensor rows = reshape(x, Dims{s.samples, s.groups, s.size()});
  Tensor deviation = rows - mean(rows, Dims{2}, true, {});
  Tensor variance = mean(deviation * deviation, Dims{2}, true, {});
  Tensor y = reshape(deviation * elementwise(OpId::rsqrt, {variance + eps}), Dims{s.samples, s.channels, s.positions});
  if (in[1]) y = y * view(contiguous(in[1]), Dims{1, s.channels, 1});
  if (in[2]) y = y + view(contiguous(in[2]), Dims{1, s.channels, 1});
  return to_dtype(reshape(y, in[0].sizes()), dtype);
}

// With histories: a caller may differentiate the statistics too.
std::pair<Tensor, Tensor> composed_statistics(const Tensor& x, const GroupShape& s, double eps) {
  Tensor rows = reshape(to_dtype(x, kernel_dtype(x.dtype())), Dims{s.samples, s.groups, s.size()});
  Tensor means = mean(rows, Dims{2}, true, {}), deviation = rows - means;
  Tensor rstds = elementwise(OpId::rsqrt, {mean(deviation * deviation, Dims{2}, false, {}) + eps});
  return {reshape(means, Dims{s.samples, s.groups}), rstds};
}

// A weight or bias beside tensors of dims().
Tensor along_channels(const Tensor& parameter, const GroupShape& s, DType dtype) {
  return view(contiguous(to_dtype(parameter, dtype)), Dims{1, s.channels, 1});
}

Tensor normalized_rows(const Tensor& x, const Tensor& weight, const Tensor& bias, const GroupShape& s, double eps,
                       const Tensor& statistics) {
  forward_mode::PauseScope pause;
  Tensor y = empty(s.dims(), x.dtype());
  backend().normalize->rows(
      {x.dtype(), s.rows(), s.size(), true, eps, x->data, nullptr, nullptr, y->data, statistics.data<double>()});
  if (weight) y = y * along_channels(weight, s, x.dtype());
  if (bias) y = y + along_channels(bias, s, x.dtype());
  return view(y, x.sizes());
}

void give_row_gradients(Backward& b, const Tensor& x, const Tensor& weight, const Tensor& statistics,
                        const GroupShape& s, DType parameters) {
  forward_mode::PauseScope pause;
  Tensor from = prepared(x), g = view(prepared(b.g()), s.dims());
  if (b.needs(0)) {
    Tensor weighted = weight ? contiguous(g * along_channels(weight, s, g.dtype())) : g,
           dx = empty(x.sizes(), g.dtype());
    backend().normalize->rows_gradient({g.dtype(), s.rows(), s.size(), true, weighted->data, from->data, nullptr,
                                        statistics.data<double>(), dx->data, nullptr, nullptr});
    b.give(0, laid_out(to_dtype(dx, x.dtype()), s.format_of(x)));
  }
  if (b.needs(1)) {
    auto column = [&](int i) { return to_dtype(narrow(statistics, 1, i, 1), g.dtype()); };
    Tensor x_hat = (view(from, Dims{s.rows(), s.size()}) - column(0)) * column(1);
    b.give(1, to_dtype(sum(g * view(x_hat, s.dims()), Dims{0, 2}, false, {}), parameters));
  }
  if (b.needs(2)) b.give(2, to_dtype(sum(g, Dims{0, 2}, false, {}), parameters));
}

void give_gradients(Backward& b, const Tensor& x, const Tensor& weight, const Tensor& statistics, const GroupShape& s,
                    DType parameters) {
  if (s.has_short_channels()) return give_row_gradients(b, x, weight, statistics, s, parameters);
  Tensor g = contiguous(b.g()), from = contiguous(x);
  const int64_t count = s.all_channels();
  const ChannelStatistics of_channels = s.of_channels(statistics);
  Tensor g_sums = empty(Dims{count}, DType::Float64), deviation_sums = empty(Dims{count}, DType::Float64);
  backend().normalize->sums({g.dtype(), s.single_channels(), of_channels, g->data, from->data, g_sums.data<double>(),
                             deviation_sums.data<double>()});
  if (b.needs(0)) {
    Tensor w = parameter_numbers(weight), numbers = empty(Dims{4, count}, DType::Float64);
    backend().normalize->group_combination_numbers({of_channels, count, s.channels, numbers_of(w),
                                                    g_sums.data<double>(), deviation_sums.data<double>(),
                                                    static_cast<double>(s.size()), numbers.data<double>()});
    const MemoryFormat format = s.format_of(x);
    if (format == MemoryFormat::Contiguous) {
      Tensor dx = empty(x.sizes(), g.dtype());
      backend().normalize->combine(
          {g.dtype(), s.single_channels(), numbers.data<double>(), g->data, from->data, dx->data});
      b.give(0, dx);
    } else {
      b.give(0, combine_last(format, b.g(), x, s.samples, numbers));
    }
  }
  Tensor dw = empty(Dims{s.channels}, DType::Float64), db = empty(Dims{s.channels}, DType::Float64);
  backend().normalize->parameter_gradients({of_channels, count, s.channels, g_sums.data<double>(),
                                            deviation_sums.data<double>(), dw.data<double>(), db.data<double>()});
  if (b.needs(1)) b.give(1, to_dtype(dw, parameters));
  if (b.needs(2)) b.give(2, to_dtype(db, parameters));
}

// The result, and the statistics as a float64 tensor (rows, 2).
std::pair<Tensor, Tensor> normalized(const Tensor& x, const Tensor& weight, const Tensor& bias, const GroupShape& s,
                                     double eps) {
  GradModeScope off(false);
  Tensor statistics = empty(Dims{s.rows(), 2}, DType::Float64);
  if (s.has_short_channels()) {
    Tensor y = to_dtype(normalized_rows(prepared(x), weight, bias, s, eps, statistics), x.dtype());
    return {laid_out(y, s.format_of(x)), statistics};
  }
  Tensor from = contiguous(x);
  double *means = statistics.data<double>(), *rstds = means + 1;
  backend().normalize->moments({from.dtype(), s.whole_groups(), from->data, means, rstds, 2});
  backend().normalize->deviations({s.rows(), 2, eps, rstds, rstds});
  Tensor w = parameter_numbers(weight), b = parameter_numbers(bias);
  Tensor numbers = empty(Dims{3, s.all_channels()}, DType::Float64);
  backend().normalize->affine_numbers({s.of_channels(statistics), s.all_channels(), s.channels, numbers_of(w),
                                       numbers_of(b), false, numbers.data<double>()});
  const MemoryFormat format = s.format_of(x);
  if (format != MemoryFormat::Contiguous) [[unlikely]]
    return {affine_last(format, x, s.samples, numbers), statistics};
  Tensor out = empty(x.sizes(), from.dtype());
  backend().normalize->affine({out.dtype(), s.single_channels(), numbers.data<double>(), from->data, out->data});
  return {out, statistics};
}

void check_vector(const Tensor& t, const char* name, const Tensor& x, int64_t channels) {
  check(!t || (t.ndim() == 1 && t.numel() == channels), "Expected ", name,
        " to be a vector of size equal to the number of channels in input, but got ", name, " of shape ",
        t ? t.sizes() : Span(), " and input of shape ", x.sizes());
}

void check_arguments(const Tensor& x, const Tensor& weight, const Tensor& bias, const GroupShape& s) {
  check(s.groups > 0, "Expected num groups to be greater than 0, got ", s.groups);
  check(s.channels % s.groups == 0,
        "Expected number of channels in input to be divisible by num_groups, but got input of shape ", x.sizes(),
        " and num_groups=", s.groups);
  check_vector(weight, "weight", x, s.channels);
  check_vector(bias, "bias", x, s.channels);
  check(x.numel() == (CheckedSize(s.samples) * s.channels * s.positions).value(), "Expected an input of ", s.samples,
        " * ", s.channels, " * ", s.positions, " elements, but got shape ", x.sizes());
  check_parameter_dtypes(x, {&weight, &bias});
  require_floating(x, "GroupNormKernelImpl");
}

// The result with its history, and the statistics.
std::pair<Tensor, Tensor> recorded(const Tensor& x, const Tensor& weight, const Tensor& bias, const GroupShape& s,
                                   double eps) {
  check_arguments(x, weight, bias, s);
  Tensor y, statistics;
  std::tie(y, statistics) = normalized(x, weight, bias, s, eps);
  DType dtype = statistics_dtype(x, weight ? weight : bias);
  y = record(
      kGroupNorm, y, {&x, &weight, &bias}, {&x, &weight, &bias, &statistics},
      [s, eps, dtype, weighted = static_cast<bool>(weight), biased = static_cast<bool>(bias)](Backward& b, Kept* kept) {
        if (kept)
          return kept->add("input", Slot{0}, "weight", Slot{1}, "N", s.samples, "C", s.channels, "HxW", s.positions,
                           "group", s.groups, "eps", eps);
        Tensor x = b.saved(0), weight = saved_if(b, 1, weighted), bias = saved_if(b, 2, biased);
        if (!grad_enabled()) return give_gradients(b, x, weight, b.saved(3), s, dtype);
        give_composed_gradient(b, {x, weight, bias},
                               [&](const std::vector<Tensor>& in) { return composed(in, s, eps); });
      });
  return {y, statistics};
}

}  // namespace

Normalized native_group_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t samples,
                             int64_t channels, int64_t positions, int64_t groups, double eps) {
  GroupShape s{samples, channels, positions, groups};
  auto [y, statistics] = recorded(x, weight, bias, s, eps);
  DType dtype = statistics_dtype(x, weight ? weight : bias);
  if (const Tensor* input[] = {&x}; should_record(input)) {
    auto [means, rstds] = composed_statistics(x, s, eps);
    return {y, to_dtype(means, dtype), to_dtype(rstds, dtype)};
  }
  GradModeScope off(false);
  auto column = [&, &values = statistics](int i) {
    return view(contiguous(to_dtype(select(values, 1, i), dtype)), Dims{samples, groups});
  };
  return {y, column(0), column(1)};
}

Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  wrap_dim(1, x.ndim());
  int64_t positions = 1;
  for (int i = 2; i < x.ndim(); ++i) positions *= x.size(i);
  return recorded(x, weight, bias, {x.size(0), x.size(1), positions, groups}, eps).first;
}

}  // namespace chainrule
