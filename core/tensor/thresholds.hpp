// From which size on the clever ways of calculating are taken, in one place, so that tests can force both ends.
#pragma once
#include <cstdint>

namespace chainrule {

// Note [Thresholds]
// Pending operations, chains of gradients, chains in place of single kernels and streaming stores pay for large tensors
// only, and give the same bits as the plain way. A test of a few elements would never reach them. So every size from
// which one of them is taken stands here, and one setting moves them all: "least" takes the clever way from one element
// on, "never" not at all. CHAINRULE_THRESHOLDS sets it before the start, chainrule.set_thresholds() while a program
// runs. The suite runs at both ends.
struct Thresholds {
  const char* name = "usual";
  int64_t pending = 256 * 1024;        // elements from which an operation waits; smaller tensors stay in the caches
  int64_t gradient_chain = 64 * 1024;  // elements from which gradients of several nodes are one chain
  int64_t sweep = 32 * 1024;           // elements from which a contiguous operation is a chain, which threads share
  int64_t stream = 32 << 20;           // bytes from which a result is written past the caches
  int64_t stream_chain = 4 << 20;      // the same, for results of chains
  double unlocked = 3e6;               // multiplications, some 50 microseconds, from which Python's lock is let go
  bool small_chunks = false;           // threads share work of any size, a few elements or one row at a time
  bool reuse = true;                   // a gradient that nobody else can see gives its buffer to the next one
};
inline Thresholds thresholds;

}  // namespace chainrule
