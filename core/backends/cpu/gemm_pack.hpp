// Copies blocks of the operands of a matrix product into the order in which tiles read them.
#pragma once
#include "backends/cpu/gemm_tile.hpp"

namespace chainrule::cpu::CR_ISA {

// Rows are often a page apart, where the processor does not look ahead by itself: those that come later are asked for.
template <class T>
CR_INLINE void fetch_row(const T* row, int64_t columns) {
  for (int64_t j = 0; j < columns; j += 64 / int64_t(sizeof(T))) __builtin_prefetch(row + j);
}
constexpr int64_t kRowsAhead = 16;

// Copies kLanes columns that are contiguous along k to the rows of `out`.
template <class T>
void copy_transposed(int64_t k, const T* b, int64_t b_stride, T* out, int64_t out_stride) {
  constexpr int lanes = kLanes<T>;
  int64_t p = 0;
  for (; p + lanes <= k; p += lanes) {
    Vector<T> square[lanes];
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) square[j] = load(b + j * b_stride + p);
    transpose<T>(square);
#pragma GCC unroll 16
    for (int j = 0; j < lanes; ++j) store(out + (p + j) * out_stride, square[j]);
  }
  for (; p < k; ++p) {
    for (int j = 0; j < lanes; ++j) out[p * out_stride + j] = b[j * b_stride + p];
  }
}

// Copies `columns` columns and k rows of b, which are not contiguous, to contiguous rows.
template <class T>
void copy_to_rows(int64_t k, int64_t columns, MatrixView<const T> b, T* out, int64_t out_stride) {
  int64_t j = 0;
  if (b.row_stride == 1) {
    for (; j + kLanes<T> <= columns; j += kLanes<T>) {
      copy_transposed(k, b.data + j * b.column_stride, b.column_stride, out + j, out_stride);
    }
  }
  for (; j < columns; ++j) {
    for (int64_t p = 0; p < k; ++p) out[p * out_stride + j] = b.data[p * b.row_stride + j * b.column_stride];
  }
}

// Copies `columns` columns and k rows of b, wherever they lie, to rows of kTileColumns<T>.
template <class T>
void pack_b(int64_t k, int64_t columns, MatrixView<const T> b, T* packed) {
  constexpr int lanes = kLanes<T>;
  constexpr int64_t width = kTileColumns<T>;
  if (b.column_stride == 1) {
    const FirstLanes<T> rest((columns - 1) % lanes + 1);
    for (int64_t p = 0; p < k; ++p) {
      const T* from = b.data + p * b.row_stride;
      fetch_row(from + kRowsAhead * b.row_stride, columns);
      int64_t j = 0;
      for (; j + lanes < columns; j += lanes) store(packed + p * width + j, load(from + j));
      store(packed + p * width + j, rest.load(from + j));
    }
    return;
  }
  copy_to_rows(k, columns, b, packed, width);
}

// Copies kTileRows rows that are contiguous along k, as far as whole vectors go; says how far that was. May write a
// vector beyond what it copies.
template <class T>
int64_t pack_rows(int64_t k, const T* a, int64_t a_stride, T* packed) {
  constexpr int lanes = kLanes<T>;
  int64_t p = 0;
  for (; p + lanes <= k; p += lanes) {
#pragma GCC unroll 8
    for (int first = 0; first < kTileRows; first += lanes) {
      Vector<T> square[lanes] = {};
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) {
        if (first + i < kTileRows) square[i] = load(a + (first + i) * a_stride + p);
      }
      transpose<T>(square);
#pragma GCC unroll 16
      for (int j = 0; j < lanes; ++j) store(packed + (p + j) * kTileRows + first, square[j]);
    }
  }
  return p;
}

// Copies m rows and k columns of a so that tiles read consecutive memory.
template <class T>
TileRows<T> pack_a(int64_t m, int64_t k, MatrixView<const T> a, T* packed) {
  int64_t i = 0;
  if (a.row_stride == 1) {
    constexpr int64_t panels = 4;  // together, so that whole cache lines of a are used when they are there
    for (; i + panels * kTileRows <= m; i += panels * kTileRows) {
      for (int64_t p = 0; p < k; ++p) {
        const T* from = a.data + i + p * a.column_stride;
        fetch_row(from + kRowsAhead * a.column_stride, panels * kTileRows);
#pragma GCC unroll 4
        for (int64_t panel = 0; panel < panels; ++panel) {
          __builtin_memcpy(packed + (i + panel * kTileRows) * k + p * kTileRows, from + panel * kTileRows,
                           kTileRows * sizeof(T));
        }
      }
    }
  }
  for (; i < m; i += kTileRows) {
    const int64_t rows = smaller(kTileRows, m - i);
    int64_t p = 0;
    if (a.column_stride == 1 && rows == kTileRows)
      p = pack_rows(k, a.data + i * a.row_stride, a.row_stride, packed + i * k);
    for (; p < k; ++p) {
      for (int64_t r = 0; r < rows; ++r) {
        packed[i * k + p * kTileRows + r] = a.data[(i + r) * a.row_stride + p * a.column_stride];
      }
    }
  }
  return {packed, kTileRows, kTileRows * k, false};
}

}  // namespace chainrule::cpu::CR_ISA
