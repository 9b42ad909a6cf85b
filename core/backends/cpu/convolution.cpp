// Convolution and its two gradients: images are padded, shared among threads, and given to the kernels.
#include "backends/cpu/convolution.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/convolution_kernel.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kParts = 8;                 // a batch is cut into, at most
constexpr int64_t kPartialBytes = 32 << 20;   // for weight gradients that are summed apart
constexpr int64_t kColumnBytes = 512 << 10;   // of columns that are spread back together
constexpr int64_t kWorkPerPart = 1 << 20;     // multiplications

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The channels of one group of one image with room for the padding around them.
class PaddedImage {
 public:
  explicit PaddedImage(const ConvolutionShape& s) : in_(s.in), padding_(s.padding), channels_(s.in_channels) {
    for (int d = 0; d < 3; ++d) size_[d] = s.in[d] + 2 * s.padding[d];
    needed_ = s.padding[0] || s.padding[1] || s.padding[2];
  }
  bool needed() const { return needed_; }
  int64_t elements() const { return channels_ * ConvolutionShape::volume(size_); }
  const Extent3& size() const { return size_; }

  template <class T>
  void fill(const T* image, T* out) const {
    std::fill_n(out, elements(), T(0));
    each_row(image, out, [this](const T* row, T* padded) {
      std::memcpy(padded, row, static_cast<size_t>(in_[2]) * sizeof(T));
    });
  }
  // image = the middle of `padded`, plus a bias per channel
  template <class T>
  void crop(const T* padded, const T* bias, T* image) const {
    int64_t rows = in_[0] * in_[1], i = 0;
    each_row(image, padded, [&](T* row, const T* from) {
      const T shift = bias ? bias[i / rows] : T(0);
      for (int64_t x = 0; x < in_[2]; ++x) row[x] = from[x] + shift;
      ++i;
    });
  }

 private:
  template <class A, class B, class F>
  void each_row(A* image, B* padded, F f) const {
    for (int64_t c = 0; c < channels_; ++c) {
      for (int64_t z = 0; z < in_[0]; ++z) {
        for (int64_t y = 0; y < in_[1]; ++y) {
          int64_t row = ((c * size_[0] + z + padding_[0]) * size_[1] + y + padding_[1]) * size_[2] + padding_[2];
          f(image + ((c * in_[0] + z) * in_[1] + y) * in_[2], padded + row);
        }
      }
    }
  }

  Extent3 in_, padding_, size_;
  int64_t channels_;
  bool needed_;
};

struct Columns : ColumnMatrix {
  std::vector<int64_t> table;

  Columns(const ConvolutionShape& s, const Extent3& size) {
    const int64_t pitch[3] = {size[1] * size[2], size[2], 1};
    for (int64_t c = 0; c < s.in_channels; ++c) {
      for (int64_t z = 0; z < s.kernel[0]; ++z) {
        for (int64_t y = 0; y < s.kernel[1]; ++y) {
          for (int64_t x = 0; x < s.kernel[2]; ++x) {
            table.push_back(c * ConvolutionShape::volume(size) + z * s.dilation[0] * pitch[0] +
                            y * s.dilation[1] * pitch[1] + x * s.dilation[2]);
          }
        }
      }
    }
    rows = s.weight_columns();
    offsets = table.data();
    pixels = s.out_pixels();
    height = s.out[1];
    width = s.out[2];
    for (int d = 0; d < 3; ++d) step[d] = s.stride[d] * pitch[d];
  }
  Columns(const Columns&) = delete;
};

template <class T>
std::vector<std::vector<T>> packed_weights(const ConvolutionShape& s, const T* weight) {
  std::vector<std::vector<T>> packed(static_cast<size_t>(s.groups));
  for (int64_t g = 0; g < s.groups; ++g) {
    auto& to = packed[static_cast<size_t>(g)];
    to.resize(static_cast<size_t>(CR_DISPATCH(convolution_packed_size)(s.out_channels, s.weight_columns())));
    CR_DISPATCH(pack_convolution_weights)
    (s.out_channels, s.weight_columns(), weight + g * s.out_channels * s.weight_columns(), to.data());
  }
  return packed;
}

// How many images make a task, and into how many parts of its pixels a lone one is cut; by size alone.
struct Cut {
  int64_t images, parts;
  explicit Cut(const ConvolutionShape& s) {
    const int64_t work = std::max<int64_t>(1, s.out_channels * s.weight_columns() * s.out_pixels());
    const int64_t items = s.batch * s.groups;
    images = std::max<int64_t>(1, kWorkPerPart / work);
    parts = items >= kParts ? 1 : std::clamp<int64_t>(work / kWorkPerPart, 1, divide_up(kParts, items));
  }
};

// ---- the gradient of the input

// With stride 1 it is a convolution of g with the weights turned around.
bool is_plain_convolution(const ConvolutionShape& s) {
  for (int d = 0; d < 3; ++d) {
    if (s.stride[d] != 1 || s.dilation[d] * (s.kernel[d] - 1) < s.padding[d]) return false;
  }
  return true;
}

ConvolutionShape turned(const ConvolutionShape& s) {
  ConvolutionShape t = s;
  std::swap(t.in_channels, t.out_channels);
  std::swap(t.in, t.out);
  for (int d = 0; d < 3; ++d) t.padding[d] = s.dilation[d] * (s.kernel[d] - 1) - s.padding[d];
  return t;
}

template <class T>
std::vector<T> turned_weights(const ConvolutionShape& s, const T* weight) {
  const int64_t taps = s.taps();
  std::vector<T> result(static_cast<size_t>(s.groups * s.out_channels * s.in_channels * taps));
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t o = 0; o < s.out_channels; ++o) {
      for (int64_t i = 0; i < s.in_channels; ++i) {
        const T* from = weight + ((g * s.out_channels + o) * s.in_channels + i) * taps;
        T* to = result.data() + ((g * s.in_channels + i) * s.out_channels + o) * taps;
        std::reverse_copy(from, from + taps, to);
      }
    }
  }
  return result;
}

// Adds columns of pixels [begin, begin + count) to where they were taken from.
template <class T>
void spread_columns(const Columns& c, const T* columns, int64_t begin, int64_t count, T* image) {
  for (int64_t k = 0; k < c.rows; ++k) {
    T* base = image + c.offsets[k];
    const T* from = columns + k * count;
    for (int64_t p = begin; p < begin + count;) {
      int64_t x = p % c.width, y = p / c.width % c.height, z = p / (c.width * c.height);
      int64_t length = std::min(c.width - x, begin + count - p);
      T* to = base + z * c.step[0] + y * c.step[1] + x * c.step[2];
      const int64_t step = c.step[2];
      for (int64_t j = 0; j < length; ++j) to[j * step] += from[j];
      from += length;
      p += length;
    }
  }
}

template <class T>
void spread_image(const ConvolutionShape& s, const Columns& c, const T* g, const T* weight, T* image) {
  const int64_t block = std::clamp<int64_t>(kColumnBytes / (c.rows * static_cast<int64_t>(sizeof(T))), 48, c.pixels);
  std::vector<T> columns(static_cast<size_t>(c.rows * block));
  for (int64_t p = 0; p < c.pixels; p += block) {
    const int64_t count = std::min(block, c.pixels - p);
    gemm<T>(c.rows, count, s.out_channels, T(1), {weight, 1, c.rows}, {g + p, c.pixels, 1}, T(0),
            {columns.data(), count, 1});
    spread_columns(c, columns.data(), p, count, image);
  }
}

}  // namespace

template <class T>
void convolution(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const PaddedImage padded(s);
  const Columns columns(s, padded.size());
  const auto weights = packed_weights(s, weight);
  const Cut cut(s);
  const int64_t per_part = divide_up(divide_up(s.out_pixels(), cut.parts), 48) * 48;
  parallel_for(s.batch * s.groups * cut.parts, cut.images, [&](int64_t begin, int64_t end) {
    std::vector<T> buffer(padded.needed() ? padded.elements() : 0);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t item = i / cut.parts, group = item % s.groups, first = i % cut.parts * per_part;
      if (first >= s.out_pixels()) continue;
      const T* image = x + item * s.in_channels * s.in_pixels();
      if (padded.needed()) padded.fill(image, buffer.data());
      CR_DISPATCH(convolve)
      (columns, padded.needed() ? buffer.data() : image, weights[static_cast<size_t>(group)].data(), s.out_channels,
       bias ? bias + group * s.out_channels : nullptr, y + item * s.out_channels * s.out_pixels(), first,
       std::min(s.out_pixels(), first + per_part));
    }
  });
}

template <class T>
void convolution_input_gradient(const ConvolutionShape& s, const T* g, const T* weight, const T* bias, T* dx) {
  if (is_plain_convolution(s)) return convolution(turned(s), g, turned_weights(s, weight).data(), bias, dx);
  const PaddedImage padded(s);
  const Columns columns(s, padded.size());
  parallel_for(s.batch * s.groups, Cut(s).images, [&](int64_t begin, int64_t end) {
    std::vector<T> buffer(padded.elements());
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups;
      std::fill(buffer.begin(), buffer.end(), T(0));
      spread_image(s, columns, g + i * s.out_channels * s.out_pixels(),
                   weight + group * s.out_channels * s.weight_columns(), buffer.data());
      padded.crop(buffer.data(), bias ? bias + group * s.in_channels : nullptr,
                  dx + i * s.in_channels * s.in_pixels());
    }
  });
}

template <class T>
void convolution_weight_gradient(const ConvolutionShape& s, const T* g, const T* x, T* dw) {
  const PaddedImage padded(s);
  const Columns columns(s, padded.size());
  const int64_t size = s.groups * s.out_channels * s.weight_columns();
  const int64_t affordable = std::max<int64_t>(1, kPartialBytes / std::max<int64_t>(1, size * sizeof(T)));
  const int64_t parts = std::clamp<int64_t>(std::min(kParts, affordable), 1, s.batch);
  const int64_t per_part = divide_up(s.batch, parts);
  // Images that are handled together, so that small ones make long sums.
  const int64_t together = std::min(per_part, std::max<int64_t>(1, 512 / s.out_pixels()));
  std::vector<T> partial(static_cast<size_t>((parts - 1) * size));
  std::fill_n(dw, size, T(0));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    std::vector<T> buffer(padded.elements() * together);
    for (int64_t part = begin; part < end; ++part) {
      T* target = part == 0 ? dw : partial.data() + (part - 1) * size;
      for (int64_t group = 0; group < s.groups; ++group) {
        for (int64_t n = part * per_part; n < std::min(s.batch, (part + 1) * per_part); n += together) {
          const int64_t count = std::min({together, s.batch - n, (part + 1) * per_part - n});
          for (int64_t i = 0; i < count; ++i) {
            padded.fill(x + ((n + i) * s.groups + group) * s.in_channels * s.in_pixels(),
                        buffer.data() + i * padded.elements());
          }
          CR_DISPATCH(convolve_weight_gradient)
          (columns, buffer.data(), padded.elements(), count,
           g + (n * s.groups + group) * s.out_channels * s.out_pixels(), s.groups * s.out_channels * s.out_pixels(),
           s.out_channels, target + group * s.out_channels * s.weight_columns());
        }
      }
    }
  });
  for (int64_t part = 1; part < parts; ++part) {
    const T* from = partial.data() + (part - 1) * size;
    for (int64_t i = 0; i < size; ++i) dw[i] += from[i];
  }
}

#define CR_INSTANTIATE(T)                                                                                  \
  template void convolution<T>(const ConvolutionShape&, const T*, const T*, const T*, T*);                 \
  template void convolution_input_gradient<T>(const ConvolutionShape&, const T*, const T*, const T*, T*);  \
  template void convolution_weight_gradient<T>(const ConvolutionShape&, const T*, const T*, T*);
CR_INSTANTIATE(float)
CR_INSTANTIATE(double)
#undef CR_INSTANTIATE

}  // namespace chainrule::cpu
