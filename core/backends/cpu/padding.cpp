#include "backends/padding.hpp"

#include <cstring>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"
#include "tensor/item_type.hpp"

namespace chainrule::cpu {
namespace {

// Calls f(row of the tensor, row of the padded one) for all rows of the padded one, a plane on one thread.
template <class F>
void each_row(const RepeatedPadding& p, F f) {
  const auto& [depth, height, width] = p.along;
  const int64_t rows = depth.padded() * height.padded();
  parallel_for(p.planes, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, rows * width.padded() * p.lanes)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t plane = begin; plane < end; ++plane) {
                   for (int64_t r = 0; r < rows; ++r) {
                     const int64_t z = depth.source(r / height.padded());
                     const int64_t y = height.source(r % height.padded());
                     f((plane * depth.size + z) * height.size + y, plane * rows + r);
                   }
                 }
               });
}

template <class T>
void pad_rows(const RepeatedPadding& padding, const char* x, char* out) {
  const PaddedDimension& width = padding.along[2];
  each_row(padding, [&](int64_t from, int64_t to) {
    const T* source = reinterpret_cast<const T*>(x) + from * width.size;
    T* row = reinterpret_cast<T*>(out) + to * width.padded();
    for (int64_t i = 0; i < width.first; ++i) row[i] = source[width.source(i)];
    if (width.last > width.first)
      std::memcpy(row + width.first, source + width.source(width.first),
                  static_cast<size_t>(width.last - width.first) * sizeof(T));
    for (int64_t i = width.last; i < width.padded(); ++i) row[i] = source[width.source(i)];
  });
}

// The same with several elements at each place.
void pad_places(const RepeatedPadding& padding, int64_t item, const char* x, char* out) {
  const PaddedDimension& width = padding.along[2];
  const int64_t place = padding.lanes * item;
  each_row(padding, [&](int64_t from, int64_t to) {
    const char* source = x + from * width.size * place;
    char* row = out + to * width.padded() * place;
    const auto copy = [&](int64_t i, int64_t count) {
      std::memcpy(row + i * place, source + width.source(i) * place, static_cast<size_t>(count * place));
    };
    for (int64_t i = 0; i < width.first; ++i) copy(i, 1);
    if (width.last > width.first) copy(width.first, width.last - width.first);
    for (int64_t i = width.last; i < width.padded(); ++i) copy(i, 1);
  });
}

template <class T>
void add_rows(const RepeatedPadding& padding, const T* g, T* dx) {
  const PaddedDimension& width = padding.along[2];
  const int64_t lanes = padding.lanes;
  each_row(padding, [&](int64_t to, int64_t from) {
    const T* row = g + from * width.padded() * lanes;
    T* target = dx + to * width.size * lanes;
    const auto add = [&](int64_t i, int64_t count) {
      T* sums = target + width.source(i) * lanes;
      for (int64_t j = 0; j < count * lanes; ++j) sums[j] = sums[j] + row[i * lanes + j];
    };
    for (int64_t i = 0; i < width.first; ++i) add(i, 1);
    if (width.last > width.first) add(width.first, width.last - width.first);
    for (int64_t i = width.last; i < width.padded(); ++i) add(i, 1);
  });
}

void repeat(const PaddingCopy& c) {
  const auto item = static_cast<int64_t>(size_of(c.dtype));
  if (c.padding.lanes > 1) return pad_places(c.padding, item, c.from, c.to);
  with_item_type(item, [&]<class T>(T*) { pad_rows<T>(c.padding, c.from, c.to); });
}

void repeat_gradient(const PaddingCopy& c) {
  const auto& [depth, height, width] = c.padding.along;
  const int64_t elements = c.padding.planes * c.padding.lanes * depth.size * height.size * width.size;
  std::memset(c.to, 0, static_cast<size_t>(elements) * size_of(c.dtype));
  if (width.padded() == 0) return;  // all of it was cut off
  with_arithmetic_type(c.dtype, [&]<class T>(T*) {
    add_rows(c.padding, reinterpret_cast<const T*>(c.from), reinterpret_cast<T*>(c.to));
  });
}

}  // namespace

constinit const PaddingKernels padding_kernels{{repeat}, {repeat_gradient}};

}  // namespace chainrule::cpu
