// The register tile of a matrix product, the innermost loop: a few rows by a few vectors of c, kept in registers.
#pragma once
#include "backends/cpu/gemm_kernel.hpp"
#include "backends/cpu/gemm_vector.hpp"

namespace chainrule::cpu::CR_ISA {

// A tile of c is kTileRows x kTileVectors vectors. Together with one row of b and an element of a it fills the
// registers, and wide tiles need the fewest loads.
constexpr int kTileRows = kVectorRegisters == 32 ? 8 : 4;
constexpr int kTileVectors = kVectorBytes == 16 ? 2 : 3;
template <class T>
constexpr int64_t kTileColumns = kTileVectors * kLanes<T>;

// How many steps of k ahead of their use rows of b and a are fetched into the first-level cache; neither block fits it.
// Where a is read along k, the processor's own foresight does better.
constexpr int64_t kAheadInB = 6, kAheadInA = 16;
// Short vectors leave no room among their loads for more than one request a line, and none for a's short rows.
constexpr int kLineVectors = 64 / kVectorBytes;
constexpr int64_t kPrefetchDepth = 64;  // a tile this deep is long enough for its part of c to be fetched meanwhile

// What becomes of a tile's sums: c = alpha * sums + beta * c, or beta * row for every row of c.
template <class T>
struct TileTarget {
  int64_t c_stride;  // between rows
  T alpha, beta;
  const T* row = nullptr;
};

// The rows of a as tiles read them: within a tile, element (i, p) is at data[i * stride + p] when along_k, else at
// data[i + p * stride]; the next tile's rows begin `step` elements further.
template <class T>
struct TileRows {
  const T* data;
  int64_t stride, step;
  bool along_k;
};

template <class T, int vectors>
CR_INLINE void fetch_target(const T* c_row) {
#pragma GCC unroll 4
  for (int j = 1; j <= vectors; ++j) __builtin_prefetch(c_row + j * kLanes<T> - 1, 1);
}

// One tile, from k rows of b that lie b_stride apart. When `partial`, the last vector has fewer columns than lanes.
template <class T, int rows, int vectors, bool along_k, bool partial>
void tile(int64_t k, const T* __restrict a, int64_t a_stride, const T* __restrict b, int64_t b_stride,
          const TileTarget<T>& target, T* __restrict c, int64_t columns) {
  constexpr int lanes = kLanes<T>;
  const FirstLanes<T> rest(partial ? columns - (vectors - 1) * lanes : 1);
  const auto load_row = [&](const T* row, int j) __attribute__((always_inline)) {
    return partial && j == vectors - 1 ? rest.load(row + j * lanes) : load(row + j * lanes);
  };
  const int64_t c_stride = target.c_stride;
  Vector<T> sums[rows][vectors] = {};
  // Rows of c are asked for one by one, with a part of the steps after each: all at once would fill the queue of
  // misses.
  const int64_t part = k >= kPrefetchDepth ? (k + rows - 1) / rows : k;
  const T* coming = c;
  for (int64_t p = 0; p < k;) {
    fetch_target<T, vectors>(coming);
    coming += c_stride;
    for (const int64_t end = smaller(k, p + part); p < end; ++p) {
      Vector<T> row[vectors];
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) row[j] = load_row(b, j);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Vector<T> x = broadcast(along_k ? a[i * a_stride] : a[i]);
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) sums[i][j] = multiply_add(x, row[j], sums[i][j]);
      }
      if constexpr (!along_k) {
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j += kLineVectors) __builtin_prefetch(b + kAheadInB * b_stride + j * lanes);
        if constexpr (kLineVectors == 1) __builtin_prefetch(a + kAheadInA * a_stride);
      }
      a += along_k ? 1 : a_stride;
      b += b_stride;
    }
  }
  const Vector<T> alpha = broadcast(target.alpha), beta = broadcast(target.beta);
  const bool add = target.beta != 0;
  const T* from = target.row ? target.row : c;
  const int64_t from_stride = target.row ? 0 : c_stride;
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    T* c_row = c + i * c_stride;
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      Vector<T> value = alpha * sums[i][j];
      if (add) value = multiply_add(beta, load_row(from + i * from_stride, j), value);
      if (partial && j == vectors - 1) {
        rest.store(c_row + j * lanes, value);
      } else {
        store(c_row + j * lanes, value);
      }
    }
  }
}

template <class T>
using TileFunction = void (*)(int64_t k, const T* a, int64_t a_stride, const T* b, int64_t b_stride,
                              const TileTarget<T>& target, T* c, int64_t columns);

// All sizes of tiles, [(rows - 1) * kTileVectors + vectors - 1][along_k][partial].
template <class T>
struct TileTable {
  TileFunction<T> functions[kTileRows * kTileVectors][2][2];

  template <int... size>
  constexpr TileTable(std::integer_sequence<int, size...>)
      : functions{{{tile<T, size / kTileVectors + 1, size % kTileVectors + 1, false, false>,
                    tile<T, size / kTileVectors + 1, size % kTileVectors + 1, false, true>},
                   {tile<T, size / kTileVectors + 1, size % kTileVectors + 1, true, false>,
                    tile<T, size / kTileVectors + 1, size % kTileVectors + 1, true, true>}}...} {}
};
template <class T>
constexpr TileTable<T> kTiles{std::make_integer_sequence<int, kTileRows * kTileVectors>()};

template <class T>
CR_INLINE TileFunction<T> tile_function(uint64_t rows, uint64_t columns, bool along_k) {
  const uint64_t vectors = (columns + kLanes<T> - 1) / kLanes<T>;
  return kTiles<T>.functions[(rows - 1) * kTileVectors + vectors - 1][along_k][columns % kLanes<T> != 0];
}

// m rows of c and at most kTileColumns<T> columns.
template <class T>
void multiply_panel(int64_t m, int64_t columns, int64_t k, TileRows<T> a, const T* b, int64_t b_stride,
                    const TileTarget<T>& target, T* c) {
  if (m >= kTileRows) {
    const auto full = tile_function<T>(kTileRows, columns, a.along_k);
    for (; m >= kTileRows; m -= kTileRows) {
      full(k, a.data, a.stride, b, b_stride, target, c, columns);
      a.data += a.step;
      c += kTileRows * target.c_stride;
    }
  }
  if (m > 0) tile_function<T>(m, columns, a.along_k)(k, a.data, a.stride, b, b_stride, target, c, columns);
}

}  // namespace chainrule::cpu::CR_ISA
