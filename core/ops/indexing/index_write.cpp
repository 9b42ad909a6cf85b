// Writing slices along a dimension, or single elements, at positions: index_add, index_copy, index_fill, put.
#include "ops/indexing/index_write.hpp"

#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/deterministic.hpp"

namespace chainrule {
namespace {

OpInfo kIndexAdd{"index_add", "IndexAddBackward0", "self: g, source: alpha * the slices of g at the index"};
OpInfo kCopy{"index_copy", "IndexCopyBackward0",
             "self: g with zeros at the index, source: the slices of g at the index"};
OpInfo kFill{"index_fill", "IndexFillBackward0", "g with zeros at the index"};
OpInfo kFillTensor{"index_fill", "IndexFillBackward1", "self: g with zeros at the index, value: the sum of g there"};
OpInfo kPut{"put", "PutBackward0", "self: g with zeros at the index, source: the elements of g at the index"};

int64_t size_at(const Tensor& t, int dim) { return t.ndim() ? t.size(dim) : 1; }

[[noreturn]] void raise_outside(PyObject* type, const char* prefix, int64_t index, const Tensor& x, int dim) {
  raise(type, prefix, "index ", index, " is out of bounds for dimension ", dim, " with size ", size_at(x, dim));
}

// As PyTorch, which scatters in some cases, and raises another class there.
[[noreturn]] void raise_not_added(int64_t index, const Tensor& x, int dim, const Scalar& alpha) {
  bool scatters = x.ndim() > 1 && (dim == 0 || dim == x.ndim() - 1) && alpha.real == 1 && alpha.imaginary == 0;
  if (scatters) raise_outside(PyExc_RuntimeError, "", index, x, dim);
  raise_outside(PyExc_IndexError, "index out of range in self: ", index, x, dim);
}

// alpha * source, of the source's dtype.
Tensor scaled(const Tensor& source, const Scalar& alpha) {
  if (alpha.kind != Scalar::kComplex && alpha.real == 1) return source;
  if (is_bool(source.dtype())) return elementwise(OpId::logical_and, {source, full({}, alpha, DType::Bool)});
  return elementwise(OpId::mul, {source, scalar_tensor(alpha, source.dtype())});
}

Bad add_slices(const Tensor& out, int dim, const Tensor& index, const Tensor& source) {
  if (is_vector(out, index) && equal(index.sizes(), source.sizes()))
    return combine_vector(Combine::Add, out, index, false, source);
  LocatedSlices at;
  Bad bad = locate_along(out, dim, index, false, at);
  if (!bad) combine_slices(Combine::Add, at, out, source);
  return bad;
}

void check_copy(const Tensor& x, int dim, const Tensor& index, const Tensor& source) {
  if (index.ndim() > 1) {
    raise(PyExc_IndexError, "index_copy_(): Index should have dimension 1 or 0 (got ", index.ndim(), ")");
  }
  if (source.ndim() == 0 && index.numel() != 1) {
    raise(PyExc_IndexError, "index_copy_(): When source is scalar, index should have one element (got ", index.numel(),
          ")");
  }
  if (source.ndim() != x.ndim() && source.ndim() && x.ndim()) {
    raise(PyExc_IndexError,
          "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
          "dimensionality (",
          source.ndim(), "), destination dimensionality (", x.ndim(), ")");
  }
  if (index.dtype() != DType::Int64) {
    raise(PyExc_RuntimeError, "index_copy_(): Expected a long tensor for index, but got ",
          facts(index.dtype()).tensor_name);
  }
  if (x.dtype() != source.dtype()) {
    raise(PyExc_RuntimeError, "index_copy_(): self and source expected to have the same dtype, but got (self) ",
          facts(x.dtype()).tensor_name, " and (source) ", facts(source.dtype()).tensor_name);
  }
  Dims mine(x.sizes()), other(source.sizes());
  if (!mine.empty()) mine.erase(dim);
  if (!other.empty()) other.erase(dim);
  if (!equal(mine, other)) {
    raise(PyExc_RuntimeError,
          "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: ", Span(mine),
          " at dimension ", dim, " and source slice shape: ", Span(other), " at dimension 0.");
  }
  if (source.ndim() && index.numel() != source.size(dim)) {
    raise(PyExc_IndexError, "index_copy_(): Number of indices (", index.numel(),
          ") should be equal to source.size(dim) (", source.size(dim), ")");
  }
}

void check_fill(const Tensor& x, const Tensor& index, bool is_complex_value) {
  if (index.dtype() != DType::Int64) {
    raise(PyExc_IndexError, "index_fill_(): Expected dtype int64 for index, but got torch.", facts(index.dtype()).name);
  }
  if (index.ndim() > 1) raise(PyExc_RuntimeError, "Index has to be a vector/scalar, not of shape ", index.sizes());
  if (is_complex_value && !holds_complex(x.dtype()))
    raise(PyExc_RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported");
}

// Writes one value into the slices.
void fill_slices(const Tensor& out, int dim, const Tensor& index, const Tensor& value) {
  LocatedSlices at;
  if (Bad bad = locate_along(out, dim, index, true, at)) raise_outside(PyExc_IndexError, "", *bad, out, dim);
  GradModeScope off(false);
  combine_slices(Combine::Replace, at, out, to_dtype(value, out.dtype()));
}

// The sum of g over the slices, each once however often the index names it.
Tensor sum_at(const Tensor& g, int dim, const Tensor& index) {
  Tensor chosen;
  {
    GradModeScope off(false);
    chosen = index_fill(zeros(g.sizes(), DType::Bool), dim, index, Scalar::of_int(1), Place::Itself);
  }
  return sum(elementwise(OpId::where, {chosen, g, 0.0}), Dims(), false, {});
}

}  // namespace

void check_slices(const char* op, const Tensor& x, int dim, const Tensor& index, const Tensor& source) {
  if (index.ndim() > 1) {
    raise(PyExc_IndexError, op, "_(): Index is supposed to be a vector, but got dim: ", index.ndim(),
          " with type: ", facts(index.dtype()).tensor_name, " and size: ", index.sizes());
  }
  if (index.dtype() != DType::Int64 && index.dtype() != DType::Int32) {
    raise(PyExc_RuntimeError, op,
          "_(): Expected dtype int32/int64 for index but got: ", facts(index.dtype()).tensor_name);
  }
  if (x.dtype() != source.dtype()) {
    raise(PyExc_RuntimeError, op, "_(): self (", facts(x.dtype()).tensor_name, ") and source (",
          facts(source.dtype()).tensor_name, ") must have the same scalar type");
  }
  if (source.ndim() && dim >= source.ndim()) {
    raise(PyExc_RuntimeError, op, "_(): Indexing dim ", dim, " is out of bounds of the source tensor with dim ",
          source.ndim());
  }
  if (index.numel() != size_at(source, dim)) {
    raise(PyExc_RuntimeError, op, "_(): Number of indices (", index.numel(), ") should be equal to source.size(dim): (",
          size_at(source, dim), "), for dim: ", dim);
  }
  Dims mine(x.sizes()), other(source.sizes());
  if (!mine.empty()) mine.erase(dim);
  if (!other.empty() && x.ndim()) other.erase(dim);
  if (!equal(mine, other)) {
    raise(PyExc_RuntimeError,
          "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = ",
          x.sizes(), " source.shape = ", source.sizes());
  }
}

Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, const Scalar& alpha,
                 Place place) {
  int d = wrap_dim(dim, x.ndim());
  check_slices("index_add", x, d, index, source);
  Tensor out = open_plain_write(place, {&x, &source});
  Tensor given = apart_from(out, source);
  apart_from(out, index);
  {
    GradModeScope off(false);
    if (Bad bad = add_slices(out, d, index, scaled(given, alpha))) raise_not_added(*bad, x, d, alpha);
  }
  Scalar factor = alpha;
  factor.imaginary = -factor.imaginary;
  return record_write(kIndexAdd, place, out, {&x, &source}, {&index},
                      [d, factor, shape = Dims(source.sizes())](Backward& b, Kept* kept) {
                        if (kept)
                          return kept->add("dim", d, "index", Slot{0}, "alpha", factor, "source_dim", shape.size());
                        if (b.needs(0)) b.give(0, b.g());
                        if (!b.needs(1)) return;
                        b.give(1, scaled(reshape(index_select(b.g(), d, b.saved(0)), shape), factor));
                      });
}

Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source, Place place) {
  int d = wrap_dim(dim, x.ndim());
  check_copy(x, d, index, source);
  Tensor out = open_plain_write(place, {&x, &source});
  Tensor given = apart_from(out, source);
  apart_from(out, index);
  LocatedSlices at;
  if (Bad bad = locate_along(out, d, index, false, at)) raise_outside(PyExc_IndexError, "index_copy_(): ", *bad, x, d);
  combine_slices(Combine::Replace, at, out, given);
  return record_write(kCopy, place, out, {&x, &source}, {&index},
                      [d, shape = Dims(source.sizes())](Backward& b, Kept* kept) {
                        if (kept) return kept->add("dim", d, "index", Slot{0}, "source_dim", shape.size());
                        if (b.needs(0)) b.give(0, index_fill(b.g(), d, b.saved(0), Scalar(0.0), Place::Copy));
                        if (b.needs(1)) b.give(1, reshape(index_select(b.g(), d, b.saved(0)), shape));
                      });
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value, Place place) {
  int d = wrap_dim(dim, x.ndim());
  check_fill(x, index, value.kind == Scalar::kComplex);
  Tensor out = open_expanded_write("index_fill", place, {&x});
  fill_slices(out, d, apart_from(out, index), scalar_tensor(value, out.dtype()));
  return record_write(kFill, place, out, {&x}, {&index}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "index", Slot{0});
    b.give(0, index_fill(b.g(), d, b.saved(0), Scalar(0.0), Place::Copy));
  });
}

Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value, Place place) {
  if (value.ndim()) {
    raise(PyExc_RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
          value.ndim(), " dimension(s).");
  }
  int d = wrap_dim(dim, x.ndim());
  check_fill(x, index, holds_complex(value.dtype()));
  Tensor out = open_expanded_write("index_fill", place, {&x, &value});
  fill_slices(out, d, apart_from(out, index), value);
  return record_write(kFillTensor, place, out, {&x, &value}, {&index}, [d](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", d, "index", Slot{0});
    Tensor index = b.saved(0);
    if (b.needs(0)) b.give(0, index_fill(b.g(), d, index, Scalar(0.0), Place::Copy));
    if (b.needs(1)) b.give(1, sum_at(b.g(), d, index));
  });
}

void check_element(Bad bad, const Tensor& x) {
  if (!bad) return;
  raise(PyExc_IndexError, "out of range: tried to access index ", *bad, " on a tensor of ", x.numel(), " elements.");
}

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate, Place place) {
  if (!accumulate) alert_not_deterministic("put_");  // the last of several writes to one place stays
  if (index.dtype() != DType::Int64) {
    raise(PyExc_RuntimeError, "put_(): Expected a long tensor for index, but got ", facts(index.dtype()).tensor_name);
  }
  if (x.dtype() != source.dtype()) {
    raise(PyExc_RuntimeError, "put_(): self and source expected to have the same dtype, but got self.dtype = ",
          facts(x.dtype()).tensor_name, " and source.dtype = ", facts(source.dtype()).tensor_name);
  }
  if (index.numel() != source.numel()) {
    raise(PyExc_IndexError,
          "put_(): Expected source and index to have the same number of elements, but got source.numel() = ",
          source.numel(), ", index.numel() = ", index.numel());
  }
  if (x.numel() == 0 && index.numel()) raise(PyExc_IndexError, "put_(): Tried to put elements into an empty tensor");
  Tensor out = open_write(place, {&x, &source});
  Tensor given = apart_from(out, source);
  apart_from(out, index);
  check_element(combine_elements(accumulate ? Combine::Add : Combine::Replace, out, index, given), x);
  return record_write(kPut, place, out, {&x, &source}, {&index},
                      [accumulate, shape = Dims(source.sizes())](Backward& b, Kept* kept) {
                        if (kept) return kept->add("accumulate", accumulate, "index", Slot{0});
                        Tensor g = b.g(), index = b.saved(0);
                        if (b.needs(1)) b.give(1, reshape(take(g, index), shape));
                        if (!b.needs(0)) return;
                        b.give(0, accumulate ? g : put(g, index, zeros(shape, g.dtype()), false, Place::Copy));
                      });
}

}  // namespace chainrule
