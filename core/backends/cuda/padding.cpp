#include "backends/padding.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct PaddingTask {
  PaddedDimension along[3];
  int64_t planes, lanes;
  const char* from;
  char* to;
};

struct Extents {
  int64_t inner = 1, padded = 1;  // elements of the tensor, and of the padded one
};

Extents extents_of(const RepeatedPadding& p) {
  Extents all{p.planes * p.lanes, p.planes * p.lanes};
  for (const PaddedDimension& d : p.along) {
    all.inner *= d.size;
    all.padded *= d.padded();
  }
  return all;
}

void run(const PaddingCopy& c, KernelText text, int64_t work) {
  const auto& [depth, height, width] = c.padding.along;
  const PaddingTask task{{depth, height, width}, c.padding.planes, c.padding.lanes, c.from, c.to};
  if (work > 0) text.index(work).run({blocks_for_loop(work)}, kThreads, task);
}

void repeat(const PaddingCopy& c) {
  const char* const raw = raw_type(size_of(c.dtype));
  KernelText text("padding.cuh", "repeat");
  run(c, text.type("S", raw).type("T", raw), extents_of(c.padding).padded);
}
void repeat_gradient(const PaddingCopy& c) {
  KernelText text("padding.cuh", "repeat_gradient");
  run(c, text.element(c.dtype), extents_of(c.padding).inner);
}

}  // namespace

const PaddingKernels padding_kernels{.repeat = {repeat}, .repeat_gradient = {repeat_gradient}};

}  // namespace chainrule::cuda
