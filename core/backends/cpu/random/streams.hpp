// The inner loops of the random streams that are built once per instruction set, all with the same bits.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

// The next 624 words of the Mersenne Twister, in place.
CR_DECLARE_PER_ISA(void mt_refill(uint32_t* words))
// Words of the engine to draws.
CR_DECLARE_PER_ISA(void mt_temper(const uint32_t* words, uint32_t* draws, int64_t n))
// One draw each to [from, to).
CR_DECLARE_PER_ISA(void uniform_floats(const uint32_t* draws, float* out, int64_t n, float from, float to))
// Two draws each to [from, to).
CR_DECLARE_PER_ISA(void uniform_doubles(const uint32_t* draws, double* out, int64_t n, double from, double to))
// 16 draws to 16 normals, `blocks` times.
CR_DECLARE_PER_ISA(void normal_floats(const uint32_t* draws, float* out, int64_t blocks, float mean, float std))
// Two draws each, as 53 bits: 1 where they are below the limit.
CR_DECLARE_PER_ISA(void below_limit(const uint32_t* draws, uint8_t* out, int64_t n, uint64_t limit))
