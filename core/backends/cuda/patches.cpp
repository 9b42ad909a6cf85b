#include "backends/patches.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"

namespace chainrule::cuda {
namespace {

struct PatchTask {
  Patches patches;
  int64_t planes;
  const void* from;
  void* to;
};

void run(const char* entry, const PatchCopy& c, int64_t work) {
  const Patches& p = c.patches;
  if (work == 0) return;
  // Places in the padding count, too.
  const int64_t most = std::max({work, p.height + p.padding[0], p.width + p.padding[1]});
  KernelText("patches.cuh", entry)
      .type("S", storage_type(c.dtype))
      .index(most)
      .run({blocks_for_loop(work)}, kThreads, PatchTask{p, c.planes, c.from, c.to});
}

void take(const PatchCopy& c) { run("take", c, c.planes * c.patches.taps() * c.patches.blocks()); }
void add(const PatchCopy& c) { run("add", c, c.planes * c.patches.height * c.patches.width); }

}  // namespace

const PatchesKernels patches_kernels{.take = {take}, .add = {add}};

}  // namespace chainrule::cuda
