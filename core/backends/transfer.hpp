// Bytes that go from one device to another.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"

namespace chainrule {

struct Transfer {
  const char* from;
  char* to;
  int64_t bytes;
};

struct TransferKernels {
  Kernel<void(const Transfer&)> copy;
};

}  // namespace chainrule
