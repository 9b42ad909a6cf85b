// Writing elements along a dimension at positions that an index of the same rank gives.
#include "ops/indexing/scatter.hpp"

#include "ops/create/create.hpp"
#include "ops/indexing/along.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/networks/pad.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"

namespace chainrule {
namespace {

OpInfo kScatter{"scatter", "ScatterBackward0", "self: g with zeros at the index, src: g at the index"};
OpInfo kScatterValue{"scatter", "ScatterBackward1", "g with zeros at the index"};
OpInfo kScatterAdd{"scatter_add", "ScatterAddBackward0", "self: g, src: g at the index"};

Combine combine_named(const std::string& reduce) {
  if (reduce == "add") return Combine::Add;
  if (reduce == "multiply") return Combine::Multiply;
  raise(PyExc_RuntimeError, "reduce argument must be either add or multiply, but got ", reduce);
}

// Half types are added up in float32, and rounded once.
bool is_short(DType t) { return t == DType::Float16 || t == DType::BFloat16; }

// Elements are trusted to have the same dtype.
void combine_wide(Combine combine, const Tensor& out, int dim, const Tensor& index, const Tensor& src) {
  if (!is_short(out.dtype()) || combine == Combine::Replace) return combine_along(combine, out, dim, index, src);
  GradModeScope off(false);
  Tensor wide = to_dtype(out, DType::Float32);
  combine_along(combine, wide, dim, index, to_dtype(src, DType::Float32));
  copy_elements(out, wide);
}

// PyTorch has none for reduce=; scatter_reduce has.
Tensor without_derivative(Place place, const Tensor& out, std::initializer_list<const Tensor*> inputs) {
  return record_underivable("aten::scatter", place, out, inputs);
}

// g at the positions, and zeros where src is larger than the index.
Tensor gradient_of_src(const Tensor& g, int dim, const Tensor& index, Span sizes) {
  Tensor read = take_along(g, dim, index);
  if (equal(read.sizes(), sizes)) return read;
  if (read.ndim() != static_cast<int>(sizes.size())) return reshape(read, sizes);
  Dims pad;
  for (int d = read.ndim(); d-- > 0;) {
    pad.push_back(0);
    pad.push_back(sizes[static_cast<size_t>(d)] - read.size(d));
  }
  return constant_pad_nd(read, pad, Scalar(0.0));
}

}  // namespace

Tensor checked_scatter(const char* op, const Tensor& x, int dim, const Tensor& index, const Tensor& src) {
  Tensor at = checked_along(op, "self", x, index);
  if (src && src.dtype() != x.dtype()) {
    raise(PyExc_RuntimeError, op, "(): Expected self.dtype to be equal to src.dtype, but got torch.",
          facts(x.dtype()).name, " and torch.", facts(src.dtype()).name);
  }
  if (index.numel() == 0) return at;
  if (src && std::max(src.ndim(), 1) != std::max(index.ndim(), 1)) {
    raise(PyExc_RuntimeError, "Index tensor must have the same number of dimensions as src tensor, but got shapes ",
          index.sizes(), " and ", src.sizes());
  }
  auto size = [](const Tensor& t, int d) { return t.ndim() ? t.size(d) : 1; };
  for (int d = 0; d < std::max(index.ndim(), 1); ++d) {
    bool fits = (d == dim || size(index, d) <= size(x, d)) && (!src || size(index, d) <= size(src, d));
    if (fits) continue;
    if (!src) {
      raise(PyExc_RuntimeError, "Expected index ", index.sizes(), " to be no larger than self ", x.sizes(),
            " apart from dimension ", dim);
    }
    raise(PyExc_RuntimeError, "Expected index ", index.sizes(), " to be no larger than self ", x.sizes(),
          " apart from dimension ", dim, " and to be no larger size than src ", src.sizes());
  }
  return at;
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, Place place) {
  int d = wrap_dim(dim, x.ndim());
  Tensor at = checked_scatter("scatter", x, d, index, src);
  Tensor out = open_plain_write(place, {&x, &src});
  combine_along(Combine::Replace, out, d, apart_from(out, at), apart_from(out, src));
  return record_write(kScatter, place, out, {&x, &src}, {&at}, [d, sizes = Dims(src.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "index", Slot{0});
    if (b.needs(0)) b.give(0, scatter(b.g(), d, b.saved(0), Scalar(0.0), Place::Copy));
    if (b.needs(1)) b.give(1, gradient_of_src(b.g(), d, b.saved(0), sizes));
  });
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, Place place) {
  int d = wrap_dim(dim, x.ndim());
  Tensor at = checked_scatter("scatter", x, d, index, Tensor());
  Tensor out = open_plain_write(place, {&x});
  combine_along(Combine::Replace, out, d, apart_from(out, at), scalar_tensor(value, x.dtype()));
  return record_write(kScatterValue, place, out, {&x}, {&at}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "index", Slot{0});
    b.give(0, scatter(b.g(), d, b.saved(0), Scalar(0.0), Place::Copy));
  });
}

Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, Place place) {
  int d = wrap_dim(dim, x.ndim());
  Tensor at = checked_scatter("scatter", x, d, index, src);
  Tensor out = open_plain_write(place, {&x, &src});
  combine_wide(Combine::Add, out, d, apart_from(out, at), apart_from(out, src));
  return record_write(kScatterAdd, place, out, {&x, &src}, {&at},
                      [d, sizes = Dims(src.sizes())](Backward& b, Kept* kept) {
                        if (kept) return kept->add("dim", d, "index", Slot{0});
                        if (b.needs(0)) b.give(0, b.g());
                        if (b.needs(1)) b.give(1, gradient_of_src(b.g(), d, b.saved(0), sizes));
                      });
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src, const std::string& reduce,
               Place place) {
  int d = wrap_dim(dim, x.ndim());
  Combine combine = combine_named(reduce);
  Tensor at = checked_scatter("scatter", x, d, index, src);
  Tensor out = open_plain_write(place, {&x, &src});
  combine_wide(combine, out, d, apart_from(out, at), apart_from(out, src));
  return without_derivative(place, out, {&x, &src});
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, const std::string& reduce,
               Place place) {
  int d = wrap_dim(dim, x.ndim());
  Combine combine = combine_named(reduce);
  Tensor at = checked_scatter("scatter", x, d, index, Tensor());
  Tensor out = open_plain_write(place, {&x});
  combine_wide(combine, out, d, apart_from(out, at), scalar_tensor(value, x.dtype()));
  return without_derivative(place, out, {&x});
}

}  // namespace chainrule
