// Asks an x86-64 processor for its features, and the system for the registers that it saves.
#include "backends/cpu/features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>
#include <initializer_list>
#endif

namespace chainrule::cpu {

#if defined(__x86_64__)
namespace {

struct Answer {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

Answer ask(uint32_t leaf, uint32_t part = 0) {
  Answer x;
  if (!__get_cpuid_count(leaf, part, &x.a, &x.b, &x.c, &x.d)) return {};
  return x;
}

// Whether all these bits are set.
bool has(uint32_t word, std::initializer_list<int> bits) {
  for (int bit : bits) {
    if (!(word >> bit & 1)) return false;
  }
  return true;
}

// Which registers the system keeps from one time slice to the next: XCR0.
uint32_t kept_registers() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

// The numbers are those of Intel's and AMD's manuals, under CPUID.
Features features() {
  const Answer basic = ask(1), extended = ask(7), more = ask(7, 1), other = ask(0x80000001);
  if (!has(basic.c, {27})) return {};  // OSXSAVE
  const uint32_t kept = kept_registers();
  const bool ymm = has(kept, {1, 2}), zmm = has(kept, {5, 6, 7}), tiles = has(kept, {17, 18});
  Features f;
  f.v3 = ymm && has(basic.c, {12, 22, 28, 29})                  // FMA, MOVBE, AVX, F16C
         && has(extended.b, {3, 5, 8}) && has(other.c, {5});    // BMI, AVX2, BMI2; LZCNT
  f.v4 = f.v3 && zmm && has(extended.b, {16, 17, 28, 30, 31});  // AVX512 F, DQ, CD, BW, VL
  f.bfloat16_dots = f.v4 && has(more.a, {5});
  f.bfloat16_tiles = f.v4 && tiles && has(extended.d, {22, 24});  // AMX-BF16, AMX-TILE
  return f;
}
#else
Features features() { return {}; }
#endif

}  // namespace chainrule::cpu
