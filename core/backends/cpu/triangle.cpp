#include "backends/triangle.hpp"

#include <cstring>

#include "backends/cpu/kernels.hpp"

namespace chainrule::cpu {
namespace {

void copy(const TriangleCopy& c) {
  const auto item = static_cast<size_t>(c.item);
  const size_t row_bytes = static_cast<size_t>(c.triangle.columns) * item;
  const char* from = c.from;
  char* to = c.to;
  for (int64_t m = 0; m < c.matrices; ++m) {
    for (int64_t i = 0; i < c.rows; ++i, from += row_bytes, to += row_bytes) {
      size_t begin = static_cast<size_t>(c.triangle.begin(i)) * item,
             end = static_cast<size_t>(c.triangle.end(i)) * item;
      std::memset(to, 0, begin);
      std::memcpy(to + begin, from + begin, end - begin);
      std::memset(to + end, 0, row_bytes - end);
    }
  }
}

template <class T>
void list(const TriangleIndices& t) {
  T *row = reinterpret_cast<T*>(t.to), *column = row + t.count;
  for (int64_t i = t.first; i < t.last; ++i) {
    for (int64_t j = t.triangle.begin(i); j < t.triangle.end(i); ++j)
      *row++ = static_cast<T>(i), *column++ = static_cast<T>(j);
  }
}

void indices(const TriangleIndices& t) { (t.narrow ? list<int32_t> : list<int64_t>)(t); }

}  // namespace

constinit const TriangleKernels triangle_kernels{{copy}, {indices}};

}  // namespace chainrule::cpu
