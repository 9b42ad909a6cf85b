// Matrix products of float, double and int64_t on one thread: tiles, run straight from the operands where their layout
// and size allow it, and from packed blocks elsewhere.
#include "backends/cpu/gemm_pack.hpp"
#include "backends/cpu/gemm_tile.hpp"
#include "backends/cpu/gemv.hpp"

namespace chainrule::cpu::CR_ISA {
namespace {

// A panel of b (kBlockDepth x kTileColumns) is packed just before use and stays in the second-level cache while all
// rows of a packed block of a pass by.
template <class T>
constexpr int64_t kBlockDepth = kFinishedDepth / int64_t(sizeof(T));
constexpr int64_t kBlockRows = 512;
constexpr int64_t kFinishedRows = 128;  // of a block that goes to `finish`

constexpr int64_t kThinDepth = 8;  // up to here writing c costs more than computing it

// k is cut into equal blocks; by its size alone, because the cuts show in the rounding.
template <class T>
int64_t block_depth(int64_t k) {
  if (k <= kBlockDepth<T>) return k;
  const int64_t blocks = (k + kBlockDepth<T> - 1) / kBlockDepth<T>;
  return (k + blocks - 1) / blocks;
}

// The limits are measured: packing must be repaid by better use of the caches.
template <class T>
bool pays_to_pack_a(const GemmProblem<T>& g) {
  const int64_t bytes = g.m * g.k * int64_t(sizeof(T));
  if (g.a.column_stride == 1) return bytes >= (1 << 20) && g.n >= 256;
  const bool near = g.a.column_stride * int64_t(sizeof(T)) <= 1024;  // farther apart, lines of a crowd one another out
  return g.a.row_stride != 1 || (bytes >= (1 << 16) && g.n >= (near ? 512 : 8));
}

template <class T>
bool pays_to_pack_b(const GemmProblem<T>& g) {
  const int64_t bytes = g.k * g.n * int64_t(sizeof(T));
  if (g.b.column_stride == 1 && g.b.row_stride == g.n && g.n <= kTileColumns<T>) return false;  // as if packed
  return g.b.column_stride != 1 || (bytes >= (1 << 16) && g.m >= 2 * kTileRows);
}

// transposed(c) = transposed(b) @ transposed(a). When neither has contiguous columns, both are read in the same way,
// and the longer one is better packed as b. Elements stay the same to the bit.
template <class T>
bool pays_to_swap(const GemmProblem<T>& g) {
  return g.a.row_stride == 1 && g.b.column_stride == 1 && g.m > g.n && g.n >= kTileColumns<T> && g.k >= 1024 &&
         g.beta == 0;
}

template <class T>
CR_INLINE MatrixView<const T> part(MatrixView<const T> v, int64_t row, int64_t column) {
  return {v.data + row * v.row_stride + column * v.column_stride, v.row_stride, v.column_stride};
}

template <class T>
CR_INLINE TileRows<T> unpacked_rows(MatrixView<const T> a) {
  if (a.column_stride == 1) return {a.data, a.row_stride, kTileRows * a.row_stride, true};
  return {a.data, a.column_stride, kTileRows, false};
}

// How many of the columns left the next panel takes: all it can, but two panels share what would leave the last one
// with a single vector, for a tile so narrow waits for its sums.
template <class T>
CR_INLINE int64_t panel_columns(int64_t left) {
  const bool shares = left > kTileColumns<T> && left <= kTileColumns<T> + kLanes<T> && kTileVectors > 2;
  return smaller(left, shares ? kTileColumns<T> - kLanes<T> : kTileColumns<T>);
}

// A panel of a product that goes to `finish`, from rows `row` and column `column` on.
template <class T>
void finish_panel(const GemmProblem<T>& g, int64_t row, int64_t m, int64_t column, int64_t columns, TileRows<T> a,
                  const T* b, int64_t b_stride, const T* added) {
  alignas(64) T block[kFinishedRows * kTileColumns<T>];
  const TileTarget<T> target{columns, g.alpha, g.beta, added};
  for (int64_t i = 0; i < m; i += kFinishedRows) {
    const int64_t rows = smaller(kFinishedRows, m - i);
    multiply_panel(rows, columns, g.k, a, b, b_stride, target, block);
    (*g.finish)(g.first_row + row + i, rows, g.first_column + column, columns, (const char*)block);
    a.data += kFinishedRows / kTileRows * a.step;
  }
}

// Rows [row, row + m) of c, from k columns of a that begin at `depth`. packed_b is null when b is read where it lies.
template <class T>
void multiply_rows(const GemmProblem<T>& g, int64_t row, int64_t m, int64_t depth, int64_t k, TileRows<T> a,
                   T* packed_b) {
  TileTarget<T> target{g.c_row_stride, g.alpha, depth == 0 ? g.beta : T(1)};
  for (int64_t j = 0, columns; j < g.n; j += columns) {
    columns = panel_columns<T>(g.n - j);
    const auto b = part(g.b, depth, j);
    if (packed_b) pack_b(k, columns, b, packed_b);
    if (g.row && depth == 0) target.row = g.row + j;
    const T* panel = packed_b ? packed_b : b.data;
    const int64_t b_stride = packed_b ? kTileColumns<T> : b.row_stride;
    if (g.finish) {
      finish_panel(g, row, m, j, columns, a, panel, b_stride, target.row);
    } else {
      multiply_panel(m, columns, k, a, panel, b_stride, target, g.c + row * g.c_row_stride + j);
    }
  }
}

template <class T>
void multiply_unpacked(const GemmProblem<T>& g) {
  // A thin product is bound by writing c, which then goes row by row.
  const int64_t row_block = g.k <= kThinDepth ? kTileRows : g.m;
  const int64_t depth = block_depth<T>(g.k);
  for (int64_t p = 0; p < g.k; p += depth) {
    for (int64_t i = 0; i < g.m; i += row_block) {
      multiply_rows<T>(g, i, smaller(row_block, g.m - i), p, smaller(depth, g.k - p), unpacked_rows(part(g.a, i, p)),
                       nullptr);
    }
  }
}

template <class T>
void multiply_packed(const GemmProblem<T>& g, bool packs_a, bool packs_b) {
  const int64_t depth = block_depth<T>(g.k);
  const int64_t row_block = packs_a ? smaller(round_up(g.m, kTileRows), kBlockRows) : g.m;
  const int64_t b_size = packs_b ? depth * kTileColumns<T> : 0;
  const int64_t a_size = packs_a ? depth * row_block + kLanes<T> : 0;
  T* packed_b = (T*)gemm_scratch((a_size + b_size) * sizeof(T));
  T* packed_a = packed_b + b_size;
  for (int64_t p = 0; p < g.k; p += depth) {
    const int64_t k = smaller(depth, g.k - p);
    for (int64_t i = 0; i < g.m; i += row_block) {
      const int64_t m = smaller(row_block, g.m - i);
      const auto a = part(g.a, i, p);
      const TileRows<T> rows = packs_a ? pack_a(m, k, a, packed_a) : unpacked_rows(a);
      multiply_rows(g, i, m, p, k, rows, packs_b ? packed_b : nullptr);
    }
  }
}

template <class T>
bool multiply_vector(const GemmProblem<T>& g) {
  if (g.n == 1) {
    return MatrixVector<T>{g.m, g.k, g.alpha, g.beta, g.a, g.b.data, g.c, g.c_row_stride}.run(g.b.row_stride);
  }
  const MatrixView<const T> b{g.b.data, g.b.column_stride, g.b.row_stride};
  return MatrixVector<T>{g.n, g.k, g.alpha, g.beta, b, g.a.data, g.c, 1}.run(g.a.column_stride);
}

template <class T>
void multiply(const GemmProblem<T>& g);

template <class T>
void multiply_swapped(const GemmProblem<T>& g) {
  T* product = (T*)gemm_scratch(g.m * g.n * sizeof(T), GemmScratch::product);
  multiply(GemmProblem<T>{g.n, g.m, g.k, g.alpha, T(0), transposed(g.b), transposed(g.a), product, g.m});
  int64_t j = 0;
  for (; j + kLanes<T> <= g.n; j += kLanes<T>) copy_transposed(g.m, product + j * g.m, g.m, g.c + j, g.c_row_stride);
  for (; j < g.n; ++j) {
    for (int64_t i = 0; i < g.m; ++i) g.c[i * g.c_row_stride + j] = product[j * g.m + i];
  }
}

template <class T>
void multiply(const GemmProblem<T>& g) {
  if ((g.m == 1 || g.n == 1) && multiply_vector(g)) return;
  if (!g.finish && pays_to_swap(g)) return multiply_swapped(g);
  const bool packs_a = pays_to_pack_a(g), packs_b = pays_to_pack_b(g);
  if (packs_a || packs_b) {
    multiply_packed(g, packs_a, packs_b);
  } else {
    multiply_unpacked(g);
  }
}

}  // namespace

void gemm_float(const GemmProblem<float>& problem) { multiply(problem); }
void gemm_double(const GemmProblem<double>& problem) { multiply(problem); }
void gemm_int64(const GemmProblem<int64_t>& problem) { multiply(problem); }

}  // namespace chainrule::cpu::CR_ISA
