// Fourier transforms, bound.
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "ops/matmul/fft.hpp"

namespace chainrule {
namespace {

constexpr const char* kEnd = ", str? norm=None, *, Tensor? out=None)";

using Along = Tensor (*)(const Tensor&, MaybeInt, int64_t, MaybeName);
using Over = Tensor (*)(const Tensor&, MaybeDims, MaybeDims, MaybeName);

// The function along one dimension, over two, and over any number.
template <Along along, Over over>
void define_transform(const std::string& name) {
  define("fft_" + name + "(Tensor input, int? n=None, int dim=-1" + kEnd, kFunction, along);
  define("fft_" + name + "2(Tensor input, int[]? s=None, int[] dim=(-2,-1)" + kEnd, kFunction, over);
  define("fft_" + name + "n(Tensor input, int[]? s=None, int[]? dim=None" + kEnd, kFunction, over);
}

}  // namespace

void bind_fft() {
  define_transform<fft, fftn>("fft");
  define_transform<ifft, ifftn>("ifft");
  define_transform<rfft, rfftn>("rfft");
  define_transform<irfft, irfftn>("irfft");
  define_transform<hfft, hfftn>("hfft");
  define_transform<ihfft, ihfftn>("ihfft");
}

}  // namespace chainrule
