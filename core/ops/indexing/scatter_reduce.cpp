// Many elements that come to one place become one: scatter_reduce, and index_reduce for whole slices.
#include <cmath>
#include <limits>

#include "ops/create/create.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/indexing/along.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/indexing/index_write.hpp"
#include "ops/indexing/scatter.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/element_type.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

enum class Reduce : uint8_t { Sum, Prod, Mean, Max, Min };
constexpr const char* kReduceNames[] = {"sum", "prod", "mean", "amax", "amin"};

OpInfo kScatterReduce{"scatter_reduce", "ScatterReduceBackward0",
                      "sum: g; mean: g / count; amax, amin: g shared by those equal to y; prod: g * the other factors"};
OpInfo kIndexReduce{"index_reduce", "IndexReduceBackward0",
                    "mean: g / count; amax, amin: g shared by those equal to y; prod: g * the other factors"};
OpInfo kOnce{"scatter_reduce", "DelayedErrorBackward0", "none"};

Tensor times(const Tensor& a, const Tensor& b) { return elementwise(OpId::mul, {a, b}); }
Tensor div(const Tensor& a, const Tensor& b) { return elementwise(OpId::div, {a, b}); }
Tensor is(const Tensor& a, const Operand& b) { return elementwise(OpId::eq, {a, b}); }
// 1 in place of the elements that the condition picks.
Tensor ones_where(const Tensor& condition, const Tensor& t) { return elementwise(OpId::where, {condition, 1.0, t}); }

// Places along a dimension: of elements (scatter_reduce) or of slices (index_reduce).
struct Places {
  int dim;
  bool slices;
  Tensor index;

  Tensor read(const Tensor& t) const { return slices ? index_select(t, dim, index) : take_along(t, dim, index); }
  Tensor add(const Tensor& t, const Tensor& src) const {
    return slices ? index_add(t, dim, index, src, Scalar::of_int(1), Place::Copy)
                  : scatter_add(t, dim, index, src, Place::Copy);
  }
  Tensor fill(const Tensor& t, const Scalar& value, Place place) const {
    return slices ? index_fill(t, dim, to_dtype(index, DType::Int64), value, place)
                  : scatter(t, dim, index, value, place);
  }
  void combine(Combine combine, const Tensor& out, const Tensor& src) const {
    if (!slices) return combine_along(combine, out, dim, index, src);
    LocatedSlices at;
    if (Bad bad = locate_along(out, dim, index, false, at)) {
      raise(PyExc_IndexError, "index out of range in self: index ", *bad, " is out of bounds for dimension ", dim,
            " with size ", out.ndim() ? out.size(dim) : 1);
    }
    combine_slices(combine, at, out, src);
  }
  // How many elements each place is made of; 1 where there are none.
  Tensor counts(Span sizes, Span src_sizes, DType dtype, bool include_self) const {
    GradModeScope off(false);
    Tensor n = add(full(sizes, Scalar::of_int(include_self), dtype), ones(src_sizes, dtype));
    return elementwise(OpId::where, {is(n, Scalar::of_int(0)), Scalar::of_int(1), n});
  }
};

Combine combine_of(Reduce how) {
  constexpr Combine combines[] = {Combine::Add, Combine::Multiply, Combine::Add, Combine::Max, Combine::Min};
  return combines[static_cast<int>(how)];
}

// The number that changes nothing it combines.
Scalar identity(Reduce how, DType dtype) {
  if (how == Reduce::Sum || how == Reduce::Mean) return Scalar::of_int(0);
  if (how == Reduce::Prod) return Scalar::of_int(1);
  bool low = how == Reduce::Max;
  if (is_differentiable(dtype)) return low ? -HUGE_VAL : HUGE_VAL;
  return with_element_type(dtype, [&]<class T>(T*) {
    using Limits = std::numeric_limits<std::conditional_t<std::is_integral_v<T>, T, int64_t>>;
    return Scalar::of_int(low ? Limits::lowest() : Limits::max());
  });
}

void reduce_into(const Tensor& out, const Places& at, const Tensor& src, Reduce how, bool include_self) {
  GradModeScope off(false);
  forward_mode::PauseScope pause;
  bool is_half = out.dtype() == DType::Float16 || out.dtype() == DType::BFloat16;
  if (is_half && !at.slices) {  // in float32, and rounded once; index_reduce rounds after each slice, as in PyTorch
    Tensor wide = to_dtype(out, DType::Float32);
    reduce_into(wide, at, to_dtype(src, DType::Float32), how, include_self);
    return copy_elements(out, wide);
  }
  if (!include_self) at.fill(out, identity(how, out.dtype()), Place::Itself);
  at.combine(combine_of(how), out, src);
  if (how != Reduce::Mean) return;
  Tensor n = at.counts(out.sizes(), src.sizes(), out.dtype(), include_self);
  elementwise_inplace(is_differentiable(out.dtype()) ? OpId::div : OpId::div_floor, {out, n});
}

// A gradient that is right, and cannot be differentiated again.
Tensor once_differentiable(const Tensor& gradient) {
  Tensor result = alias(gradient);
  return record(kOnce, result, {&gradient}, {}, [](Backward&) {
    raise(PyExc_RuntimeError,
          "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
          "position in self");
  });
}

struct ReduceGradient {
  Reduce how;
  bool slices, include_self;
  int dim;

  void operator()(Backward& b, Kept* kept) const {
    if (kept) {
      return kept->add("dim", dim, "index", Slot{0}, "self", Slot{1}, slices ? "source" : "src", Slot{2}, "result",
                       Slot{3}, "reduce", kReduceNames[static_cast<int>(how)], "include_self", include_self);
    }
    Places at{dim, slices, b.saved(0)};
    Tensor g = b.g(), x = b.saved(1), src = b.saved(2), y = b.saved(3), to_x, to_src;
    if (how == Reduce::Sum || how == Reduce::Mean) {
      to_x = how == Reduce::Sum ? g : div(g, at.counts(g.sizes(), src.sizes(), g.dtype(), include_self));
      if (b.needs(1)) to_src = at.read(to_x);
    } else if (how == Reduce::Prod) {
      if (b.needs(0)) to_x = through_product(at, g, x, src);
      if (b.needs(1)) to_src = through_factors(at, g, x, src, y);
    } else {
      Tensor hits = to_dtype(is(x, y), g.dtype()), src_hits = to_dtype(is(src, at.read(y)), g.dtype());
      if (!include_self) hits = at.fill(hits, Scalar(0.0), Place::Copy);
      Tensor share = div(g, at.add(hits, src_hits));
      to_x = times(hits, share);
      to_src = times(src_hits, at.read(share));
    }
    if (b.needs(0)) b.give(0, include_self ? to_x : at.fill(to_x, Scalar(0.0), Place::Copy));
    if (b.needs(1)) b.give(1, to_src);
  }

  Tensor product(const Places& at, const Tensor& x, const Tensor& src) const {
    return slices ? index_reduce(x, dim, at.index, src, "prod", include_self, Place::Copy)
                  : scatter_reduce(x, dim, at.index, src, "prod", include_self, Place::Copy);
  }

  // The product without x: where x is 0, of the other factors.
  Tensor through_product(const Places& at, const Tensor& g, const Tensor& x, const Tensor& src) const {
    Tensor nonzero = ones_where(is(x, 0.0), x);
    return div(times(g, conj(product(at, nonzero, src))), conj(nonzero));
  }

  // The product without one factor of src: divided by it, or, where it is the only zero, of the others.
  Tensor through_factors(const Places& at, const Tensor& g, const Tensor& x, const Tensor& src, const Tensor& y) const {
    Tensor zero = is(src, 0.0), zeros_there, alone;
    bool several;
    {
      GradModeScope off(false);
      zeros_there = at.read(at.add(zeros(x.sizes(), x.dtype()), to_dtype(zero, x.dtype())));
      alone = elementwise(OpId::logical_and, {zero, is(zeros_there, 1.0)});
      Tensor found =
          any(elementwise(OpId::logical_and, {zero, elementwise(OpId::ne, {zeros_there, 1.0})}), Dims(), false);
      several = item(found).integer != 0;
    }
    Tensor others = at.read(times(g, conj(product(at, x, ones_where(alone, src)))));
    Tensor divided = div(at.read(times(g, conj(y))), conj(ones_where(zero, src)));
    Tensor result = elementwise(OpId::where, {alone, others, divided});
    return several && grad_enabled() ? once_differentiable(result) : result;
  }
};

Reduce reduce_named(const std::string& name, bool slices) {
  constexpr std::pair<const char*, Reduce> names[] = {{"sum", Reduce::Sum},
                                                      {"prod", Reduce::Prod},
                                                      {"mean", Reduce::Mean},
                                                      {"amax", Reduce::Max},
                                                      {"amin", Reduce::Min}};
  for (auto [text, how] : names) {
    if (name == text && !(slices && how == Reduce::Sum)) return how;
  }
  if (slices) {
    raise(PyExc_RuntimeError, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ", name,
          ".");
  }
  raise(PyExc_RuntimeError, "reduce argument must be either sum, prod, mean, amax or amin, got ", name);
}

void refuse(const std::string& kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

// What PyTorch's index_reduce does not take depends on the kernels that it is made of.
void refuse_index_reduce(const Tensor& x, Reduce how, bool include_self) {
  if (!is_complex(x.dtype()) && !is_bool(x.dtype())) return;
  if (!include_self) refuse("index_reduce_func_exclude_input_init", x.dtype());
  if (x.ndim() < 2) refuse("index_func_", x.dtype());
  if (how == Reduce::Mean && is_bool(x.dtype())) refuse("div_floor_cpu", x.dtype());
  bool ordered = how == Reduce::Max || how == Reduce::Min;
  if (ordered && is_complex(x.dtype())) refuse(how == Reduce::Max ? "maximum_cpu" : "minimum_cpu", x.dtype());
}

Tensor reduce_at(OpInfo& op, const Tensor& x, const Places& at, const Tensor& src, Reduce how, bool include_self,
                 Place place) {
  Tensor out = open_plain_write(place, {&x, &src});
  Tensor given = apart_from(out, src), former = x;
  apart_from(out, at.index);
  if (place == Place::Itself && should_record_write(std::array{&x, &src})) {
    GradModeScope off(false);
    former = clone(x);
  }
  reduce_into(out, at, given, how, include_self);
  return record_write(op, place, out, {&x, &src}, {&at.index, &former, &src, &out},
                      ReduceGradient{how, at.slices, include_self, at.dim});
}

// The part of src that the index covers. The rest is a view's to leave out, and to fill with zeros in the gradient.
Tensor covered(const Tensor& src, const Tensor& index) {
  Tensor part = src;
  for (int d = 0; d < index.ndim() && d < src.ndim(); ++d)
    if (part.size(d) > index.size(d)) part = narrow(part, d, 0, index.size(d));
  return part;
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce,
                      bool include_self, Place place) {
  Reduce how = reduce_named(reduce, false);
  int d = wrap_dim(dim, x.ndim());
  Tensor at = checked_scatter("scatter", x, d, index, src);
  bool ordered = how == Reduce::Max || how == Reduce::Min;
  if ((ordered && is_complex(x.dtype())) || (how == Reduce::Mean && is_bool(x.dtype())))
    refuse("scatter_gather_tensor_cpu_reduce_" + reduce, x.dtype());
  return reduce_at(kScatterReduce, x, {d, false, at}, covered(src, at), how, include_self, place);
}

Tensor index_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, const std::string& reduce,
                    bool include_self, Place place) {
  Reduce how = reduce_named(reduce, true);
  int d = wrap_dim(dim, x.ndim());
  check_slices("index_reduce", x, d, index, source);
  refuse_index_reduce(x, how, include_self);
  return reduce_at(kIndexReduce, x, {d, true, index}, source, how, include_self, place);
}

}  // namespace chainrule
