// Large arrays: writing results past the caches, and asking for what is read next.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"
#include "tensor/thresholds.hpp"

namespace chainrule::cpu {

// A plain store first reads the line it overwrites. For a result that no cache can hold anyway, that is a third of all
// traffic of a binary operation; a streaming store leaves it out. Kernels know nothing of this: they fill a tile in the
// first-level cache, which is then streamed to its place. A smaller result is better left where its reader finds it;
// but those of a chain of operations that run together are read next by the backward pass, if at all.
inline constexpr int64_t kStreamTile = 2 << 10;  // bytes

// Asks for the next tile of an input while this one is worked on. The processor looks ahead by itself only as far as
// a page goes, and a tile is hardly longer: without this, each kernel would wait for its first lines.
inline void fetch_ahead(const char* from, int64_t bytes) {
  constexpr int kSecondLevel = 2;
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, kSecondLevel);
}
// The same for a tile that is so small that the first level holds it beside the one that is worked on.
inline void fetch_tile_ahead(const char* from, int64_t bytes) {
  constexpr int kFirstLevel = 3;
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, kFirstLevel);
}

}  // namespace chainrule::cpu

// Copies bytes with streaming stores; `to` is aligned to 64, `bytes` may be any number.
CR_DECLARE_PER_ISA(void stream_copy(char* to, const char* from, int64_t bytes))
// Copies `lines` of `bytes` each, the next one so many bytes further; streams where the lines of `to` are all aligned.
CR_DECLARE_PER_ISA(void copy_lines(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t lines,
                                   int64_t bytes, bool streams))
// Makes the streamed stores of this thread visible to others.
CR_DECLARE_PER_ISA(void stream_fence())
