#include "backends/bounds.hpp"

#include "backends/cpu/kernels.hpp"

namespace chainrule::cpu {
namespace {

void check(const Bounds& b) {
  for (int64_t i = 0; i < b.count; ++i) {
    const int64_t at = b.indices[i];
    if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(b.size) && at != b.ignored) [[unlikely]] {
      *b.stray = {i, at};
      return;
    }
  }
}

}  // namespace

constinit const BoundsKernels bounds_kernels{{check}};

}  // namespace chainrule::cpu
