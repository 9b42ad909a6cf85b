// Convolution and its two gradients: images are padded, shared among threads, and given to the kernels.
#include "backends/convolution.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/convolution_kernel.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kParts = 8;                // a batch is cut into, at most
constexpr int64_t kPartialBytes = 32 << 20;  // for weight gradients that are summed apart
constexpr int64_t kColumnBytes = 512 << 10;  // of columns that are spread back together
constexpr int64_t kWorkPerPart = 1 << 20;    // multiplications

const ConvolutionLoops<float>& loops(const float*) { return CR_DISPATCH(convolution_float); }
const ConvolutionLoops<double>& loops(const double*) { return CR_DISPATCH(convolution_double); }

static_assert(kFewRows == kFewChannels);

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The channels of one group of one image with room for the padding around them, rows split into phases; see
// backends/cpu/convolution_kernel.hpp.
class PaddedImage {
 public:
  explicit PaddedImage(const ConvolutionShape& s)
      : in_(s.in), padding_(s.padding), channels_(s.in_channels), phases_(s.out[2] > 1 ? s.stride[2] : 1) {
    // Padding may be longer at the end than at the beginning: what the last output sees must be there.
    for (int d = 0; d < 3; ++d) {
      int64_t seen = (s.out[d] - 1) * s.stride[d] + s.dilation[d] * (s.kernel[d] - 1) + 1;
      size_[d] = std::max(s.in[d] + s.padding[d], seen);
    }
    phase_width_ = divide_up(size_[2], phases_);
    size_[2] = phases_ * phase_width_;
    needed_ = size_ != s.in || phases_ > 1;
  }
  bool needed() const { return needed_; }
  int64_t elements() const { return channels_ * ConvolutionShape::volume(size_); }
  const Extent3& size() const { return size_; }
  // Where element x of a padded row lies in it.
  int64_t place(int64_t x) const { return x % phases_ * phase_width_ + x / phases_; }

  template <class T>
  void fill(const T* image, T* out) const {
    if (!needed_) return void(std::memcpy(out, image, static_cast<size_t>(elements()) * sizeof(T)));
    std::fill_n(out, elements(), T(0));
    each_row(image, out, [](const T* row, T* padded, int64_t count, int64_t step) {
      if (step == 1) return void(std::memcpy(padded, row, static_cast<size_t>(count) * sizeof(T)));
      for (int64_t i = 0; i < count; ++i) padded[i] = row[i * step];
    });
  }
  // image = the middle of `padded`, plus a bias per channel
  template <class T>
  void crop(const T* padded, const T* bias, T* image) const {
    const int64_t channel = in_[0] * in_[1] * in_[2];
    each_row(image, padded, [&](T* row, const T* from, int64_t count, int64_t step) {
      const T shift = bias ? bias[(row - image) / channel] : T(0);
      for (int64_t i = 0; i < count; ++i) row[i * step] = from[i] + shift;
    });
  }

 private:
  // Calls f(part of a row, its place, count, step) for each phase of each row; parts have every step-th element.
  template <class A, class B, class F>
  void each_row(A* image, B* padded, F f) const {
    for (int64_t i = 0; i < channels_ * in_[0] * in_[1]; ++i) {
      const int64_t y = i % in_[1], z = i / in_[1] % in_[0], c = i / (in_[1] * in_[0]);
      B* row = padded + ((c * size_[0] + z + padding_[0]) * size_[1] + y + padding_[1]) * size_[2];
      for (int64_t x = 0; x < std::min(phases_, in_[2]); ++x) {
        f(image + i * in_[2] + x, row + place(x + padding_[2]), divide_up(in_[2] - x, phases_), phases_);
      }
    }
  }

  Extent3 in_, padding_, size_;
  int64_t channels_, phases_, phase_width_;
  bool needed_;
};

struct Columns : ColumnMatrix {
  std::vector<int64_t> table;

  Columns(const ConvolutionShape& s, const PaddedImage& image) {
    const Extent3& size = image.size();
    const int64_t row = size[2], plane = size[1] * row;
    for (int64_t i = 0; i < s.weight_columns(); ++i) {
      const int64_t x = i % s.kernel[2], y = i / s.kernel[2] % s.kernel[1];
      const int64_t z = i / (s.kernel[2] * s.kernel[1]) % s.kernel[0], c = i / s.taps();
      table.push_back((c * size[0] + z * s.dilation[0]) * plane + y * s.dilation[1] * row +
                      image.place(x * s.dilation[2]));
    }
    rows = s.weight_columns();
    offsets = table.data();
    pixels = s.out_pixels();
    height = s.out[1];
    width = s.out[2];
    step[0] = s.out[0] > 1 ? s.stride[0] * plane : 0;
    step[1] = s.out[1] > 1 ? s.stride[1] * row : 0;
  }
  Columns(const Columns&) = delete;
};

template <class T>
std::vector<std::vector<T>> packed_weights(const ConvolutionShape& s, const T* weight) {
  std::vector<std::vector<T>> packed(static_cast<size_t>(s.groups));
  for (int64_t g = 0; g < s.groups; ++g) {
    auto& to = packed[static_cast<size_t>(g)];
    to.resize(static_cast<size_t>(loops(weight).packed_size(s.out_channels, s.weight_columns())));
    loops(weight).pack_weights(s.out_channels, s.weight_columns(), weight + g * s.out_channels * s.weight_columns(),
                               to.data());
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
      T* to = base + z * c.step[0] + y * c.step[1] + x;
      for (int64_t j = 0; j < length; ++j) to[j] += from[j];
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

// A convolution of nothing.
template <class T>
void fill_channels(const ConvolutionShape& s, const T* bias, T* y) {
  const int64_t channels = s.groups * s.out_channels;
  for (int64_t i = 0; i < s.batch * channels; ++i) {
    std::fill_n(y + i * s.out_pixels(), s.out_pixels(), bias ? bias[i % channels] : T(0));
  }
}

template <class T>
void convolve(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y,
              const GemmFinish* finish = nullptr) {
  if (s.weight_columns() == 0) return fill_channels(s, bias, y);
  const PaddedImage padded(s);
  const Columns columns(s, padded);
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
      const int64_t row = item * s.out_channels;
      const ConvolutionTarget<T> target{y + row * s.out_pixels(), finish, row};
      loops(x).convolve(columns, padded.needed() ? buffer.data() : image, weights[static_cast<size_t>(group)].data(),
                        s.out_channels, bias ? bias + group * s.out_channels : nullptr, target, first,
                        std::min(s.out_pixels(), first + per_part));
    }
  });
}

template <class T>
void convolve_transposed(const ConvolutionShape& s, const T* g, const T* weight, const T* bias, T* dx) {
  if (is_plain_convolution(s)) return convolve(turned(s), g, turned_weights(s, weight).data(), bias, dx);
  const PaddedImage padded(s);
  const Columns columns(s, padded);
  parallel_for(s.batch * s.groups, Cut(s).images, [&](int64_t begin, int64_t end) {
    std::vector<T> buffer(padded.elements());
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups;
      std::fill(buffer.begin(), buffer.end(), T(0));
      spread_image(s, columns, g + i * s.out_channels * s.out_pixels(),
                   weight + group * s.out_channels * s.weight_columns(), buffer.data());
      padded.crop(buffer.data(), bias ? bias + group * s.in_channels : nullptr, dx + i * s.in_channels * s.in_pixels());
    }
  });
}

template <class T>
void convolve_weights(const ConvolutionShape& s, const T* g, const T* x, T* dw) {
  if (s.batch == 0) return std::fill_n(dw, s.groups * s.out_channels * s.weight_columns(), T(0)), void();
  const PaddedImage padded(s);
  const Columns columns(s, padded);
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
          loops(x).weight_gradient(columns, buffer.data(), padded.elements(), count,
                                   g + (n * s.groups + group) * s.out_channels * s.out_pixels(),
                                   s.groups * s.out_channels * s.out_pixels(), s.out_channels,
                                   target + group * s.out_channels * s.weight_columns());
        }
      }
    }
  });
  for (int64_t part = 1; part < parts; ++part) {
    const T* from = partial.data() + (part - 1) * size;
    for (int64_t i = 0; i < size; ++i) dw[i] += from[i];
  }
}

void value(const Convolution& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) {
    convolve(c.shape, static_cast<const T*>(c.a), static_cast<const T*>(c.b), static_cast<const T*>(c.bias),
             static_cast<T*>(c.out), c.finish);
  });
}

void input_gradient(const Convolution& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) {
    convolve_transposed(c.shape, static_cast<const T*>(c.a), static_cast<const T*>(c.b), static_cast<const T*>(c.bias),
                        static_cast<T*>(c.out));
  });
}

void weight_gradient(const Convolution& c) {
  with_kernel_type(c.dtype, [&]<class T>(T) {
    convolve_weights(c.shape, static_cast<const T*>(c.a), static_cast<const T*>(c.b), static_cast<T*>(c.out));
  });
}

// Halves are computed in float32.
DType factor_type(DType t) { return t == DType::Float64 ? t : DType::Float32; }

}  // namespace

constinit const ConvolutionKernels convolution_kernels{factor_type,      true, false, {value}, {input_gradient},
                                                       {weight_gradient}};

}  // namespace chainrule::cpu
