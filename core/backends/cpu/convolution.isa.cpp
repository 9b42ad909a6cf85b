// Convolution as products with columns that are put together panel by panel; see Note [Implicit columns].
#include "backends/cpu/convolution_kernel.hpp"

#include "backends/cpu/gemm_pack.hpp"
#include "backends/cpu/gemm_tile.hpp"

namespace chainrule::cpu::CR_ISA {
namespace {

constexpr int64_t kDepth = 512;  // rows of a panel that are packed together

// The rows of c are cut into equal blocks.
int64_t block_of(int64_t rows) {
  const int64_t blocks = (rows + kDepth - 1) / kDepth;
  return (rows + blocks - 1) / blocks;
}

// Pixels side by side in the image.
struct Run {
  int64_t offset, length;
};

// Pixels [begin, begin + count) of the output as runs in the image.
template <int64_t most>
struct Runs {
  Run runs[most];
  int64_t count = 0;

  void find(const ColumnMatrix& c, int64_t begin, int64_t pixels) {
    count = 0;
    const bool side_by_side = c.step[2] == 1;
    int64_t x = begin % c.width, y = begin / c.width % c.height, z = begin / (c.width * c.height);
    while (pixels > 0) {
      const int64_t length = side_by_side ? smaller(pixels, c.width - x) : 1;
      runs[count++] = {z * c.step[0] + y * c.step[1] + x * c.step[2], length};
      pixels -= length;
      x += length;
      if (x < c.width) continue;
      x = 0;
      if (++y == c.height) {
        y = 0;
        ++z;
      }
    }
  }
};

// packed[row][pixel] for one panel. Each run is stored in whole vectors; what is too much the next one overwrites.
template <class T>
void pack_panel(const ColumnMatrix& c, const T* image, int64_t row, int64_t rows, const Runs<kTileColumns<T>>& r,
                T* packed) {
  constexpr int lanes = kLanes<T>;
  if (r.count > 0 && c.step[2] != 1) {
    for (int64_t k = 0; k < rows; ++k) {
      const T* from = image + c.offsets[row + k];
      for (int64_t j = 0; j < r.count; ++j) packed[k * kTileColumns<T> + j] = from[r.runs[j].offset];
    }
    return;
  }
  for (int64_t k = 0; k < rows; ++k) {
    const T* from = image + c.offsets[row + k];
    T* to = packed + k * kTileColumns<T>;
    for (int64_t i = 0; i < r.count; ++i) {
      const T* run = from + r.runs[i].offset;
      int64_t j = 0;
      for (; j + lanes <= r.runs[i].length; j += lanes) store(to + j, load(run + j));
      if (j < r.runs[i].length) store(to + j, FirstLanes<T>(r.runs[i].length - j).load(run + j));
      to += r.runs[i].length;
    }
  }
}

// Rows of the panel are pixels, its columns the taps [tap, tap + columns): squares are transposed on the way.
template <class T>
T* pack_turned_run(const ColumnMatrix& c, const T* image, int64_t tap, int64_t columns, Run run, T* packed) {
  constexpr int lanes = kLanes<T>;
  constexpr int64_t width = kTileColumns<T>;
  for (int64_t p = 0; p < run.length; p += lanes) {
    const int64_t here = smaller(lanes, run.length - p);
    const FirstLanes<T> first(here);
    for (int64_t j = 0; j < columns; j += lanes) {
      Vector<T> square[lanes];
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) {
        const T* from = image + c.offsets[tap + smaller(j + i, columns - 1)] + run.offset + p;
        square[i] = first.load(from);
      }
      transpose<T>(square);
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) store(packed + (p + i) * width + j, square[i]);
    }
  }
  return packed + run.length * width;
}

template <class T>
T* pack_turned(const ColumnMatrix& c, const T* image, int64_t tap, int64_t columns, const Runs<kDepth>& r, T* packed) {
  for (int64_t i = 0; i < r.count; ++i) {
    if (r.runs[i].length > 1) {
      packed = pack_turned_run(c, image, tap, columns, r.runs[i], packed);
      continue;
    }
    for (int64_t j = 0; j < columns; ++j) packed[j] = image[c.offsets[tap + j] + r.runs[i].offset];
    packed += kTileColumns<T>;
  }
  return packed;
}

template <class T>
int64_t packed_rows(int64_t rows) {
  return round_up(rows, kTileRows);
}

template <class T>
void pack_weights(int64_t rows, int64_t columns, const T* weights, T* packed) {
  const int64_t depth = block_of(columns);
  for (int64_t k = 0; k < columns; k += depth) {
    pack_a<T>(rows, smaller(depth, columns - k), {weights + k, columns, 1}, packed + k * packed_rows<T>(rows));
  }
}

template <class T>
void convolve_pixels(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias, T* y,
                     int64_t begin, int64_t end) {
  const int64_t depth = block_of(c.rows);
  T* panel = (T*)gemm_scratch((depth * kTileColumns<T> + kLanes<T>)*sizeof(T));
  Runs<kTileColumns<T>> runs;
  for (int64_t p = begin; p < end; p += kTileColumns<T>) {
    const int64_t columns = smaller(kTileColumns<T>, end - p);
    runs.find(c, p, columns);
    if (bias) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) y[i * c.pixels + p + j] = bias[i];
      }
    }
    for (int64_t k = 0; k < c.rows; k += depth) {
      const int64_t here = smaller(depth, c.rows - k);
      pack_panel(c, image, k, here, runs, panel);
      const TileTarget<T> target{c.pixels, T(1), T(k > 0 || bias ? 1 : 0)};
      const TileRows<T> a{packed + k * packed_rows<T>(rows), kTileRows, kTileRows * here, false};
      multiply_panel(rows, columns, here, a, panel, kTileColumns<T>, target, y + p);
    }
  }
}

// Pixels [begin, begin + pixels) of `count` images, packed one after another along the depth.
template <class T>
struct WeightBlock {
  const ColumnMatrix& c;
  const T* images;
  int64_t image_size, count;
  const T* g;
  int64_t g_size, rows;
  int64_t begin, pixels;
  int64_t depth() const { return count * pixels; }

  void pack_g(T* packed) const {
    const int64_t k = depth();
    for (int64_t i = 0; i < rows; i += kTileRows) {
      const int64_t here = smaller(kTileRows, rows - i);
      for (int64_t n = 0; n < count; ++n) {
        const T* from = g + n * g_size + i * c.pixels + begin;
        T* to = packed + i * k + n * pixels * kTileRows;
        int64_t p = here == kTileRows ? pack_rows(pixels, from, c.pixels, to) : 0;
        for (; p < pixels; ++p) {
          for (int64_t r = 0; r < here; ++r) to[p * kTileRows + r] = from[r * c.pixels + p];
        }
      }
    }
  }

  void run(T* dw, T* packed_g, T* panel) const {
    pack_g(packed_g);
    Runs<kDepth> runs;
    runs.find(c, begin, pixels);
    const TileRows<T> a{packed_g, kTileRows, kTileRows * depth(), false};
    for (int64_t tap = 0; tap < c.rows; tap += kTileColumns<T>) {
      const int64_t columns = smaller(kTileColumns<T>, c.rows - tap);
      T* next = panel;
      for (int64_t n = 0; n < count; ++n) next = pack_turned(c, images + n * image_size, tap, columns, runs, next);
      multiply_panel(rows, columns, depth(), a, panel, kTileColumns<T>, TileTarget<T>{c.rows, T(1), T(1)}, dw + tap);
    }
  }
};

template <class T>
void weight_gradient(const ColumnMatrix& c, const T* images, int64_t image_size, int64_t count, const T* g,
                     int64_t g_size, int64_t rows, T* dw) {
  const int64_t together = c.pixels >= kDepth ? 1 : kDepth / c.pixels, block = block_of(c.pixels);
  const int64_t g_space = packed_rows<T>(rows) * kDepth + kLanes<T>;
  const int64_t panel_space = (kDepth + kLanes<T>)*kTileColumns<T> + kLanes<T>;
  T* packed_g = (T*)gemm_scratch((g_space + panel_space) * sizeof(T));
  for (int64_t n = 0; n < count; n += together) {
    for (int64_t p = 0; p < c.pixels; p += block) {
      WeightBlock<T>{c, images + n * image_size, image_size, smaller(together, count - n), g + n * g_size, g_size,
                     rows, p, smaller(block, c.pixels - p)}
          .run(dw, packed_g, packed_g + g_space);
    }
  }
}

}  // namespace

int64_t convolution_packed_size(int64_t rows, int64_t columns) {
  return round_up(rows, kTileRows) * columns + kVectorBytes;
}

#define CR_CONVOLUTION(T)                                                                                           \
  void pack_convolution_weights(int64_t rows, int64_t columns, const T* weights, T* packed) {                       \
    pack_weights(rows, columns, weights, packed);                                                                   \
  }                                                                                                                 \
  void convolve(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias, T* y,          \
                int64_t begin, int64_t end) {                                                                       \
    convolve_pixels(c, image, packed, rows, bias, y, begin, end);                                                   \
  }                                                                                                                 \
  void convolve_weight_gradient(const ColumnMatrix& c, const T* images, int64_t image_size, int64_t count,          \
                                const T* g, int64_t g_size, int64_t rows, T* dw) {                                  \
    weight_gradient(c, images, image_size, count, g, g_size, rows, dw);                                             \
  }
CR_CONVOLUTION(float)
CR_CONVOLUTION(double)
#undef CR_CONVOLUTION

}  // namespace chainrule::cpu::CR_ISA
