// Enlarging a tensor by a constant at the ends of its dimensions.
#include "ops/networks/pad.hpp"

#include "autograd/record.hpp"
#include "ops/create/create.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/memory_format.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kPad{"constant_pad_nd", "ConstantPadNdBackward0", "g without what was added, zeros for what was taken away"};

void check_pad(const Tensor& x, Span pad) {
  if (pad.size() % 2) {
    raise(PyExc_RuntimeError, "Length of pad must be even but instead it equals ", pad.size());
  }
  if (pad.size() > 2 * x.sizes().size()) {
    raise(PyExc_RuntimeError,
          "Length of pad should be no more than twice the number of dimensions of the input. Pad length is ",
          pad.size(), " while the input has ", x.ndim(), " dimensions.");
  }
}

// Calls f(dimension, added before, added after).
template <class F>
void each_padding(int ndim, Span pad, F f) {
  for (size_t i = 0; i < pad.size() / 2; ++i) f(ndim - 1 - static_cast<int>(i), pad[2 * i], pad[2 * i + 1]);
}

// In the order that it has, without history.
Tensor copy_of(const Tensor& part) {
  Tensor out = empty_strided(part.sizes(), dense_strides_like(part), part.dtype());
  copy_elements(out, part);
  return out;
}

Tensor padded(const Tensor& x, Span pad, const Scalar& value) {
  GradModeScope off(false);
  Dims sizes(x.sizes());
  Tensor kept = x;
  bool grows = false;
  each_padding(x.ndim(), pad, [&](int d, int64_t before, int64_t after) {
    if (before < 0) kept = narrow(kept, d, (CheckedSize(0) - before).value(), kept.size(d) + before);
    if (after < 0) kept = narrow(kept, d, 0, kept.size(d) + after);
    sizes[d] = (CheckedSize(sizes[d]) + before + after).value();
    grows |= before > 0 || after > 0;
  });
  if (!grows) return copy_of(kept);
  Tensor out = empty_in(suggested_format(x), sizes, x.dtype());
  copy_elements(out, scalar_tensor(value, x.dtype()));
  Tensor inside = out;
  each_padding(x.ndim(), pad, [&](int d, int64_t before, int64_t) {
    inside = narrow(inside, d, std::max<int64_t>(before, 0), kept.size(d));
  });
  copy_elements(inside, kept);
  return out;
}

}  // namespace

Tensor constant_pad_nd(const Tensor& x, Span pad, const Scalar& value) {
  check_pad(x, pad);
  Tensor out = padded(x, pad, value);
  return record(kPad, out, {&x}, {}, [given = Dims(pad)](Backward& b, Kept* kept) {
    if (kept) return kept->add("pad", given);
    Dims back(given);
    for (int64_t& n : back) n = -n;
    b.give(0, constant_pad_nd(b.g(), back, Scalar(0.0)));
  });
}

}  // namespace chainrule
