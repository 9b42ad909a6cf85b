// Products of bfloat16 matrices on processors that multiply bfloat16 by themselves: tiles (AMX) or dot products of
// pairs (AVX512-BF16). See below.
#include <cstdlib>
#include <string_view>

#include "backends/cpu/features.hpp"
#include "backends/cpu/gemm_kernel.hpp"
#include "backends/cpu/gemm_vector.hpp"

#if defined(__AVX512F__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#define CR_HAS_BFLOAT16_INSTRUCTIONS
#endif

namespace chainrule::cpu::CR_ISA {
namespace {
// Both kinds of instructions multiply pairs of neighbours along k and add to float, so one packed form serves both.
// Factors are packed into tiles of 1 kB, what is missing being zeros. A tile of a has 16 rows of 32 along k. A tile of
// b has 16 columns of 32 along k, the pairs of all columns at one depth together. A kernel multiplies a block: two
// tiles of a by two of b at each step along k, which gives 32 x 32 sums. A kernel runs only after it has multiplied a
// block of small whole numbers without an error: such sums are exact, and a machine that answers otherwise (or an
// emulator, or a mistake in a path that few processors take) gets float kernels. CHAINRULE_BFLOAT16=plain takes the
// plain kernel, which any machine has, for tests; =float takes none.
constexpr int64_t kTile = 16, kTileDepth = 32, kBlock = 2 * kTile;
constexpr int64_t kTileSize = kTile * kTileDepth, kStepSize = 2 * kTileSize;  // of elements

// Blocks in memory: of a packed part of a, which stays in the second-level cache, and a panel of b in the first.
constexpr int64_t kPartRows = 1024, kPartDepth = 512;

CR_INLINE float to_float(BFloat16Bits x) {
  const uint32_t bits = uint32_t(x) << 16;
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// sums[32][32] = a @ b; of its rows at least the first `rows` count.
using BlockKernel = void (*)(int64_t steps, int64_t rows, const BFloat16Bits* a, const BFloat16Bits* b, float* sums);

void plain_block(int64_t steps, int64_t rows, const BFloat16Bits* a, const BFloat16Bits* b, float* sums) {
  for (int64_t i = 0; i < rows * kBlock; ++i) sums[i] = 0;
  for (int64_t step = 0; step < steps; ++step, a += kStepSize, b += kStepSize) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t p = 0; p < kTileDepth; ++p) {
        const float x = to_float(a[i * kTileDepth + p]);
        for (int64_t j = 0; j < kBlock; ++j) {
          const BFloat16Bits* tile = b + j / kTile * kTileSize;
          sums[i * kBlock + j] += x * to_float(tile[p / 2 * kBlock + j % kTile * 2 + p % 2]);
        }
      }
    }
  }
}

#ifdef CR_HAS_BFLOAT16_INSTRUCTIONS

// Eight rows at a time: their sums are in sixteen registers.
__attribute__((target("avx512bf16"))) void dot_block(int64_t steps, int64_t rows, const BFloat16Bits* a,
                                                     const BFloat16Bits* b, float* sums) {
  constexpr int kRows = 8;
  for (int64_t first = 0; first < rows; first += kRows) {
    __m512 sum[kRows][2];
    for (auto& row : sum) row[0] = row[1] = _mm512_setzero_ps();
    const BFloat16Bits* at = a + first * kTileDepth;
    const BFloat16Bits* with = b;
    for (int64_t step = 0; step < steps; ++step, at += kStepSize, with += kStepSize) {
      for (int64_t pair = 0; pair < kTileDepth; pair += 2) {
        const auto left = (__m512bh)_mm512_loadu_si512(with + pair * kTile);
        const auto right = (__m512bh)_mm512_loadu_si512(with + kTileSize + pair * kTile);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) {
          int bits;
          __builtin_memcpy(&bits, at + i * kTileDepth + pair, sizeof bits);
          const auto x = (__m512bh)_mm512_set1_epi32(bits);
          sum[i][0] = _mm512_dpbf16_ps(sum[i][0], x, left);
          sum[i][1] = _mm512_dpbf16_ps(sum[i][1], x, right);
        }
      }
    }
    for (int i = 0; i < kRows; ++i) {
      _mm512_storeu_ps(sums + (first + i) * kBlock, sum[i][0]);
      _mm512_storeu_ps(sums + (first + i) * kBlock + kTile, sum[i][1]);
    }
  }
}

struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Tiles 0 to 3 hold the sums, 4 and 5 come from a, 6 and 7 from b.
__attribute__((target("amx-tile,amx-bf16"))) void tile_block(int64_t steps, int64_t rows, const BFloat16Bits* a,
                                                             const BFloat16Bits* b, float* sums) {
  const TileConfiguration configuration;
  constexpr int64_t kRowBytes = 64, kSumBytes = kBlock * sizeof(float);
  const bool both = rows > kTile;
  _tile_loadconfig(&configuration);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < steps; ++step, a += kStepSize, b += kStepSize) {
    _tile_loadd(4, a, kRowBytes);
    _tile_loadd(6, b, kRowBytes);
    _tile_loadd(7, b + kTileSize, kRowBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (both) {
      _tile_loadd(5, a + kTileSize, kRowBytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, kSumBytes);
  _tile_stored(1, sums + kTile, kSumBytes);
  if (both) {
    _tile_stored(2, sums + kTile * kBlock, kSumBytes);
    _tile_stored(3, sums + kTile * kBlock + kTile, kSumBytes);
  }
  _tile_release();
}

// Linux gives a process the tiles' registers when it asks.
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return features().bfloat16_tiles && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

#endif

// Of a few bits, so that there is nothing to round.
BFloat16Bits whole_number(int64_t n) {
  const float value = float(n);
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return BFloat16Bits(bits >> 16);
}

// Whether the kernel multiplies a block of small whole numbers as the plain one does.
[[maybe_unused]] bool agrees(BlockKernel kernel) {
  alignas(64) BFloat16Bits a[2 * kStepSize], b[2 * kStepSize];
  alignas(64) float sums[kBlock * kBlock], expected[kBlock * kBlock];
  for (int64_t i = 0; i < 2 * kStepSize; ++i) {
    a[i] = whole_number(i * 7 % 17 - 8);
    b[i] = whole_number(i * 5 % 13 - 6);
  }
  kernel(2, kBlock, a, b, sums);
  plain_block(2, kBlock, a, b, expected);
  for (int64_t i = 0; i < kBlock * kBlock; ++i) {
    if (sums[i] != expected[i]) return false;
  }
  return true;
}

BlockKernel choose_kernel() {
  const char* variable = std::getenv("CHAINRULE_BFLOAT16");
  const std::string_view wish = variable ? variable : "";
  if (wish == "plain") return plain_block;
#ifdef CR_HAS_BFLOAT16_INSTRUCTIONS
  if (wish != "float") {
    if (wish != "dots" && may_use_tiles() && agrees(tile_block)) return tile_block;
    if (features().bfloat16_dots && agrees(dot_block)) return dot_block;
  }
#endif
  return nullptr;
}

BlockKernel block_kernel() {
  static const BlockKernel chosen = choose_kernel();
  return chosen;
}

// How a tile is packed: along k for each row of a, or by pairs along k for all columns of b.
enum class TileOrder { rows, pairs };

void pack_any_tile(TileOrder order, int64_t count, int64_t depth, MatrixView<const BFloat16Bits> v, BFloat16Bits* to) {
  __builtin_memset(to, 0, kTileSize * sizeof(BFloat16Bits));
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t p = 0; p < depth; ++p) {
      const int64_t place = order == TileOrder::rows ? i * kTileDepth + p : p / 2 * kBlock + i * 2 + p % 2;
      to[place] = v.data[i * v.row_stride + p * v.column_stride];
    }
  }
}

// A whole tile that is contiguous in one direction. A pair is moved as one float, which nothing is calculated with.
template <class Word>
void pack_whole_tile(TileOrder order, MatrixView<const BFloat16Bits> v, BFloat16Bits* to) {
  static_assert(kLanes<Word> == kTile);
  const bool along_k = v.column_stride == 1;
  Vector<Word> square[kTile];  // a vector for each row, or for each pair along k
  for (int64_t i = 0; i < kTile; ++i) {
    if (along_k) {
      __builtin_memcpy(&square[i], v.data + i * v.row_stride, sizeof square[i]);  // even an odd element may come first
    } else {
      const BFloat16Bits* low = v.data + 2 * i * v.column_stride;
      const BFloat16Bits* high = low + v.column_stride;
      uint32_t pairs[kTile];
      for (int64_t j = 0; j < kTile; ++j) pairs[j] = uint32_t(low[j]) | uint32_t(high[j]) << 16;
      __builtin_memcpy(&square[i], pairs, sizeof square[i]);
    }
  }
  if (along_k != (order == TileOrder::rows)) transpose<Word>(square);
  for (int64_t i = 0; i < kTile; ++i) store((Word*)(to + i * kTileDepth), square[i]);
}

// Packs up to 16 rows of v, or columns of its transpose; the tile of the next step along k is kStepSize further.
void pack_tiles(TileOrder order, int64_t count, int64_t k, MatrixView<const BFloat16Bits> v, BFloat16Bits* to) {
  for (int64_t p = 0; p < k; p += kTileDepth, to += kStepSize, v.data += kTileDepth * v.column_stride) {
    const int64_t depth = smaller(kTileDepth, k - p);
    if constexpr (kLanes<float> == kTile) {
      if (count == kTile && depth == kTileDepth && (v.column_stride == 1 || v.row_stride == 1)) {
        pack_whole_tile<float>(order, v, to);
        continue;
      }
    }
    pack_any_tile(order, count, depth, v, to);
  }
}

// Packs `size` rows of v, or columns of its transpose, blocks of 32 one after the other.
void pack_blocks(TileOrder order, int64_t size, int64_t k, MatrixView<const BFloat16Bits> v, BFloat16Bits* packed) {
  const int64_t block = round_up(k, kTileDepth) * kBlock;
  for (int64_t i = 0; i < round_up(size, kBlock); i += kTile) {
    const int64_t count = i < size ? smaller(kTile, size - i) : 0;
    BFloat16Bits* to = packed + i / kBlock * block + i % kBlock * kTileDepth;
    pack_tiles(order, count, k, {v.data + (count ? i : 0) * v.row_stride, v.row_stride, v.column_stride}, to);
  }
}

MatrixView<const BFloat16Bits> part(MatrixView<const BFloat16Bits> v, int64_t row, int64_t column) {
  return {v.data + row * v.row_stride + column * v.column_stride, v.row_stride, v.column_stride};
}

// Adds a block of sums to c at (row, column); `first`: they are the first along k.
void add_block(const GemmProblem<BFloat16Bits>& g, int64_t row, int64_t column, bool first, const float* sums) {
  const int64_t rows = smaller(kBlock, g.m - row), columns = smaller(kBlock, g.n - column);
  for (int64_t i = 0; i < rows; ++i) {
    float* c = g.c + (row + i) * g.c_row_stride + column;
    const float* added = first && g.row ? g.row + column : c;
    const float beta = first ? g.beta : 1;
    for (int64_t j = 0; j < columns; ++j) {
      c[j] = beta == 0 ? g.alpha * sums[i * kBlock + j] : g.alpha * sums[i * kBlock + j] + beta * added[j];
    }
  }
}

// The product of rows [row, row + m) by k columns of a that begin at `depth`, added to c.
void multiply_part(const GemmProblem<BFloat16Bits>& g, int64_t row, int64_t m, int64_t depth, int64_t k,
                   BFloat16Bits* packed_a, BFloat16Bits* packed_b) {
  alignas(64) float sums[kBlock * kBlock];
  const int64_t steps = round_up(k, kTileDepth) / kTileDepth;
  pack_blocks(TileOrder::rows, m, k, part(g.a, row, depth), packed_a);
  for (int64_t j = 0; j < g.n; j += kBlock) {
    pack_blocks(TileOrder::pairs, smaller(kBlock, g.n - j), k, transposed(part(g.b, depth, j)), packed_b);
    for (int64_t i = 0; i < m; i += kBlock) {
      block_kernel()(steps, smaller(kBlock, m - i), packed_a + i / kBlock * steps * kStepSize, packed_b, sums);
      add_block(g, row + i, j, depth == 0, sums);
    }
  }
}

}  // namespace

bool has_bfloat16_kernel() { return block_kernel() != nullptr; }

void gemm_bfloat16(const GemmProblem<BFloat16Bits>& g) {
  const int64_t panel = kBlock * smaller(round_up(g.k, kTileDepth), kPartDepth);
  const int64_t blocks = round_up(smaller(g.m, kPartRows), kBlock) / kBlock;
  auto* packed = (BFloat16Bits*)gemm_scratch((blocks + 1) * panel * sizeof(BFloat16Bits));
  for (int64_t p = 0; p < g.k; p += kPartDepth) {
    for (int64_t i = 0; i < g.m; i += kPartRows) {
      multiply_part(g, i, smaller(kPartRows, g.m - i), p, smaller(kPartDepth, g.k - p), packed + panel, packed);
    }
  }
}

}  // namespace chainrule::cpu::CR_ISA
