// Whether indices lead to something.
#pragma once
#include <cstdint>
#include <optional>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"

namespace chainrule {

struct StrayIndex {
  int64_t position = -1, value = 0;  // of the first that leads nowhere; -1 if there is none
};

// Indices are to be in [0, size), or the one that counts for nothing.
struct Bounds {
  const int64_t* indices;
  int64_t count, size;
  std::optional<int64_t> ignored;
  StrayIndex* stray;
};

struct BoundsKernels {
  Kernel<void(const Bounds&)> check;
};

}  // namespace chainrule
