// How many elements fall where: bincount and histc.
#include "ops/count.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/record.hpp"
#include "ops/copy.hpp"
#include "ops/create.hpp"
#include "ops/reduce.hpp"
#include "tensor/element_type.hpp"

namespace chainrule {
namespace {

[[noreturn]] void raise_unsupported(const char* kernel, DType t) {
  raise(PyExc_NotImplementedError, "\"", kernel, "\" not implemented for '", facts(t).tensor_name, "'");
}

// ---- bincount

template <class T>
int64_t bins_for(const T* x, int64_t n, int64_t minlength) {
  T low = 0, high = 0;
  for (int64_t i = 0; i < n; ++i) low = std::min(low, x[i]), high = std::max(high, x[i]);
  check(low >= 0, "bincount only supports 1-d non-negative integral inputs. This one contains ",
        static_cast<int64_t>(low));
  check(static_cast<uint64_t>(high) < uint64_t(1) << 60, "bincount: the largest element, ", static_cast<int64_t>(high),
        ", would need a result of that length");
  return std::max(static_cast<int64_t>(high) + 1, minlength);
}

template <class T, class W>
Tensor weighted(const T* x, const Tensor& weights, int64_t bins, DType dtype) {
  Tensor out = zeros(Dims{bins}, dtype);
  W* sums = out.data<W>();
  const W* w = weights.data<W>();
  for (int64_t i = 0; i < weights.numel(); ++i) sums[x[i]] += w[i];
  return out;
}

template <class T>
Tensor counted(const T* x, int64_t n, int64_t bins) {
  Tensor out = zeros(Dims{bins}, DType::Int64);
  auto* counts = out.data<int64_t>();
  for (int64_t i = 0; i < n; ++i) ++counts[x[i]];
  return out;
}

// ---- histc

struct Range {
  double low, high;
};

void check_histc(const Tensor& x, int64_t bins, const Range& r) {
  if (is_complex(x.dtype())) raise_unsupported("aminmax_cpu", x.dtype());
  check(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  check(std::isfinite(r.low) && std::isfinite(r.high), "torch.histc: range of [", r.low, ", ", r.high,
        "] is not finite");
  check(r.low <= r.high, "torch.histc: max must be larger than min");
  if (!is_floating(x.dtype())) raise_unsupported("histogram_cpu", x.dtype());
}

// The range given, or that of the elements, or something around it when that is a single number.
Range range_of(const Tensor& x, Range r) {
  if (r.low == r.high && x.numel() > 0 && is_floating(x.dtype())) {
    Tensor low = amin(x, {}, false), high = amax(x, {}, false);
    r = {load(low.dtype(), low->data).real, load(high.dtype(), high->data).real};
  }
  if (r.low == r.high) r = {r.low - 1, r.high + 1};
  return r;
}

// The half types convert from float only.
template <class T>
T from_count(int64_t n) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(n);
  else
    return T(static_cast<float>(n));
}

// A number so large that one more or less is the same number: the numbers beside it are the limits.
template <class T>
void part(T& low, T& high) {
  if constexpr (std::is_floating_point_v<T>) {
    if (low != high) return;
    low = std::max(std::nextafter(low, -std::numeric_limits<T>::infinity()), std::numeric_limits<T>::lowest());
    high = std::min(std::nextafter(high, std::numeric_limits<T>::infinity()), std::numeric_limits<T>::max());
  }
}

// In the arithmetic of T: what falls on an edge depends on its rounding. A range wider than T has no edges, and nothing
// lies between them, as in PyTorch.
template <class T>
void count_in_bins(const T* x, int64_t n, Range r, std::vector<int64_t>& counts) {
  auto last = static_cast<int64_t>(counts.size()) - 1;
  T low = static_cast<T>(r.low), high = static_cast<T>(r.high);
  part(low, high);
  T width = static_cast<T>(high - low), bins = from_count<T>(last + 1);
  if (!std::isfinite(static_cast<double>(width))) return;
  for (int64_t i = 0; i < n; ++i) {
    if (!(x[i] >= low && x[i] <= high)) continue;
    T scaled = static_cast<T>(static_cast<T>(static_cast<T>(x[i] - low) * bins) / width);
    // Where the range is so large that this is no number or infinite, PyTorch's count falls somewhere as well.
    double place = static_cast<double>(scaled);
    ++counts[static_cast<size_t>(place >= 0 && place < static_cast<double>(last) ? static_cast<int64_t>(place) : last)];
  }
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
  Tensor from = contiguous(x), out;
  DType sum = weights && weights.dtype() == DType::Float32 ? DType::Float32 : DType::Float64;
  Tensor w = weights ? contiguous(to_dtype(weights, sum)) : Tensor();
  with_real_type(x.dtype(), [&]<class T>(T*) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T* data = from.data<T>();
      int64_t bins = bins_for(data, x.numel(), minlength);
      out = !w                      ? counted(data, x.numel(), bins)
            : sum == DType::Float32 ? weighted<T, float>(data, w, bins, sum)
                                    : weighted<T, double>(data, w, bins, sum);
    }
  });
  return out;
}

Tensor histc(const Tensor& x, int64_t bins, double low, double high) {
  GradModeScope off(false);
  if (is_floating(x.dtype())) {
    check_fits(Scalar(low), x.dtype());
    check_fits(Scalar(high), x.dtype());
  }
  Range r = range_of(x, {low, high});
  check_histc(x, bins, r);
  Tensor from = contiguous(x), out = empty(Dims{bins}, x.dtype());
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  with_real_type(x.dtype(), [&]<class T>(T*) {
    if constexpr (!std::is_integral_v<T>) {
      count_in_bins(from.data<T>(), x.numel(), r, counts);
      std::transform(counts.begin(), counts.end(), out.data<T>(), from_count<T>);
    }
  });
  return out;
}

}  // namespace chainrule
