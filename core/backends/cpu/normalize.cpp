// Normalisation of whole arrays: rows and channels shared among threads.
#include "backends/cpu/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/half_rows.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements for one thread
constexpr int64_t kGroups = 32;        // of rows, that sum their parameters' gradients apart
constexpr int64_t kStreamedRow = 16 * 1024;

const NormalizeKernels& kernels(DType dtype) { return CR_DISPATCH(normalize_table)[dtype == DType::Float64]; }

RowStatistics statistics_of(const NormalizeKernels& k, const void* x, int64_t n, double eps, bool centred) {
  double mean = centred ? k.sum(x, n) / static_cast<double>(n) : 0;
  double variance = k.sum_of_squares(x, n, mean) / static_cast<double>(n);
  return {mean, 1 / std::sqrt(variance + eps)};
}

// Rows of a large result are made in the first-level cache and written past the others; see Note [Streaming stores].
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
void rows_gradient(DType dtype, const char* g, const char* x, const void* weight, const RowStatistics* s,
                   void* gradient, T* weight_gradient, T* bias_gradient, int64_t rows, int64_t n, bool centred) {
  const NormalizeKernels& k = kernels(dtype);
  const auto bytes = n * static_cast<int64_t>(size_of(dtype));
  const int64_t per_group =
      std::max((rows + kGroups - 1) / kGroups, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)));
  const int64_t groups = (rows + per_group - 1) / per_group;
  std::vector<T> weights(weight_gradient ? groups * n : 0), biases(bias_gradient ? groups * n : 0);
  parallel_for(groups, 1, [&](int64_t begin, int64_t end) {
    RowWriter writer(gradient, rows, bytes);
    HalfRows halves(dtype, n, 3);
    for (int64_t group = begin; group < end; ++group) {
      T* weight_sum = weight_gradient ? weights.data() + group * n : nullptr;
      T* bias_sum = bias_gradient ? biases.data() + group * n : nullptr;
      for (int64_t i = group * per_group; i < std::min(rows, (group + 1) * per_group); ++i) {
        const void *from = halves.read(0, g + i * bytes, n), *value = halves.read(1, x + i * bytes, n);
        char* to = writer.begin(i);
        k.row_gradient(from, value, weight, halves.target(2, to), weight_sum, bias_sum, n, s[i], centred);
        halves.write(2, to, n);
        writer.end(i);
      }
    }
  });
  if (weight_gradient) add_parts(weights.data(), groups, n, weight_gradient);
  if (bias_gradient) add_parts(biases.data(), groups, n, bias_gradient);
}

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

}  // namespace

void normalize_rows(DType dtype, const void* x, const void* weight, const void* bias, void* y,
                    RowStatistics* statistics, int64_t rows, int64_t n, double eps, bool centred) {
  const NormalizeKernels& k = kernels(dtype);
  const auto bytes = n * static_cast<int64_t>(size_of(dtype));
  parallel_for(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    RowWriter writer(y, rows, bytes);
    HalfRows halves(dtype, n, 2);
    for (int64_t i = begin; i < end; ++i) {
      const void* row = halves.read(0, static_cast<const char*>(x) + i * bytes, n);
      statistics[i] = statistics_of(k, row, n, eps, centred);
      char* to = writer.begin(i);
      k.row(row, weight, bias, halves.target(1, to), n, statistics[i]);
      halves.write(1, to, n);
      writer.end(i);
    }
  });
}

void normalize_rows_gradient(DType dtype, const void* g, const void* x, const void* weight,
                             const RowStatistics* statistics, void* gradient, void* weight_gradient,
                             void* bias_gradient, int64_t rows, int64_t n, bool centred) {
  auto run = [&]<class T>(T) {
    rows_gradient(dtype, static_cast<const char*>(g), static_cast<const char*>(x), weight, statistics, gradient,
                  static_cast<T*>(weight_gradient), static_cast<T*>(bias_gradient), rows, n, centred);
  };
  dtype == DType::Float64 ? run(double{}) : run(float{});
}

void channel_moments(DType dtype, const void* x, Channels shape, Moments* out) {
  const NormalizeKernels& k = kernels(dtype);
  const Pieces pieces(dtype, shape);
  const auto count = static_cast<double>(shape.per_channel());
  each_channel(dtype, shape, 1, [&](int64_t c, HalfRows& halves) {
    int64_t held = -1;
    const void* row = nullptr;
    auto piece = [&](int64_t i) {
      if (i != held) row = halves.read(0, static_cast<const char*>(x) + pieces.at(i, c), shape.inner);
      held = i;
      return row;
    };
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < shape.outer; ++i) sum += k.sum(piece(i), shape.inner);
    const double mean = sum / count;
    for (int64_t i = 0; i < shape.outer; ++i) squares += k.sum_of_squares(piece(i), shape.inner, mean);
    out[c] = {mean, squares / count};
  });
}

void affine_channels(DType dtype, const void* x, void* y, Channels shape, const Affine* affine) {
  const NormalizeKernels& k = kernels(dtype);
  const Pieces pieces(dtype, shape);
  each_channel(dtype, shape, 2, [&](int64_t c, HalfRows& halves) {
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(x) + at, shape.inner);
      char* to = static_cast<char*>(y) + at;
      k.affine(from, halves.target(1, to), shape.inner, affine[c].mean, affine[c].scale, affine[c].shift);
      halves.write(1, to, shape.inner);
    }
  });
}

void channel_sums(DType dtype, const void* g, const void* x, Channels shape, const double* means, ChannelSums* out) {
  const NormalizeKernels& k = kernels(dtype);
  const Pieces pieces(dtype, shape);
  each_channel(dtype, shape, 2, [&](int64_t c, HalfRows& halves) {
    ChannelSums total{0, 0};
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(g) + at, shape.inner);
      const void* value = halves.read(1, static_cast<const char*>(x) + at, shape.inner);
      double sums[2];
      k.sums(from, value, shape.inner, means[c], sums);
      total.g += sums[0];
      total.g_deviation += sums[1];
    }
    out[c] = total;
  });
}

void combine_channels(DType dtype, const void* g, const void* x, void* gradient, Channels shape,
                      const Combination* combinations) {
  const NormalizeKernels& k = kernels(dtype);
  const Pieces pieces(dtype, shape);
  each_channel(dtype, shape, 3, [&](int64_t c, HalfRows& halves) {
    const Combination& m = combinations[c];
    for (int64_t i = 0; i < shape.outer; ++i) {
      const int64_t at = pieces.at(i, c);
      const void* from = halves.read(0, static_cast<const char*>(g) + at, shape.inner);
      const void* value = halves.read(1, static_cast<const char*>(x) + at, shape.inner);
      char* to = static_cast<char*>(gradient) + at;
      k.combine(from, value, halves.target(2, to), shape.inner, m.mean, m.a, m.b, m.c);
      halves.write(2, to, shape.inner);
    }
  });
}

namespace {

// A number for each channel of each sample, as the kernels take it.
template <class T, class Numbers>
std::vector<T> column(const Numbers* numbers, ChannelsLast shape, double Numbers::* which) {
  std::vector<T> values(static_cast<size_t>(shape.samples * shape.channels));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(numbers[i].*which);
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
void affine_places(const T* x, T* y, ChannelsLast s, const Affine* affine) {
  const auto means = column<T>(affine, s, &Affine::mean), scales = column<T>(affine, s, &Affine::scale),
             shifts = column<T>(affine, s, &Affine::shift);
  each_place(s, [&](int64_t at, int64_t first) {
    const T *from = x + at, *mean = means.data() + first, *scale = scales.data() + first;
    const T* shift = shifts.data() + first;
    T* __restrict to = y + at;
    for (int64_t c = 0; c < s.channels; ++c) to[c] = (from[c] - mean[c]) * scale[c] + shift[c];
  });
}

template <class T>
void combine_places(const T* g, const T* x, T* gradient, ChannelsLast s, const Combination* numbers) {
  const auto means = column<T>(numbers, s, &Combination::mean), as = column<T>(numbers, s, &Combination::a),
             bs = column<T>(numbers, s, &Combination::b), cs = column<T>(numbers, s, &Combination::c);
  each_place(s, [&](int64_t at, int64_t first) {
    const T *incoming = g + at, *from = x + at, *mean = means.data() + first;
    const T *a = as.data() + first, *b = bs.data() + first, *shift = cs.data() + first;
    T* __restrict to = gradient + at;
    for (int64_t c = 0; c < s.channels; ++c) to[c] = a[c] * incoming[c] + b[c] * (from[c] - mean[c]) + shift[c];
  });
}

}  // namespace

void affine_last(DType dtype, const void* x, void* y, ChannelsLast shape, const Affine* affine) {
  auto run = [&]<class T>(T) { affine_places(static_cast<const T*>(x), static_cast<T*>(y), shape, affine); };
  dtype == DType::Float64 ? run(double{}) : run(float{});
}

void combine_last(DType dtype, const void* g, const void* x, void* gradient, ChannelsLast shape,
                  const Combination* combinations) {
  auto run = [&]<class T>(T) {
    combine_places(static_cast<const T*>(g), static_cast<const T*>(x), static_cast<T*>(gradient), shape, combinations);
  };
  dtype == DType::Float64 ? run(double{}) : run(float{});
}

}  // namespace chainrule::cpu
