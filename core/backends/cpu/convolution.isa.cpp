// Convolution as products with columns that are put together panel by panel; see backends/cpu/convolution_kernel.hpp.
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

// Calls f(run, pixel) for the runs that pixels [begin, end) of the output make in the image.
template <class F>
CR_INLINE void each_run(const ColumnMatrix& c, int64_t begin, int64_t end, F f) {
  int64_t x = begin % c.width, y = begin / c.width % c.height, z = begin / (c.width * c.height);
  while (begin < end) {
    const int64_t length = smaller(end - begin, c.width - x);
    f(Run{z * c.step[0] + y * c.step[1] + x, length}, begin);
    begin += length;
    x = 0;
    if (++y == c.height) {
      y = 0;
      ++z;
    }
  }
}

template <int64_t most>
struct Runs {
  Run runs[most];
  int64_t count = 0;

  void find(const ColumnMatrix& c, int64_t begin, int64_t pixels) {
    count = 0;
    each_run(c, begin, begin + pixels, [this](Run run, int64_t) { runs[count++] = run; });
  }
};

// packed[row][pixel] for one panel. Each run is stored in whole vectors; what is too much the next one overwrites.
template <class T>
void pack_panel(const ColumnMatrix& c, const T* image, int64_t row, int64_t rows, const Runs<kTileColumns<T>>& r,
                T* packed) {
  constexpr int lanes = kLanes<T>;
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

// ---- few rows: straight from the image, since packing would cost more than the product

// One vector of one row of y, or what is left of it.
template <class T>
CR_INLINE Vector<T> row_of_products(const ColumnMatrix& c, const T* image, const T* packed, T bias, int64_t count) {
  Vector<T> sum = broadcast(bias);
  const FirstLanes<T> first(count);
  for (int64_t k = 0; k < c.rows; ++k) {
    const T* from = image + c.offsets[k];
    sum = multiply_add(broadcast(packed[k * kTileRows]), count == kLanes<T> ? load(from) : first.load(from), sum);
  }
  return sum;
}

template <class T>
void convolve_directly(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias, T* y,
                       int64_t begin, int64_t end) {
  constexpr int lanes = kLanes<T>;
  for (int64_t r = 0; r < rows; ++r) {
    const T shift = bias ? bias[r] : T(0);
    each_run(c, begin, end, [&](Run run, int64_t pixel) {
      T* to = y + r * c.pixels + pixel;
      const T* from = image + run.offset;
      int64_t j = 0;
      for (; j + 2 * lanes <= run.length; j += 2 * lanes) {  // two sums at a time hide the latency
        Vector<T> a = broadcast(shift), b = a;
        for (int64_t k = 0; k < c.rows; ++k) {
          const Vector<T> w = broadcast(packed[k * kTileRows + r]);
          a = multiply_add(w, load(from + j + c.offsets[k]), a);
          b = multiply_add(w, load(from + j + lanes + c.offsets[k]), b);
        }
        store(to + j, a);
        store(to + j + lanes, b);
      }
      for (; j < run.length; j += lanes) {
        const int64_t count = smaller(lanes, run.length - j);
        FirstLanes<T>(count).store(to + j, row_of_products(c, from + j, packed + r, shift, count));
      }
    });
  }
}

template <class T>
void weight_gradient_directly(const ColumnMatrix& c, const T* image, const T* g, int64_t rows, T* dw) {
  constexpr int lanes = kLanes<T>;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < c.rows; ++k) {
      Vector<T> a{}, b{};
      each_run(c, 0, c.pixels, [&](Run run, int64_t pixel) {
        const T *from = image + run.offset + c.offsets[k], *incoming = g + r * c.pixels + pixel;
        int64_t j = 0;
        for (; j + 2 * lanes <= run.length; j += 2 * lanes) {
          a = multiply_add(load(from + j), load(incoming + j), a);
          b = multiply_add(load(from + j + lanes), load(incoming + j + lanes), b);
        }
        for (; j < run.length; j += lanes) {
          const FirstLanes<T> first(smaller(lanes, run.length - j));
          a = multiply_add(first.load(from + j), first.load(incoming + j), a);
        }
      });
      dw[r * c.rows + k] += sum_of_lanes<T>(a + b);
    }
  }
}

// ---- many rows: by tiles

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

// All rows of the pixels [begin, end), to rows of y that are y_stride apart.
template <class T>
void convolve_panels(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias, T* y,
                     int64_t y_stride, int64_t begin, int64_t end) {
  const int64_t depth = block_of(c.rows);
  T* panel = (T*)gemm_scratch((depth * kTileColumns<T> + kLanes<T>)*sizeof(T));
  Runs<kTileColumns<T>> runs;
  for (int64_t p = begin; p < end; p += kTileColumns<T>, y += kTileColumns<T>) {
    const int64_t columns = smaller(kTileColumns<T>, end - p);
    runs.find(c, p, columns);
    if (bias) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) y[i * y_stride + j] = bias[i];
      }
    }
    for (int64_t k = 0; k < c.rows; k += depth) {
      const int64_t here = smaller(depth, c.rows - k);
      pack_panel(c, image, k, here, runs, panel);
      const TileTarget<T> target{y_stride, T(1), T(k > 0 || bias ? 1 : 0)};
      const TileRows<T> a{packed + k * packed_rows<T>(rows), kTileRows, kTileRows * here, false};
      multiply_panel(rows, columns, here, a, panel, kTileColumns<T>, target, y);
    }
  }
}

constexpr int64_t kFinishedBytes = 24 << 10;  // of a block that goes to `finish`, if its rows leave the choice

template <class T>
void convolve_pixels(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias,
                     const ConvolutionTarget<T>& to, int64_t begin, int64_t end) {
  if (rows <= kFewRows) return convolve_directly(c, image, packed, rows, bias, to.y, begin, end);
  if (!to.finish) return convolve_panels(c, image, packed, rows, bias, to.y + begin, c.pixels, begin, end);
  const int64_t panels = kFinishedBytes / (rows * kTileColumns<T> * int64_t(sizeof(T)));
  const int64_t most = smaller(panels > 1 ? panels : 1, kFinishedColumns / kTileColumns<T>) * kTileColumns<T>;
  T* block = (T*)gemm_scratch(rows * most * sizeof(T), GemmScratch::product);
  for (int64_t p = begin; p < end; p += most) {
    const int64_t columns = smaller(most, end - p);
    convolve_panels(c, image, packed, rows, bias, block, columns, p, p + columns);
    (*to.finish)(to.first_row, rows, p, columns, (const char*)block);
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
  if (rows <= kFewRows) {
    for (int64_t n = 0; n < count; ++n) weight_gradient_directly(c, images + n * image_size, g + n * g_size, rows, dw);
    return;
  }
  const int64_t together = c.pixels >= kDepth ? 1 : kDepth / c.pixels, block = block_of(c.pixels);
  const int64_t g_space = packed_rows<T>(rows) * kDepth + kLanes<T>;
  const int64_t panel_space = (kDepth + kLanes<T>)*kTileColumns<T> + kLanes<T>;
  T* packed_g = (T*)gemm_scratch((g_space + panel_space) * sizeof(T));
  for (int64_t n = 0; n < count; n += together) {
    for (int64_t p = 0; p < c.pixels; p += block) {
      WeightBlock<T>{
          c, images + n * image_size,     image_size, smaller(together, count - n), g + n * g_size, g_size, rows,
          p, smaller(block, c.pixels - p)}
          .run(dw, packed_g, packed_g + g_space);
    }
  }
}

template <class T>
int64_t packed_size(int64_t rows, int64_t columns) {
  return packed_rows<T>(rows) * columns + kLanes<T>;
}

template <class T>
constexpr ConvolutionLoops<T> kKernels{&packed_size<T>, &pack_weights<T>, &convolve_pixels<T>, &weight_gradient<T>};

}  // namespace

constinit const ConvolutionLoops<float> convolution_float = kKernels<float>;
constinit const ConvolutionLoops<double> convolution_double = kKernels<double>;

}  // namespace chainrule::cpu::CR_ISA
