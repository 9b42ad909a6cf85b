// Pooling, bound: one set of signatures for each number of dimensions.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/pool.hpp"

namespace chainrule {
namespace {

constexpr const char* kMaxArguments =
    "(Tensor input, int[] kernel_size, int[] stride=(), int[] padding=0, int[] dilation=1, bool ceil_mode=False)";

template <int dims>
Pooled max_with_indices(const Tensor& x, const Dims& kernel, const Dims& stride, const Dims& padding,
                        const Dims& dilation, bool ceil) {
  return max_pool(dims, x, {kernel, stride, padding, dilation, ceil, true, {}});
}
template <int dims>
Tensor max_alone(const Tensor& x, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation,
                 bool ceil) {
  if constexpr (dims == 1) return max_pool1d(x, {kernel, stride, padding, dilation, ceil, true, {}});
  return max_with_indices<dims>(x, kernel, stride, padding, dilation, ceil).first;
}
template <int dims>
Tensor average(const Tensor& x, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
               bool counts_padding, std::optional<int64_t> divisor) {
  return avg_pool(dims, x, {kernel, stride, padding, Dims{1}, ceil, counts_padding, divisor});
}

// One number stands for all dimensions.
template <int dims>
Dims spread(const Dims& values) {
  return values.size() == 1 ? Dims(dims, values[0]) : values;
}

template <int dims>
void bind_pools_over() {
  std::string d = std::to_string(dims) + "d";
  Forms rare = dims == 1 ? kFunction : kFunctional;  // PyTorch has these at the top level in one dimension only
  define("max_pool" + d + kMaxArguments, kFunction, max_alone<dims>);
  define("max_pool" + d + "_with_indices" + kMaxArguments + " -> Tensor[]", rare, max_with_indices<dims>);
  define("adaptive_avg_pool" + d + "(Tensor input, int[] output_size)", rare,
         [](const Tensor& x, const Dims& out) { return adaptive_avg_pool(dims, x, spread<dims>(out)); });
  // nn.functional has functions of the shorter names, with other arguments.
  define("adaptive_max_pool" + d + (dims == 1 ? "" : "_with_indices") + "(Tensor input, int[] output_size) -> Tensor[]",
         rare, [](const Tensor& x, const Dims& out) { return adaptive_max_pool(dims, x, spread<dims>(out)); });
  std::string averaged =
      "avg_pool" + d +
      "(Tensor input, int[] kernel_size, int[] stride=(), int[] padding=0, bool ceil_mode=False, bool "
      "count_include_pad=True";
  if constexpr (dims == 1) {
    define(averaged + ")", kFunction,
           [](const Tensor& x, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
              bool counts_padding) { return average<1>(x, kernel, stride, padding, ceil, counts_padding, {}); });
  } else {
    define(averaged + ", int? divisor_override=None, *, Tensor!? out=None)", kFunctional, average<dims>);
    define("_fractional_max_pool" + d +
               "(Tensor input, int[] kernel_size, int[] output_size, Tensor random_samples) -> Tensor[]",
           kFunctional, [](const Tensor& x, const Dims& kernel, const Dims& out, const Tensor& samples) {
             return fractional_max_pool(dims, x, spread<dims>(kernel), spread<dims>(out), samples);
           });
  }
}

}  // namespace

void bind_pools() {
  bind_pools_over<1>();
  bind_pools_over<2>();
  bind_pools_over<3>();
  define("_max_unpool2d(Tensor input, Tensor indices, int[] output_size)", kFunctional,
         [](const Tensor& x, const Tensor& indices, const Dims& out) { return max_unpool(2, x, indices, out); });
  define("_max_unpool3d(Tensor input, Tensor indices, int[] output_size, int[] stride, int[] padding)", kFunctional,
         [](const Tensor& x, const Tensor& indices, const Dims& out, const Dims&, const Dims&) {
           return max_unpool(3, x, indices, out);
         });
}

}  // namespace chainrule
