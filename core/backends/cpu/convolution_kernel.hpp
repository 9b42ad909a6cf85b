// What the driver of convolutions (convolution.cpp) asks of each instruction set's kernels (convolution.isa.cpp).
#pragma once
#include <cstdint>

#include "backends/cpu/gemm.hpp"
#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// Note [Implicit columns]
// A convolution is a product of the weights (out channels x K) with a matrix of columns (K x pixels), where K runs over
// input channels and taps, and a column holds what one output pixel sees. That matrix is never in memory: a panel of it
// is put together from the image just before use, in the order in which the tiles of a matrix product read it. Images
// are padded first, so that no tap falls outside.
struct ColumnMatrix {
  int64_t rows;            // K
  const int64_t* offsets;  // by row: where tap and channel lie, from the first, in elements of the image
  int64_t pixels;          // columns
  int64_t height, width;   // of the output; its depth follows
  int64_t step[3];         // between neighbouring outputs in the image
};

}  // namespace chainrule::cpu

// T* weights as convolve reads them; `packed` has packed_size(rows, columns) elements.
CR_DECLARE_PER_ISA(int64_t convolution_packed_size(int64_t rows, int64_t columns))
#define CR_CONVOLUTION(T)                                                                                             \
  CR_DECLARE_PER_ISA(void pack_convolution_weights(int64_t rows, int64_t columns, const T* weights, T* packed))       \
  /* y (rows x pixels) = weights @ columns of the image + bias, for pixels [begin, end) */                             \
  CR_DECLARE_PER_ISA(void convolve(const ColumnMatrix& c, const T* image, const T* packed, int64_t rows,              \
                                   const T* bias, T* y, int64_t begin, int64_t end))                                  \
  /* dw (rows x K) += g @ transposed columns, summed over images that lie image_size and g_size elements apart */     \
  CR_DECLARE_PER_ISA(void convolve_weight_gradient(const ColumnMatrix& c, const T* images, int64_t image_size,        \
                                                   int64_t count, const T* g, int64_t g_size, int64_t rows, T* dw))
CR_CONVOLUTION(float)
CR_CONVOLUTION(double)
#undef CR_CONVOLUTION
