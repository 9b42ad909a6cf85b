// Images at other sizes: along one dimension after another, each output a weighted sum of a few inputs.
#include "ops/resample.hpp"

#include <algorithm>

#include "backends/cpu/thread_pool.hpp"
#include "ops/kernel_input.hpp"
#include "ops/memory_format.hpp"
#include "ops/resample_bytes.hpp"
#include "ops/resample_taps.hpp"

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
  bool weighs() const { return filter > Filter::NearestExact; }
  bool picks_fewer() const { return !weighs() && count(out) < count(in); }
  template <class T>
  Taps taps(int d) const {
    return make_taps<T>(filter, in[d], out[d], align_corners, scale(d));
  }
  void show(Kept& kept) const {
    kept.add("output_size", Span(out).subspan(2), "self_sym_sizes", in);
    if (weighs()) kept.add("align_corners", align_corners);
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
// Along each dimension, `along(d, from, to, outer, inner)` does the work.
template <class Along>
Tensor run(const Plan& p, Tensor t, MemoryFormat format, bool transposed, Along along) {
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
    if (next.numel() > 0) along(d, t, next, outer, inner);
    t = next;
  }
  return t;
}

Tensor value(const Plan& p, const Tensor& t, bool transposed) {
  GradModeScope off(false);
  const MemoryFormat format = p.format_after(t, transposed);
  const bool bytes = p.weighs() && t.dtype() == DType::UInt8;
  Tensor from = contiguous_in(format, bytes ? t : to_dtype(t, kernel_dtype(t.dtype()))), out;
  if (bytes) {
    out = run(p, from, format, false, [&](int d, const Tensor& a, const Tensor& b, int64_t outer, int64_t inner) {
      resample_bytes(p.taps<double>(d), a.data<uint8_t>(), b.data<uint8_t>(), outer, inner);
    });
  } else {
    out = with_kernel_type(from.dtype(), [&]<class T>(T) {
      return run(p, from, format, transposed,
                 [&](int d, const Tensor& a, const Tensor& b, int64_t outer, int64_t inner) {
                   (transposed ? interpolate_transposed<T> : interpolate<T>)(p.taps<T>(d), a.data<T>(), b.data<T>(),
                                                                             outer, inner);
                 });
    });
  }
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
  if (x.dtype() != DType::UInt8 || (p.weighs() && dims != 2)) require_floating(x, p.op().name);
  return apply(p, x);
}

}  // namespace chainrule
