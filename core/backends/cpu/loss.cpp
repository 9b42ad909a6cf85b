#include "backends/loss.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/softmax.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kSamples = 4096;     // for one thread
constexpr int64_t kGrain = 16 * 1024;  // scores for one thread

// ---- the negative log-likelihood

// Of one target; 0 if it does not count.
template <class T>
T weight_of(const ClassTargets& t, int64_t i) {
  const auto* weight = static_cast<const T*>(t.weight);
  return !t.counts(i) ? T(0) : weight ? weight[t.target[i]] : T(1);
}

template <class T>
double weight_of_all(const ClassTargets& t) {
  double total = 0;
  for (int64_t i = 0; i < t.count(); ++i) total += static_cast<double>(weight_of<T>(t, i));
  return total;
}

template <class T>
void of_classes(const ClassTargets& t, const T* x, T* out) {
  double loss = 0, weight = 0;
  for (int64_t i = 0; i < t.count(); ++i) {
    const T w = weight_of<T>(t, i), one = t.counts(i) ? -w * x[t.at(i)] : T(0);
    if (t.reduction == kNone) out[i] = one;
    loss += one;
    weight += w;
  }
  if (t.reduction != kNone) *out = static_cast<T>(t.reduction == kMean ? loss / weight : loss);
}

template <class T>
void spread(const ClassTargets& t, const T* g, T* out) {
  T one = t.reduction == kNone ? T(0) : *g;
  if (t.reduction == kMean) one = static_cast<T>(one / weight_of_all<T>(t));
  const int64_t row = t.classes * t.positions, grain = kSamples / std::clamp<int64_t>(t.positions, 1, kSamples);
  parallel_for(t.samples, grain, [&](int64_t begin, int64_t end) {
    std::memset(out + begin * row, 0, static_cast<size_t>((end - begin) * row) * sizeof(T));
    for (int64_t i = begin * t.positions; i < end * t.positions; ++i) {
      if (t.counts(i)) out[t.at(i)] = -weight_of<T>(t, i) * (t.reduction == kNone ? g[i] : one);
    }
  });
}

// ---- cross-entropy: what is kept of a row is the logarithm of its sum of exponentials

template <class T>
const SoftmaxLoops& loops() {
  return CR_DISPATCH(softmax_table)[sizeof(T) == 8];
}

template <class T>
void sum_rows(const ClassTargets& t, const T* x, T* log_totals, T* out) {
  const int64_t n = t.classes;
  parallel_for(t.samples, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) loops<T>().log_total(x + i * n, log_totals + i, n);
  });
  double loss = 0;
  for (int64_t i = 0; i < t.samples; ++i) {
    const auto w = static_cast<double>(weight_of<T>(t, i));
    const double one = t.counts(i) ? w * (log_totals[i] - x[i * n + t.target[i]]) : 0;
    if (t.reduction == kNone) out[i] = static_cast<T>(one);
    loss += one;
  }
  if (t.reduction != kNone) *out = static_cast<T>(t.reduction == kMean ? loss / weight_of_all<T>(t) : loss);
}

// scale * (softmax(x) - 1 at the target) for each row of n.
template <class T>
struct CrossEntropyRows {
  const T *x, *log_totals, *scales;
  const int64_t* target;
  int64_t n;

  // Columns [first, first + count) of a row, written to `to`.
  void columns(int64_t row, int64_t first, int64_t count, T* to) const {
    loops<T>().scaled(x + row * n + first, log_totals + row, scales + row, to, count);
    const int64_t at = target[row] - first;
    if (at >= 0 && at < count) to[at] -= scales[row];
  }
  // By tiles in the first-level cache; see stream.hpp.
  void stream(int64_t row, T* out) const {
    constexpr int64_t step = kStreamTile / sizeof(T);
    alignas(64) T tile[step];
    for (int64_t first = 0; first < n; first += step) {
      const int64_t count = std::min(step, n - first);
      columns(row, first, count, tile);
      CR_DISPATCH(stream_copy)(reinterpret_cast<char*>(out + first), reinterpret_cast<const char*>(tile),
                               count * static_cast<int64_t>(sizeof(T)));
    }
  }
};

// What the rows of the gradient are multiplied by; 0 for those that do not count.
template <class T>
std::vector<T> row_scales(const ClassTargets& t, const T* g) {
  std::vector<T> scales(static_cast<size_t>(t.samples));
  const double share = t.reduction == kMean ? 1 / weight_of_all<T>(t) : 1;
  for (int64_t i = 0; i < t.samples; ++i) {
    const double incoming = t.reduction == kNone ? g[i] : *g;
    if (t.counts(i))
      scales[static_cast<size_t>(i)] = static_cast<T>(incoming * static_cast<double>(weight_of<T>(t, i)) * share);
  }
  return scales;
}

template <class T>
void rows_gradient(const CrossEntropyGradient& c) {
  const ClassTargets& t = c.targets;
  const int64_t n = t.classes;
  const std::vector<T> scales = row_scales(t, static_cast<const T*>(c.g));
  const CrossEntropyRows<T> rows{static_cast<const T*>(c.x), static_cast<const T*>(c.log_totals), scales.data(),
                                 t.target, n};
  const auto bytes = n * static_cast<int64_t>(sizeof(T));
  const bool streams =
      t.samples * bytes >= thresholds.stream && bytes % 64 == 0 && reinterpret_cast<uintptr_t>(c.out) % 64 == 0;
  parallel_for(t.samples, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = static_cast<T*>(c.out) + i * n;
      if (scales[static_cast<size_t>(i)] == 0)
        std::memset(row, 0, static_cast<size_t>(bytes));
      else if (streams)
        rows.stream(i, row);
      else
        rows.columns(i, 0, n, row);
    }
    if (streams) CR_DISPATCH(stream_fence)();
  });
}

// ---- by dtype

void nll(const NllLoss& l) {
  with_kernel_type(l.targets.dtype,
                   [&]<class T>(T) { of_classes(l.targets, static_cast<const T*>(l.x), static_cast<T*>(l.out)); });
}

void nll_gradient(const NllGradient& l) {
  with_kernel_type(l.targets.dtype,
                   [&]<class T>(T) { spread(l.targets, static_cast<const T*>(l.g), static_cast<T*>(l.out)); });
}

void cross_entropy(const CrossEntropy& c) {
  with_kernel_type(c.targets.dtype, [&]<class T>(T) {
    sum_rows(c.targets, static_cast<const T*>(c.x), static_cast<T*>(c.log_totals), static_cast<T*>(c.out));
  });
}

void cross_entropy_gradient(const CrossEntropyGradient& c) {
  with_kernel_type(c.targets.dtype, [&]<class T>(T) { rows_gradient<T>(c); });
}

}  // namespace

constinit const LossKernels loss_kernels{{nll}, {nll_gradient}, {cross_entropy}, {cross_entropy_gradient}};

}  // namespace chainrule::cpu
