// Images at other sizes: along one dimension after another, each output a weighted sum of a few inputs.
#include "ops/resample.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backends/cpu/thread_pool.hpp"
#include "ops/kernel_input.hpp"
#include "ops/memory_format.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

struct FilterInfo {
  const char* name;
  OpInfo ops[3];  // by the number of dimensions
};
constexpr const char* kResampleFormula = "g spread over the inputs by the weights they had";
#define CR_OPS(name1, node1, name2, node2, name3, node3)                                                   \
  {                                                                                                        \
    {name1, node1, kResampleFormula}, {name2, node2, kResampleFormula}, { name3, node3, kResampleFormula } \
  }
FilterInfo kFilters[] = {
    {"nearest", CR_OPS("upsample_nearest1d", "UpsampleNearest1DBackward0", "upsample_nearest2d",
                       "UpsampleNearest2DBackward0", "upsample_nearest3d", "UpsampleNearest3DBackward0")},
    {"nearest-exact",
     CR_OPS("_upsample_nearest_exact1d", "UpsampleNearestExact1DBackward0", "_upsample_nearest_exact2d",
            "UpsampleNearestExact2DBackward0", "_upsample_nearest_exact3d", "UpsampleNearestExact3DBackward0")},
    {"linear", CR_OPS("upsample_linear1d", "UpsampleLinear1DBackward0", "upsample_bilinear2d",
                      "UpsampleBilinear2DBackward0", "upsample_trilinear3d", "UpsampleTrilinear3DBackward0")},
    {"cubic", CR_OPS("", "", "upsample_bicubic2d", "UpsampleBicubic2DBackward0", "", "")},
    {"linear", CR_OPS("", "", "_upsample_bilinear2d_aa", "UpsampleBilinear2DAaBackward0", "", "")},
    {"cubic", CR_OPS("", "", "_upsample_bicubic2d_aa", "UpsampleBicubic2DAaBackward0", "", "")},
    {"lanczos", CR_OPS("", "", "_upsample_lanczos2d_aa", "UpsampleLanczos2DAaBackward0", "", "")},
};
#undef CR_OPS
OpInfo kTranspose{"upsample_backward", "UpsampleBackwardBackward0", "g resampled"};

// Along one dimension: output i is the sum of weight * input over its taps.
struct Taps {
  int64_t in, out, count;  // count: taps of each output, the last ones of weight 0 where it has fewer
  std::vector<int64_t> index;
  std::vector<double> weight;

  Taps(int64_t in, int64_t out, int64_t count)
      : in(in),
        out(out),
        count(count),
        index(static_cast<size_t>((CheckedSize(out) * count).value())),
        weight(index.size()) {}
  void set(int64_t i, int64_t tap, int64_t from, double w) {
    index[static_cast<size_t>(i * count + tap)] = std::clamp<int64_t>(from, 0, in - 1);
    weight[static_cast<size_t>(i * count + tap)] = w;
  }
};

// Positions are computed in the type that the values have, as PyTorch does: they decide which inputs are read.
template <class T>
T step_of(int64_t in, int64_t out, bool align_corners, double scale) {
  if (align_corners) return out > 1 ? static_cast<T>(in - 1) / static_cast<T>(out - 1) : T(0);
  return scale > 0 ? static_cast<T>(1 / scale) : static_cast<T>(in) / static_cast<T>(out);
}

template <class T>
T position(int64_t i, T step, bool align_corners) {
  return align_corners ? step * static_cast<T>(i) : step * (static_cast<T>(i) + T(0.5)) - T(0.5);
}

Taps nearest_taps(int64_t in, int64_t out, double scale, bool exact) {
  Taps taps(in, out, 1);
  auto step = step_of<float>(in, out, false, scale);
  for (int64_t i = 0; i < out; ++i) {
    float at = exact ? (static_cast<float>(i) + 0.5f) * step : static_cast<float>(i) * step;
    int64_t from = exact || (in != out && out != 2 * in) ? static_cast<int64_t>(std::floor(at)) : in == out ? i : i / 2;
    taps.set(i, 0, std::min(from, in - 1), 1);
  }
  return taps;
}

template <class T>
Taps linear_taps(int64_t in, int64_t out, bool align_corners, double scale) {
  Taps taps(in, out, 2);
  T step = step_of<T>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    T at = in == out ? static_cast<T>(i) : std::max(position(i, step, align_corners), T(0));
    auto from = std::min(static_cast<int64_t>(at), in - 1);
    T right = std::min(std::max(at - static_cast<T>(from), T(0)), T(1));
    taps.set(i, 0, from, T(1) - right);
    taps.set(i, 1, from + 1, right);
  }
  return taps;
}

// The cubic convolution kernel at distance x, for a = -0.75 (PyTorch's) or -0.5 (antialiased, as in Pillow).
template <class T>
T cubic(T x, T a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : T(0);
}

template <class T>
Taps cubic_taps(int64_t in, int64_t out, bool align_corners, double scale) {
  Taps taps(in, out, 4);
  T step = step_of<T>(in, out, align_corners, scale);
  for (int64_t i = 0; i < out; ++i) {
    T at = position(i, step, align_corners), whole = std::floor(at), t = at - whole;
    for (int64_t k = 0; k < 4; ++k) {
      taps.set(i, k, static_cast<int64_t>(whole) - 1 + k, cubic(t + T(1) - static_cast<T>(k), T(-0.75)));
    }
  }
  return taps;
}

template <class T>
T triangle(T x) {
  return std::max(T(0), T(1) - std::abs(x));
}

// A sinc under the middle of a wider one.
template <class T>
T lanczos(T x) {
  if (x == 0) return 1;
  T angle = std::numbers::pi_v<T> * x;
  return std::abs(x) < 3 ? 3 * std::sin(angle) * std::sin(angle / 3) / (angle * angle) : T(0);
}

// A filter for making images smaller, zero from `reach` on.
template <class T>
struct Antialiasing {
  int reach;
  T (*weight)(T x);
};
template <class T>
Antialiasing<T> antialiasing(Filter f) {
  if (f == Filter::LanczosAntialiased) return {3, lanczos<T>};
  if (f == Filter::CubicAntialiased) return {2, [](T x) { return cubic(x, T(-0.5)); }};
  return {1, triangle<T>};
}

// The filter is as wide as the step, so that every input counts.
template <class T>
Taps antialiased_taps(int64_t in, int64_t out, bool align_corners, double scale, const Antialiasing<T>& filter) {
  T step = step_of<T>(in, out, align_corners, scale), inverse = step >= 1 ? 1 / step : T(1);
  T support = static_cast<T>(filter.reach) * std::max(step, T(1));
  Taps taps(in, out, static_cast<int64_t>(std::ceil(support)) * 2 + 1);
  for (int64_t i = 0; i < out; ++i) {
    T centre = step * (static_cast<T>(i) + T(0.5)), total = 0;
    auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + T(0.5)), 0);
    int64_t count = std::min(static_cast<int64_t>(centre + support + T(0.5)), in) - first;
    count = std::clamp<int64_t>(count, 0, taps.count);
    std::vector<T> weights(static_cast<size_t>(count));
    for (int64_t k = 0; k < count; ++k) {
      T w = filter.weight((static_cast<T>(k + first) - centre + T(0.5)) * inverse);
      weights[static_cast<size_t>(k)] = w;
      total += w;
    }
    for (int64_t k = 0; k < count; ++k) taps.set(i, k, first + k, weights[static_cast<size_t>(k)] / total);
  }
  return taps;
}

template <class T>
Taps make_taps(Filter f, int64_t in, int64_t out, bool align_corners, double scale) {
  switch (f) {
    case Filter::Nearest:
    case Filter::NearestExact:
      return nearest_taps(in, out, scale, f == Filter::NearestExact);
    case Filter::Linear:
      return linear_taps<T>(in, out, align_corners, scale);
    case Filter::Cubic:
      return cubic_taps<T>(in, out, align_corners, scale);
    default:
      return antialiased_taps<T>(in, out, align_corners, scale, antialiasing<T>(f));
  }
}

// ---- (outer, in, inner) to (outer, out, inner)

constexpr int64_t kGrain = 16 * 1024;

// The last dimension's outputs, each of `count` taps.
template <int count, class T>
void interpolate_row(const int64_t* index, const T* weight, const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i, index += count, weight += count) {
    T total = weight[0] * x[index[0]];
    for (int k = 1; k < count; ++k) total += weight[k] * x[index[k]];
    y[i] = total;
  }
}
template <class T>
using RowInterpolation = void (*)(const int64_t* index, const T* weight, const T* x, T* y, int64_t n);
template <class T>
RowInterpolation<T> row_interpolation(int64_t count) {  // null: taps that are none may be among them
  return count == 1   ? interpolate_row<1, T>
         : count == 2 ? interpolate_row<2, T>
         : count == 4 ? interpolate_row<4, T>
                      : nullptr;
}

// One row of `inner` elements from `count` others; those of weight 0 may be no taps at all.
template <class T>
void blend_rows(const int64_t* index, const T* weight, int64_t count, const T* from, T* to, int64_t inner) {
  const T *first = from + index[0] * inner, w = weight[0];
  if (count == 1) {
    std::copy_n(first, inner, to);
    return;
  }
  if (count == 2) {
    const T *second = from + index[1] * inner, other = weight[1];
    for (int64_t j = 0; j < inner; ++j) to[j] = w * first[j] + other * second[j];
    return;
  }
  for (int64_t j = 0; j < inner; ++j) to[j] = w * first[j];
  for (int64_t k = 1; k < count; ++k) {
    const T *row = from + index[k] * inner, more = weight[k];
    if (more == 0) continue;
    for (int64_t j = 0; j < inner; ++j) to[j] += more * row[j];
  }
}

template <class T>
void interpolate(const Taps& t, const T* x, T* y, int64_t outer, int64_t inner) {
  const std::vector<T> weights(t.weight.begin(), t.weight.end());
  const RowInterpolation<T> whole_row = inner == 1 ? row_interpolation<T>(t.count) : nullptr;
  cpu::parallel_for(outer, std::max<int64_t>(1, kGrain / (t.out * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const T* from = x + o * t.in * inner;
      T* to = y + o * t.out * inner;
      const int64_t* index = t.index.data();
      const T* weight = weights.data();
      if (whole_row) {
        whole_row(index, weight, from, to, t.out);
        continue;
      }
      for (int64_t i = 0; i < t.out; ++i, to += inner, index += t.count, weight += t.count) {
        blend_rows(index, weight, t.count, from, to, inner);
      }
    }
  });
}

template <class T>
void interpolate_transposed(const Taps& t, const T* g, T* x, int64_t outer, int64_t inner) {
  const std::vector<T> weights(t.weight.begin(), t.weight.end());
  cpu::parallel_for(outer, std::max<int64_t>(1, kGrain / (t.out * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      T* to = x + o * t.in * inner;
      std::fill_n(to, t.in * inner, T(0));
      const T* row = g + o * t.out * inner;
      const int64_t* index = t.index.data();
      const T* weight = weights.data();
      for (int64_t i = 0; i < t.out; ++i, row += inner) {
        for (int64_t k = 0; k < t.count; ++k, ++index, ++weight) {
          const T w = *weight;
          if (w == 0) continue;
          T* target = to + *index * inner;
          for (int64_t j = 0; j < inner; ++j) target[j] += w * row[j];
        }
      }
    }
  });
}

struct Plan {
  Filter filter;
  Dims in, out;  // whole shapes
  bool align_corners;
  std::vector<double> scales;

  double scale(int d) const { return scales.empty() ? 0 : scales[static_cast<size_t>(d - 2)]; }
  bool picks_fewer() const { return filter <= Filter::NearestExact && count(out) < count(in); }
  template <class T>
  Taps taps(int d) const {
    return make_taps<T>(filter, in[d], out[d], align_corners, scale(d));
  }
  void show(Kept& kept) const {
    kept.add("output_size", Span(out).subspan(2), "self_sym_sizes", in);
    if (filter > Filter::NearestExact) kept.add("align_corners", align_corners);
    constexpr const char* names[] = {"scales_d", "scales_h", "scales_w"};
    for (int d = 2; d < in.size(); ++d) {
      const char* name = in.size() == 3 ? "scales" : names[3 - in.size() + d];
      kept.add(name, scale(d) > 0 ? std::optional(scale(d)) : std::nullopt);
    }
  }
  // Of PyTorch's gradients not all keep the layout of what comes in.
  MemoryFormat format_after(const Tensor& t, bool transposed) const {
    const bool cubic = filter == Filter::Cubic || filter == Filter::CubicAntialiased;
    const bool plain = cubic || (in.size() == 5 && filter <= Filter::NearestExact);
    return transposed && plain ? MemoryFormat::Contiguous : suggested_format(t);
  }
  OpInfo& op() const { return kFilters[static_cast<int>(filter)].ops[in.size() - 3]; }
};

// The last dimension first, as its sums stand innermost in PyTorch's; but what is only picked need not be read before.
// The transpose goes in the other order. With channels last these lie closest in memory, whichever dimension is
// resampled.
template <class T>
Tensor run(const Plan& p, Tensor t, MemoryFormat format, bool transposed) {
  int n = p.in.size();
  bool outermost_first = p.picks_fewer() != transposed;
  for (int step = 2; step < n; ++step) {
    int d = outermost_first ? step : n + 1 - step;
    if (p.in[d] == p.out[d] && p.filter <= Filter::Linear && p.scale(d) <= 0) continue;
    Dims sizes(t.sizes());
    sizes[d] = transposed ? p.in[d] : p.out[d];
    const bool last = format != MemoryFormat::Contiguous;
    Tensor next = empty_in(format, sizes, t.dtype());
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < n; ++i) (i < d && !(last && i == 1) ? outer : inner) *= i == d ? 1 : sizes[i];
    if (next.numel() > 0) {
      (transposed ? interpolate_transposed<T> : interpolate<T>)(p.taps<T>(d), t.data<T>(), next.data<T>(), outer,
                                                                inner);
    }
    t = next;
  }
  return t;
}

Tensor value(const Plan& p, const Tensor& t, bool transposed) {
  GradModeScope off(false);
  const MemoryFormat format = p.format_after(t, transposed);
  Tensor from = contiguous_in(format, to_dtype(t, kernel_dtype(t.dtype())));
  Tensor out = with_kernel_type(from.dtype(), [&]<class T>(T) { return run<T>(p, from, format, transposed); });
  if (out.get() == t.get()) out = clone_in(format, out);
  return to_dtype(out, t.dtype());
}

Tensor apply(const Plan& p, const Tensor& x);

Tensor apply_transposed(const Plan& p, const Tensor& g) {
  return record(kTranspose, value(p, g, true), {&g}, {}, [p](Backward& b) { b.give(0, apply(p, b.g())); });
}

Tensor apply(const Plan& p, const Tensor& x) {
  return record(p.op(), value(p, x, false), {&x}, {}, [p](Backward& b, Kept* kept) {
    if (kept) return p.show(*kept);
    b.give(0, apply_transposed(p, b.g()));
  });
}

}  // namespace

Tensor resample(Filter filter, const Tensor& x, const Dims& out, bool align_corners,
                const std::vector<double>& scales) {
  int dims = out.size();
  check(x.ndim() == dims + 2, "It is expected input_size equals to ", dims + 2, ", but got size ", x.ndim());
  Plan p{filter, Dims(x.sizes()), Dims{x.size(0), x.size(1)}, align_corners, scales};
  for (int64_t s : out) p.out.push_back(s);
  for (int d = 2; d < x.ndim(); ++d) {
    check(x.size(d) > 0 && p.out[d] > 0, "Input and output sizes should be greater than 0, but got input ", x.sizes(),
          " output ", Span(out));
  }
  check(x.size(1) > 0, "Non-empty ", x.ndim(), "D data tensor expected but got a tensor with sizes ", x.sizes());
  // Bytes can be picked; weighted sums of them PyTorch makes in integers of its own.
  if (x.dtype() != DType::UInt8 || filter > Filter::NearestExact) require_floating(x, p.op().name);
  return apply(p, x);
}

}  // namespace chainrule
