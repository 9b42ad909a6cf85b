// Reading and writing where a mask is true.
#include "ops/indexing/masked.hpp"

#include "backends/mask.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/networks/pad.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

OpInfo kMaskedFill{"masked_fill", "MaskedFillBackward0", "g with zeros under the mask"};
OpInfo kMaskedFillTensor{"masked_fill", "MaskedFillBackward1",
                         "self: g with zeros under the mask, value: the sum of g there"};
OpInfo kSelect{"masked_select", "MaskedSelectBackward0", "zeros with the elements of g under the mask"};
OpInfo kMaskedScatter{"masked_scatter", "MaskedScatterBackward0",
                      "self: g with zeros under the mask, source: the elements of g under the mask, then zeros"};

// Both broadcast against each other, without history.
struct Masked {
  Tensor x, mask;
  Masked(const Tensor& whole, const Tensor& bits, const char* op) {
    GradModeScope off(false);
    Dims shape = broadcast_shapes(whole.sizes(), bits.sizes(), op);
    x = expand(whole, shape);
    mask = expand(bits, shape);
  }
  MaskedElements beside(const Tensor& packed) const {
    return {x.sizes(), mask.data<uint8_t>(), mask.strides(), x.dtype(), x->data, x.strides(), packed->data};
  }
};

int64_t count_true(const Masked& m) {
  int64_t n = 0;
  backend().mask->count({m.mask.sizes(), m.mask.data<uint8_t>(), m.mask.strides(), &n});
  return n;
}

void fill_under(const Tensor& out, const Tensor& mask, const Tensor& value) {
  Masked m(out, show_the_same(out, mask) ? mask : apart_from(out, mask), "masked_fill");
  backend().mask->fill(m.beside(value));
}

// A mask may make the result of the other form larger, and not that of the in-place one.
Tensor open_masked(const char* op, Place place, std::initializer_list<const Tensor*> inputs, const Tensor& mask) {
  const Tensor& x = **inputs.begin();
  Dims shape = broadcast_shapes(x.sizes(), mask.sizes(), op);
  bool fits = equal(shape, x.sizes());
  if (fits && place == Place::Itself) return open_expanded_write(op, place, inputs);
  if (fits) return open_plain_write(place, inputs);
  if (place == Place::Itself) {
    raise(PyExc_RuntimeError, "output with shape ", x.sizes(), " doesn't match the broadcast shape ", Span(shape));
  }
  GradModeScope off(false);
  return copy_strided(expand(x, shape), contiguous_strides(shape));
}

void check_mask(const char* op, const Tensor& mask) {
  if (is_bool(mask.dtype())) return;
  raise(PyExc_RuntimeError, op, "_ only supports boolean masks, but got mask with dtype ",
        facts(mask.dtype()).cpp_name);
}

Tensor sum_under(const Tensor& g, const Tensor& mask) {
  return sum(elementwise(OpId::where, {mask, g, 0.0}), Dims(), false, {});
}

}  // namespace

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value, Place place) {
  check_mask("masked_fill", mask);
  Tensor with = scalar_tensor(value, x.dtype()), out = open_masked("masked_fill", place, {&x}, mask);
  fill_under(out, mask, with);
  return record_write(kMaskedFill, place, out, {&x}, {&mask}, [](Backward& b, Kept* kept) {
    if (kept) return kept->add("mask", Slot{0});
    b.give(0, masked_fill(b.g(), b.saved(0), Scalar(0.0), Place::Copy));
  });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value, Place place) {
  if (value.ndim()) {
    raise(PyExc_RuntimeError, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
          value.ndim(), " dimension(s).");
  }
  check_mask("masked_fill", mask);
  Tensor with = scalar_tensor(item(value), x.dtype());
  Tensor out = open_masked("masked_fill", place, {&x, &value}, mask);
  fill_under(out, mask, with);
  return record_write(kMaskedFillTensor, place, out, {&x, &value}, {&mask}, [](Backward& b, Kept* kept) {
    if (kept) return kept->add("mask", Slot{0});
    if (b.needs(0)) b.give(0, masked_fill(b.g(), b.saved(0), Scalar(0.0), Place::Copy));
    if (b.needs(1)) b.give(1, sum_under(b.g(), b.saved(0)));
  });
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  if (!is_bool(mask.dtype())) {
    raise(PyExc_RuntimeError, "masked_select: expected BoolTensor for mask, but got ", facts(mask.dtype()).tensor_name);
  }
  Masked m(x, mask, "masked_select");
  Tensor out = empty(Dims{count_true(m)}, x.dtype());
  if (out.numel()) backend().mask->read(m.beside(out));
  return record(kSelect, out, {&x}, {&mask}, [shape = Dims(m.x.sizes())](Backward& b, Kept* kept) {
    if (kept) return kept->add("mask", Slot{0});
    b.give(0, masked_scatter(zeros(shape, b.g().dtype()), b.saved(0), b.g(), Place::Itself));
  });
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source, Place place) {
  check_mask("masked_scatter", mask);
  if (x.dtype() != source.dtype()) {
    raise(PyExc_RuntimeError, "masked_scatter: expected self and source to have same dtypes but got ",
          facts(x.dtype()).tensor_name, " and ", facts(source.dtype()).tensor_name);
  }
  if (place == Place::Itself) check_no_overlap(x);
  Tensor out = open_masked("masked_scatter", place, {&x, &source}, mask), given;
  Masked m(out, mask, "masked_scatter");
  {
    GradModeScope off(false);
    given = contiguous(out.same_storage(source) ? clone(source) : source);
  }
  int64_t wanted = count_true(m);
  if (wanted > source.numel()) {
    raise(PyExc_RuntimeError, "Number of elements of source < number of ones in mask (", source.numel(), " and ",
          wanted, ")");
  }
  if (wanted) backend().mask->write(m.beside(given));
  return record_write(kMaskedScatter, place, out, {&x, &source}, {&mask},
                      [wanted, shape = Dims(source.sizes()), all = source.numel()](Backward& b, Kept* kept) {
                        if (kept) return kept->add("mask", Slot{0}, "source_sym_sizes", shape);
                        Tensor mask = b.saved(0);
                        if (b.needs(0)) b.give(0, masked_fill(b.g(), mask, Scalar(0.0), Place::Copy));
                        if (!b.needs(1)) return;
                        Tensor read = masked_select(b.g(), mask);
                        b.give(1, reshape(constant_pad_nd(read, Dims{0, all - wanted}, Scalar(0.0)), shape));
                      });
}

}  // namespace chainrule
