// Reading and writing where a mask is true.
#include "ops/masked.hpp"

#include "backends/cpu/rows.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/elementwise.hpp"
#include "ops/pad.hpp"
#include "ops/reduce.hpp"
#include "ops/view.hpp"
#include "tensor/element_type.hpp"

namespace chainrule {
namespace {

OpInfo kMaskedFill{"masked_fill", "MaskedFillBackward0", "g with zeros under the mask"};
OpInfo kMaskedFillTensor{"masked_fill", "MaskedFillBackward1",
                         "self: g with zeros under the mask, value: the sum of g there"};
OpInfo kSelect{"masked_select", "MaskedSelectBackward0", "zeros with the elements of g under the mask"};
OpInfo kScatter{"masked_scatter", "MaskedScatterBackward0",
                "self: g with zeros under the mask, source: the elements of g under the mask, then zeros"};

constexpr int64_t kMaskGrain = 32 * 1024;

// Both broadcast against each other, without history.
struct Masked {
  Tensor x, mask;
  Masked(const Tensor& whole, const Tensor& bits, const char* op) {
    GradModeScope off(false);
    Dims shape = broadcast_shapes(whole.sizes(), bits.sizes(), op);
    x = expand(whole, shape);
    mask = expand(bits, shape);
  }
  cpu::Rows<2> rows() const { return cpu::Rows<2>(x.sizes(), {x.strides(), mask.strides()}); }
};

// Calls visit(element) under the mask, in order.
template <class T, class Visit>
void visit_row(T* row, int64_t step, const uint8_t* bits, int64_t bit_step, int64_t n, Visit visit) {
  for (int64_t j = 0; j < n; ++j) {
    if (bits[j * bit_step]) visit(row[j * step]);
  }
}

template <class T, class Visit>
void visit_masked(const Masked& m, const cpu::Rows<2>& rows, int64_t first, int64_t last, Visit visit) {
  rows.each(first, last, [&](const std::array<int64_t, 2>& start) {
    visit_row(m.x.data<T>() + start[0], rows.step(0), m.mask.data<uint8_t>() + start[1], rows.step(1), rows.length(),
              visit);
    return true;
  });
}

int64_t count_true(const Masked& m) {
  cpu::Rows<2> rows = m.rows();
  int64_t n = 0;
  rows.each([&](const std::array<int64_t, 2>& start) {
    const uint8_t* bits = m.mask.data<uint8_t>() + start[1];
    for (int64_t j = 0; j < rows.length(); ++j) n += bits[j * rows.step(1)] != 0;
    return true;
  });
  return n;
}

void fill_under(const Tensor& out, const Tensor& mask, const Tensor& value) {
  Masked m(out, show_the_same(out, mask) ? mask : apart_from(out, mask), "masked_fill");
  cpu::Rows<2> rows = m.rows();
  if (rows.length() == 0) return;
  with_element_size(out.dtype(), [&]<class T>(T*) {
    T with = *value.data<T>();
    cpu::parallel_for(rows.count(), std::max<int64_t>(1, kMaskGrain / rows.length()), [&](int64_t begin, int64_t end) {
      visit_masked<T>(m, rows, begin, end, [with](T& element) { element = with; });
    });
  });
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
  Tensor with = scalar_tensor(load(value.dtype(), value->data), x.dtype());
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
  cpu::Rows<2> rows = m.rows();
  if (out.numel()) {
    with_element_size(x.dtype(), [&]<class T>(T*) {
      T* to = out.data<T>();
      visit_masked<T>(m, rows, 0, rows.count(), [&](const T& element) { *to++ = element; });
    });
  }
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
  cpu::Rows<2> rows = m.rows();
  if (wanted) {
    with_element_size(x.dtype(), [&]<class T>(T*) {
      const T* from = given.data<T>();
      visit_masked<T>(m, rows, 0, rows.count(), [&](T& element) { element = *from++; });
    });
  }
  return record_write(kScatter, place, out, {&x, &source}, {&mask},
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
