// Normalisation of whole arrays: rows and channels shared among threads.
#include "backends/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/half_rows.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/normalize.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements for one thread
constexpr int64_t kGroups = 32;        // of rows, that sum their parameters' gradients apart
constexpr int64_t kStreamedRow = 16 * 1024;

const NormalizeLoops& loops(DType dtype) { return CR_DISPATCH(normalize_table)[dtype == DType::Float64]; }

RowStatistics statistics_of(const NormalizeLoops& k, const void* x, int64_t n, double eps, bool centred) {
  double mean = centred ? k.sum(x, n) / static_cast<double>(n) : 0;
  double variance = k.sum_of_squares(x, n, mean) / static_cast<double>(n);
  return {mean, 1 / std::sqrt(variance + eps)};
}

// Rows of a large result are made in the first-level cache and written past the others; see stream.hpp.
struct RowWriter {
  char* out;
  int64_t bytes;  // of a row
  bool streams;
  alignas(64) char buffer[kStreamedRow];

  RowWriter(void* out, int64_t rows, int64_t bytes)
      : out(static_cast<char*>(out)),
        bytes(bytes),
        streams(out && bytes <= kStreamedRow && bytes % 64 == 0 && rows * bytes >= thresholds.stream &&
                reinterpret_cast<uintptr_t>(out) % 64 == 0) {}
  ~RowWriter() {
    if (streams) CR_DISPATCH(stream_fence)();
  }
  RowWriter(const RowWriter&) = delete;
  char* begin(int64_t row) { return !out ? nullptr : streams ? buffer : out + row * bytes; }
  void end(int64_t row) {
    if (streams) CR_DISPATCH(stream_copy)(out + row * bytes, buffer, bytes);
  }
};

// `parts` rows of n elements added up, in order.
template <class T>
void add_parts(const T* partial, int64_t parts, int64_t n, T* out) {
  for (int64_t j = 0; j < n; ++j) {
    double total = 0;
    for (int64_t p = 0; p < parts; ++p) total += partial[p * n + j];
    out[j] = static_cast<T>(total);
  }
}

template <class T>
void gradient_of_rows(const RowNormGradient& r) {
  const NormalizeLoops& k = loops(r.dtype);
  const int64_t rows = r.rows, n = r.n, bytes = n * static_cast<int64_t>(size_of(r.dtype));
  const auto *g = static_cast<const char*>(r.g), *x = static_cast<const char*>(r.x);
  auto *weight_gradient = static_cast<T*>(r.weight_gradient), *bias_gradient = static_cast<T*>(r.bias_gradient);
  const int64_t per_group =
      std::max((rows + kGroups - 1) / kGroups, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)));
  const int64_t groups = (rows + per_group - 1) / per_group;
  std::vector<T> weights(weight_gradient ? groups * n : 0), biases(bias_gradient ? groups * n : 0);
  parallel_for(groups, 1, [&](int64_t begin, int64_t end) {
    RowWriter writer(r.gradient, rows, bytes);
    HalfRows halves(r.dtype, n, 3);
    for (int64_t group = begin; group < end; ++group) {
      T* weight_sum = weight_gradient ? weights.data() + group * n : nullptr;
      T* bias_sum = bias_gradient ? biases.data() + group * n : nullptr;
      for (int64_t i = group * per_group; i < std::min(rows, (group + 1) * per_group); ++i) {
        const void *from = halves.read(0, g + i * bytes, n), *value = halves.read(1, x + i * bytes, n);
        char* to = writer.begin(i);
        k.row_gradient(from, value, r.weight, halves.target(2, to), weight_sum, bias_sum, n,
                       {r.statistics[2 * i], r.statistics[2 * i + 1]}, r.centred);
        halves.write(2, to, n);
        writer.end(i);
      }
    }
  });
  if (weight_gradient) add_parts(weights.data(), groups, n, weight_gradient);
  if (bias_gradient) add_parts(biases.data(), groups, n, bias_gradient);
}

// ---- rows

void rows(const RowNorm& r) {
  const NormalizeLoops& k = loops(r.dtype);
  const int64_t n = r.n, bytes = n * static_cast<int64_t>(size_of(r.dtype));
  parallel_for(r.rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    RowWriter writer(r.y, r.rows, bytes);
    HalfRows halves(r.dtype, n, 2);
    for (int64_t i = begin; i < end; ++i) {
      const void* row = halves.read(0, static_cast<const char*>(r.x) + i * bytes, n);
      const RowStatistics s = statistics_of(k, row, n, r.eps, r.centred);
      r.statistics[2 * i] = s.mean;
      r.statistics[2 * i + 1] = s.rstd;
      char* to = writer.begin(i);
      k.row(row, r.weight, r.bias, halves.target(1, to), n, s);
      halves.write(1, to, n);
      writer.end(i);
    }
  });
}

void rows_gradient(const RowNormGradient& r) {
  with_kernel_type(r.dtype, [&]<class T>(T) { gradient_of_rows<T>(r); });
}

// ---- channels

// Calls f(channel, halves) for all channels on all threads; the halves can hold `held` pieces.
template <class F>
void each_channel(DType dtype, Channels shape, int held, F f) {
  parallel_for(shape.channels, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, shape.per_channel())),
               [&](int64_t begin, int64_t end) {
                 HalfRows halves(dtype, shape.inner, held);
                 for (int64_t c = begin; c < end; ++c) f(c, halves);
               });
}

// Byte offsets of a channel's pieces.
struct Pieces {
  Channels shape;
  int64_t item;
  Pieces(DType dtype, Channels shape) : shape(shape), item(static_cast<int64_t>(size_of(dtype))) {}
  int64_t at(int64_t outer, int64_t channel) const { return (outer * shape.channels + channel) * shape.inner * item; }
};

void moments(const ChannelMoments& m) {
  const NormalizeLoops& k = loops(m.dtype);
  const Channels& shape = m.shape;
  const Pieces pieces(m.dtype, shape);
  const auto count = static_cast<double>(shape.per_channel());
  each_channel(m.dtype, shape, 1, [&](int64_t c, HalfRows& halves) {
    int64_t held = -1;
    const void* row = nullptr;
    auto piece = [&](int64_t i) {
      if (i != held) row = halves.read(0, static_cast<const char*>(m.x) + pieces.at(i, c), shape.inner);
      held = i;
      return row;
    };
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < shape.outer; ++i) sum += k.sum(piece(i), shape.inner);
    const double mean = sum / count;
    for (int64_t i = 0; i < shape.outer; ++i) squares += k.sum_of_squares(piece(i), shape.inner, mean);
    m.means[c * m.step] = mean;
    m.variances[c * m.step] = squares / count;
  });
}

void affine(const ChannelAffine& a) {
  const NormalizeLoops& k = loops(a.dtype);
  const Channels& shape = a.shape;
  const Pieces pieces(a.dtype, shape);
  const double *means = a.numbers, *scales = means + shape.channels, *shifts = scales + shape.channels;
  each_channel(a.dtype, shape, 2, [&](int64_t c, HalfRows& halves) {
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(a.x) + at, shape.inner);
      char* to = static_cast<char*>(a.y) + at;
      k.affine(from, halves.target(1, to), shape.inner, means[c], scales[c], shifts[c]);
      halves.write(1, to, shape.inner);
    }
  });
}

void sums(const ChannelSums& s) {
  const NormalizeLoops& k = loops(s.dtype);
  const Channels& shape = s.shape;
  const Pieces pieces(s.dtype, shape);
  each_channel(s.dtype, shape, 2, [&](int64_t c, HalfRows& halves) {
    double g = 0, deviations = 0;
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(s.g) + at, shape.inner);
      const void* value = halves.read(1, static_cast<const char*>(s.x) + at, shape.inner);
      double both[2];
      k.sums(from, value, shape.inner, s.statistics.mean(c), both);
      g += both[0];
      deviations += both[1];
    }
    s.g_sums[c] = g;
    s.deviation_sums[c] = deviations;
  });
}

void combine(const ChannelCombination& m) {
  const NormalizeLoops& k = loops(m.dtype);
  const Channels& shape = m.shape;
  const Pieces pieces(m.dtype, shape);
  const double *means = m.numbers, *a = means + shape.channels, *b = a + shape.channels, *shift = b + shape.channels;
  each_channel(m.dtype, shape, 3, [&](int64_t c, HalfRows& halves) {
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(m.g) + at, shape.inner);
      const void* value = halves.read(1, static_cast<const char*>(m.x) + at, shape.inner);
      char* to = static_cast<char*>(m.gradient) + at;
      k.combine(from, value, halves.target(2, to), shape.inner, means[c], a[c], b[c], shift[c]);
      halves.write(2, to, shape.inner);
    }
  });
}

// ---- the numbers of channels

void deviations(const ChannelDeviations& d) {
  for (int64_t i = 0; i < d.count * d.step; i += d.step) d.rstds[i] = 1 / std::sqrt(d.variances[i] + d.eps);
}

void move_running(const RunningStatistics& r) {
  for (int64_t c = 0; c < r.channels; ++c) {
    const double value = r.of_variances ? r.values[c] * r.count / (r.count - 1) : r.values[c];
    r.after[c] = (1 - r.momentum) * r.before[c] + r.momentum * value;
  }
}

void affine_numbers(const AffineNumbers& a) {
  double *means = a.to, *scales = means + a.channels, *shifts = scales + a.channels;
  for (int64_t i = 0; i < a.channels; ++i) {
    const int64_t p = i % a.parameters;
    means[i] = a.statistics.mean(i);
    scales[i] = a.statistics.rstd(i) * (a.weight ? a.weight[p] : 1);
    shifts[i] = a.bias ? a.bias[p] : 0;
    if (a.folds) shifts[i] -= means[i] * scales[i];
  }
}

void combination_numbers(const CombinationNumbers& m) {
  double *means = m.to, *as = means + m.channels, *bs = as + m.channels, *shifts = bs + m.channels;
  for (int64_t c = 0; c < m.channels; ++c) {
    const double rstd = m.statistics.rstd(c), a = (m.weight ? m.weight[c] : 1) * rstd;
    means[c] = m.statistics.mean(c);
    as[c] = a;
    bs[c] = m.g_sums ? -a * rstd * rstd * m.deviation_sums[c] / m.size : 0;
    shifts[c] = m.g_sums ? -a * m.g_sums[c] / m.size : 0;
  }
}

void group_combination_numbers(const CombinationNumbers& m) {
  double *means = m.to, *as = means + m.channels, *bs = as + m.channels, *shifts = bs + m.channels;
  const auto weight = [&](int64_t i) { return m.weight ? m.weight[i % m.parameters] : 1; };
  for (int64_t first = 0; first < m.channels; first += m.statistics.per_group) {
    const int64_t end = first + m.statistics.per_group;
    const double rstd = m.statistics.rstd(first);
    double g = 0, deviations = 0;
    for (int64_t i = first; i < end; ++i) {
      g += weight(i) * m.g_sums[i];
      deviations += weight(i) * m.deviation_sums[i];
    }
    for (int64_t i = first; i < end; ++i) {
      means[i] = m.statistics.mean(i);
      as[i] = rstd * weight(i);
      bs[i] = -rstd * rstd * rstd * deviations / m.size;
      shifts[i] = -rstd * g / m.size;
    }
  }
}

void parameter_gradients(const ParameterGradients& p) {
  std::fill_n(p.weight, p.parameters, 0.0);
  std::fill_n(p.bias, p.parameters, 0.0);
  for (int64_t i = 0; i < p.channels; ++i) {
    const int64_t at = i % p.parameters;
    const double weight = p.deviation_sums[i] * p.statistics.rstd(i);
    p.weight[at] = i == at ? weight : p.weight[at] + weight;  // the first as it is, also a zero with a sign
    p.bias[at] = i == at ? p.g_sums[i] : p.bias[at] + p.g_sums[i];
  }
}

// ---- channels last

// A number for each channel of each sample, as the kernels take it.
template <class T>
std::vector<T> column(const double* numbers, ChannelsLast shape, int64_t which) {
  const int64_t count = shape.samples * shape.channels;
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = static_cast<T>(numbers[which * count + i]);
  return values;
}

// Calls f(place of the first element, first number of the sample) for all places on all threads.
template <class F>
void each_place(ChannelsLast s, F f) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.channels));
  parallel_for(s.samples * s.places, grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) f(p * s.channels, p / s.places * s.channels);
  });
}

template <class T>
void affine_places(const AffineLast& a) {
  const ChannelsLast& s = a.shape;
  const T* x = static_cast<const T*>(a.x);
  T* y = static_cast<T*>(a.y);
  const auto means = column<T>(a.numbers, s, 0), scales = column<T>(a.numbers, s, 1),
             shifts = column<T>(a.numbers, s, 2);
  each_place(s, [&](int64_t at, int64_t first) {
    const T *from = x + at, *mean = means.data() + first, *scale = scales.data() + first;
    const T* shift = shifts.data() + first;
    T* __restrict to = y + at;
    for (int64_t c = 0; c < s.channels; ++c) to[c] = (from[c] - mean[c]) * scale[c] + shift[c];
  });
}

template <class T>
void combine_places(const CombinationLast& m) {
  const ChannelsLast& s = m.shape;
  const T *g = static_cast<const T*>(m.g), *x = static_cast<const T*>(m.x);
  T* gradient = static_cast<T*>(m.gradient);
  const auto means = column<T>(m.numbers, s, 0), as = column<T>(m.numbers, s, 1), bs = column<T>(m.numbers, s, 2),
             cs = column<T>(m.numbers, s, 3);
  each_place(s, [&](int64_t at, int64_t first) {
    const T *incoming = g + at, *from = x + at, *mean = means.data() + first;
    const T *a = as.data() + first, *b = bs.data() + first, *shift = cs.data() + first;
    T* __restrict to = gradient + at;
    for (int64_t c = 0; c < s.channels; ++c) to[c] = a[c] * incoming[c] + b[c] * (from[c] - mean[c]) + shift[c];
  });
}

void affine_last(const AffineLast& a) {
  with_kernel_type(a.dtype, [&]<class T>(T) { affine_places<T>(a); });
}
void combine_last(const CombinationLast& m) {
  with_kernel_type(m.dtype, [&]<class T>(T) { combine_places<T>(m); });
}

}  // namespace

constinit const NormalizeKernels normalize_kernels{{rows},
                                                   {rows_gradient},
                                                   {moments},
                                                   {deviations},
                                                   {move_running},
                                                   {affine_numbers},
                                                   {affine},
                                                   {sums},
                                                   {combination_numbers},
                                                   {group_combination_numbers},
                                                   {combine},
                                                   {parameter_gradients},
                                                   {affine_last},
                                                   {combine_last}};

}  // namespace chainrule::cpu
