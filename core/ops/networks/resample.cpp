// Images at other sizes: along one dimension after another, each output a weighted sum of a few inputs.
#include "ops/networks/resample.hpp"

#include "ops/networks/kernel_input.hpp"
#include "ops/views/memory_format.hpp"

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

struct ResamplePlan {
  Filter filter;
  Dims in, out;  // whole shapes
  bool align_corners;
  std::vector<double> scales;

  double scale(int d) const { return scales.empty() ? 0 : scales[static_cast<size_t>(d - 2)]; }
  bool weighs() const { return filter > Filter::NearestExact; }
  bool picks_fewer() const { return !weighs() && count(out) < count(in); }
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
Tensor run(const ResamplePlan& p, Tensor t, MemoryFormat format, bool transposed) {
  int n = p.in.size();
  bool outermost_first = p.picks_fewer() != transposed;
  const auto& kernel = transposed ? backend().resample->along_transposed : backend().resample->along;
  for (int step = 2; step < n; ++step) {
    int d = outermost_first ? step : n + 1 - step;
    if (p.in[d] == p.out[d] && p.filter <= Filter::Linear && p.scale(d) <= 0) continue;
    Dims sizes(t.sizes());
    sizes[d] = transposed ? p.in[d] : p.out[d];
    const bool last = format != MemoryFormat::Contiguous;
    Tensor next = empty_in(format, sizes, t.dtype());
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < n; ++i) (i < d && !(last && i == 1) ? outer : inner) *= i == d ? 1 : sizes[i];
    if (next.numel() > 0)
      kernel({p.filter, p.in[d], p.out[d], p.align_corners, p.scale(d), outer, inner, t.dtype(), t->data, next->data});
    t = next;
  }
  return t;
}

Tensor value(const ResamplePlan& p, const Tensor& t, bool transposed) {
  GradModeScope off(false);
  const MemoryFormat format = p.format_after(t, transposed);
  const bool bytes = p.weighs() && t.dtype() == DType::UInt8;
  Tensor from = contiguous_in(format, bytes ? t : to_dtype(t, kernel_dtype(t.dtype())));
  Tensor out = run(p, from, format, transposed);
  if (out.get() == t.get()) out = clone_in(format, out);
  return to_dtype(out, t.dtype());
}

Tensor apply(const ResamplePlan& p, const Tensor& x);

Tensor apply_transposed(const ResamplePlan& p, const Tensor& g) {
  return record(kTranspose, value(p, g, true), {&g}, {}, [p](Backward& b) { b.give(0, apply(p, b.g())); });
}

Tensor apply(const ResamplePlan& p, const Tensor& x) {
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
  ResamplePlan p{filter, Dims(x.sizes()), Dims{x.size(0), x.size(1)}, align_corners, scales};
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
