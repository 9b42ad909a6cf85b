// Resampling and rearranging images, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/networks/grid_sample.hpp"
#include "ops/networks/patches.hpp"
#include "ops/networks/resample.hpp"

namespace chainrule {
namespace {

std::vector<double> numbers_from(PyObject* o) {
  std::vector<double> result;
  if (o == Py_None) return result;
  if (is_number(o)) return {to_double(o)};
  PyObject* items = from_python(PySequence_Tuple(o));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items, i);
    result.push_back(item == Py_None ? 0 : to_double(item));
  }
  Py_DECREF(items);
  return result;
}

// One of the size and the scales decides the output's size.
Tensor resample_to(Filter filter, int dims, const Tensor& x, const std::optional<Dims>& size, bool align_corners,
                   PyObject* factors) {
  std::vector<double> scales = numbers_from(factors);
  check(size || !scales.empty(), "Must specify exactly one of output_size and scale_factors");
  Dims out = size.value_or(Dims());
  if (!size) {
    check(x.ndim() == dims + 2, "It is expected input_size equals to ", dims + 2, ", but got size ", x.ndim());
    check(static_cast<int>(scales.size()) == dims, "It is expected scale_factors equals to ", dims, ", but got size ",
          scales.size());
    for (int d = 0; d < dims; ++d) {
      double wanted = static_cast<double>(x.size(d + 2)) * scales[static_cast<size_t>(d)];
      check(wanted >= 0 && wanted < 1e15, "upsample: scale factor out of range: ", scales[static_cast<size_t>(d)]);
      out.push_back(static_cast<int64_t>(wanted));
    }
  }
  check(out.size() == dims, "It is expected output_size equals to ", dims, ", but got size ", out.size());
  check(scales.empty() || static_cast<int>(scales.size()) == dims, "It is expected scale_factors equals to ", dims,
        ", but got size ", scales.size());
  return resample(filter, x, out, align_corners, scales);
}

template <Filter filter, int dims>
void define_plain(const std::string& name) {
  define(name + "(Tensor input, int[]? output_size, object scale_factors=None)", kFunctional,
         [](const Tensor& x, const std::optional<Dims>& size, PyObject* factors) {
           return resample_to(filter, dims, x, size, false, factors);
         });
}

template <Filter filter, int dims>
void define_aligned(const std::string& name) {
  define(name + "(Tensor input, int[]? output_size, bool align_corners, object scale_factors=None)", kFunctional,
         [](const Tensor& x, const std::optional<Dims>& size, bool align_corners, PyObject* factors) {
           return resample_to(filter, dims, x, size, align_corners, factors);
         });
}

// One number stands for both.
Dims two(const Dims& values) { return values.size() == 1 ? Dims(2, values[0]) : values; }

void bind_patches() {
  define("im2col(Tensor input, int[] kernel_size, int[] dilation, int[] padding, int[] stride)", kFunctional,
         [](const Tensor& x, const Dims& kernel, const Dims& dilation, const Dims& padding, const Dims& stride) {
           return im2col(x, {two(kernel), two(dilation), two(padding), two(stride)});
         });
  define(
      "col2im(Tensor input, int[] output_size, int[] kernel_size, int[] dilation, int[] padding, int[] stride)",
      kFunctional,
      [](const Tensor& x, const Dims& out, const Dims& kernel, const Dims& dilation, const Dims& padding,
         const Dims& stride) { return col2im(x, two(out), {two(kernel), two(dilation), two(padding), two(stride)}); });
  define("pixel_shuffle(Tensor input, int upscale_factor)", kFunction, pixel_shuffle);
  define("pixel_unshuffle(Tensor input, int downscale_factor)", kFunction, pixel_unshuffle);
  define("channel_shuffle(Tensor input, int groups)", kFunction, channel_shuffle);
}

}  // namespace

void bind_images() {
  define_plain<Filter::Nearest, 1>("upsample_nearest1d");
  define_plain<Filter::Nearest, 2>("upsample_nearest2d");
  define_plain<Filter::Nearest, 3>("upsample_nearest3d");
  define_plain<Filter::NearestExact, 1>("_upsample_nearest_exact1d");
  define_plain<Filter::NearestExact, 2>("_upsample_nearest_exact2d");
  define_plain<Filter::NearestExact, 3>("_upsample_nearest_exact3d");
  define_aligned<Filter::Linear, 1>("upsample_linear1d");
  define_aligned<Filter::Linear, 2>("upsample_bilinear2d");
  define_aligned<Filter::Linear, 3>("upsample_trilinear3d");
  define_aligned<Filter::Cubic, 2>("upsample_bicubic2d");
  define_aligned<Filter::LinearAntialiased, 2>("_upsample_bilinear2d_aa");
  define_aligned<Filter::CubicAntialiased, 2>("_upsample_bicubic2d_aa");
  define_aligned<Filter::LanczosAntialiased, 2>("_upsample_lanczos2d_aa");
  bind_patches();
  for (const char* name : {"grid_sampler", "grid_sampler_2d", "grid_sampler_3d"}) {
    define(
        std::string(name) + "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)",
        kFunction, grid_sampler);
  }
  define("affine_grid_generator(Tensor theta, int[] size, bool align_corners)", kFunction, affine_grid_generator);
}

}  // namespace chainrule
