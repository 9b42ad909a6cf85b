// What the driver of convolutions (convolution.cpp) asks of each instruction set's kernels (convolution.isa.cpp).
#pragma once
#include <cstdint>

#include "backends/cpu/gemm.hpp"
#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {
// A convolution is a product of the weights (out channels x K) with a matrix of columns (K x pixels), where K runs over
// input channels and taps, and a column holds what one output pixel sees. That matrix is never in memory: a panel of it
// is put together from the image just before use, in the order in which the tiles of a matrix product read it. Images
// are padded first, so that no tap falls outside, and with a stride of s their rows are split into s phases (every s-th
// element together), so that neighbouring outputs always see neighbouring elements.
struct ColumnMatrix {
  int64_t rows;            // K
  const int64_t* offsets;  // by row: where tap and channel lie, from the first, in elements of the image
  int64_t pixels;          // columns
  int64_t height, width;   // of the output; its depth follows
  int64_t step[2];         // between outputs that are neighbours in depth and height, in the image
};

inline constexpr int64_t kFewRows = 2;  // of weights, that take other loops, which know nothing of `finish`

// Where the result goes: into y, or to `finish` with the number that row 0 has there.
template <class T>
struct ConvolutionTarget {
  T* y;
  const GemmFinish* finish = nullptr;
  int64_t first_row = 0;
};

template <class T>
struct ConvolutionLoops {
  // Elements that packed weights (rows x columns) take.
  int64_t (*packed_size)(int64_t rows, int64_t columns);
  void (*pack_weights)(int64_t rows, int64_t columns, const T* weights, T* packed);
  // y (rows x pixels) = weights @ columns of the image + bias, for pixels [begin, end)
  void (*convolve)(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows, const T* bias,
                   const ConvolutionTarget<T>& to, int64_t begin, int64_t end);
  // dw (rows x K) += g @ transposed columns, summed over images that lie image_size and g_size elements apart
  void (*weight_gradient)(const ColumnMatrix& c, const T* images, int64_t image_size, int64_t count, const T* g,
                          int64_t g_size, int64_t rows, T* dw);
};

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const ConvolutionLoops<float> convolution_float)
CR_DECLARE_PER_ISA(extern const ConvolutionLoops<double> convolution_double)
