// How many elements fall where: bincount and histc.
#include "ops/order/count.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/record.hpp"
#include "backends/count.hpp"
#include "ops/create/create.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/copy.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

[[noreturn]] void raise_unsupported(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

int64_t bins_for(const Tensor& x, int64_t minlength) {
  int64_t low = 0, high = -1;  // no kernel runs on meta
  backend().count->extent({x.dtype(), x->data, x.numel(), &low, &high});
  check(low >= 0, "bincount only supports 1-d non-negative integral inputs. This one contains ", low);
  check(static_cast<uint64_t>(high) < uint64_t(1) << 60, "bincount: the largest element, ", high,
        ", would need a result of that length");
  return std::max(high + 1, minlength);
}

struct Limits {
  double low, high;
};

void check_histc(const Tensor& x, int64_t bins, const Limits& r) {
  if (is_complex(x.dtype()) || is_stored_only(x.dtype())) raise_unsupported("aminmax_cpu", x.dtype());
  check(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  check(std::isfinite(r.low) && std::isfinite(r.high), "torch.histc: range of [", r.low, ", ", r.high,
        "] is not finite");
  check(r.low <= r.high, "torch.histc: max must be larger than min");
  if (!is_floating(x.dtype())) raise_unsupported("histogram_cpu", x.dtype());
}

// The range given, or that of the elements, or something around it when that is a single number.
Limits range_of(const Tensor& x, Limits r) {
  if (r.low == r.high && x.numel() > 0 && is_floating(x.dtype())) {
    r = {item(amin(x, {}, false)).real, item(amax(x, {}, false)).real};
  }
  if (r.low == r.high) r = {r.low - 1, r.high + 1};
  return r;
}

}  // namespace

Tensor bincount(const Tensor& x, const Tensor& weights, int64_t minlength) {
  GradModeScope off(false);
  if (!is_integral(x.dtype())) raise_unsupported("bincount_cpu", x.dtype());
  check(minlength >= 0, "minlength should be >= 0, but it is ", minlength);
  check(x.ndim() == 1, "bincount only supports 1-d non-negative integral inputs. This one has ", x.ndim(),
        " dimensions");
  check(!weights || (weights.ndim() == 1 && weights.numel() == x.numel()),
        "weights should be 1-d and have the same length as input");
  if (x.numel() == 0) return zeros(Dims{minlength}, DType::Int64);
  Tensor from = contiguous(x);
  DType sum = weights && weights.dtype() == DType::Float32 ? DType::Float32 : DType::Float64;
  Tensor w = weights ? contiguous(to_dtype(weights, sum)) : Tensor();
  Tensor out = zeros(Dims{bins_for(from, minlength)}, w ? sum : DType::Int64);
  backend().count->bins({x.dtype(), from->data, x.numel(), sum, w ? w->data : nullptr, out->data});
  return out;
}

Tensor histc(const Tensor& x, int64_t bins, double low, double high) {
  GradModeScope off(false);
  if (is_floating(x.dtype())) {
    check_fits(Scalar(low), x.dtype());
    check_fits(Scalar(high), x.dtype());
  }
  Limits r = range_of(x, {low, high});
  check_histc(x, bins, r);
  Tensor from = contiguous(x), out = empty(Dims{bins}, x.dtype());
  backend().count->histogram({x.dtype(), from->data, x.numel(), r.low, r.high, bins, out->data});
  return out;
}

}  // namespace chainrule
