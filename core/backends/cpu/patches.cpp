#include "backends/patches.hpp"

#include <algorithm>

#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

// Calls f(row of columns, row of the image or null, first block, last block) for each row of blocks of each tap.
template <class T, class I, class F>
void each_block_row(const Patches& p, int64_t planes, T* columns, I* image, F f) {
  parallel_for(planes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* to = columns + i * p.taps() * p.blocks();
      for (int64_t ky = 0; ky < p.kernel[0]; ++ky) {
        for (int64_t kx = 0; kx < p.kernel[1]; ++kx) {
          for (int64_t r = 0; r < p.rows; ++r, to += p.columns) {
            int64_t y = r * p.stride[0] - p.padding[0] + ky * p.dilation[0], x = kx * p.dilation[1] - p.padding[1];
            f(to, y < 0 || y >= p.height ? nullptr : image + (i * p.height + y) * p.width, x);
          }
        }
      }
    }
  });
}

template <class T>
void take_patches(const Patches& p, int64_t planes, const T* image, T* columns) {
  each_block_row(p, planes, columns, image, [&p](T* to, const T* row, int64_t x) {
    for (int64_t c = 0; c < p.columns; ++c, x += p.stride[1]) to[c] = row && x >= 0 && x < p.width ? row[x] : T(0);
  });
}

template <class T>
void add_patches(const Patches& p, int64_t planes, const T* columns, T* image) {
  std::fill_n(image, planes * p.height * p.width, T(0));
  each_block_row(p, planes, columns, image, [&p](const T* from, T* row, int64_t x) {
    for (int64_t c = 0; row && c < p.columns; ++c, x += p.stride[1]) {
      if (x >= 0 && x < p.width) row[x] += from[c];
    }
  });
}

void take(const PatchCopy& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) {
    take_patches(c.patches, c.planes, static_cast<const T*>(c.from), static_cast<T*>(c.to));
  });
}

void add(const PatchCopy& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) {
    add_patches(c.patches, c.planes, static_cast<const T*>(c.from), static_cast<T*>(c.to));
  });
}

}  // namespace

constinit const PatchesKernels patches_kernels{{take}, {add}};

}  // namespace chainrule::cpu
