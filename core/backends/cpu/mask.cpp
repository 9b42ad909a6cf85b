#include "backends/mask.hpp"

#include <algorithm>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/rows.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;

void count(const MaskCount& m) {
  Rows<1> rows(m.sizes, {m.strides});
  const int64_t length = rows.length(), step = rows.step(0);
  int64_t n = 0;
  rows.each([&](const std::array<int64_t, 1>& start) {
    const uint8_t* bits = m.mask + start[0];
    if (step == 1) {
      for (int64_t j = 0; j < length; ++j) n += bits[j] != 0;
    } else {
      for (int64_t j = 0; j < length; ++j) n += bits[j * step] != 0;
    }
    return true;
  });
  *m.count = n;
}

Rows<2> rows_of(const MaskedElements& m) { return Rows<2>(m.sizes, {m.strides, m.mask_strides}); }

// Calls visit(element) under the mask, in order.
template <class T, class Visit>
void visit_row(T* row, int64_t step, const uint8_t* bits, int64_t bit_step, int64_t n, Visit visit) {
  for (int64_t j = 0; j < n; ++j) {
    if (bits[j * bit_step]) visit(row[j * step]);
  }
}

template <class T, class Visit>
void visit_masked(const MaskedElements& m, const Rows<2>& rows, int64_t first, int64_t last, Visit visit) {
  rows.each(first, last, [&](const std::array<int64_t, 2>& start) {
    visit_row(reinterpret_cast<T*>(m.whole) + start[0], rows.step(0), m.mask + start[1], rows.step(1), rows.length(),
              visit);
    return true;
  });
}

void fill(const MaskedElements& m) {
  Rows<2> rows = rows_of(m);
  if (rows.length() == 0) return;
  with_element_size(m.dtype, [&]<class T>(T*) {
    T with = *reinterpret_cast<const T*>(m.packed);
    parallel_for(rows.count(), std::max<int64_t>(1, kGrain / rows.length()), [&](int64_t begin, int64_t end) {
      visit_masked<T>(m, rows, begin, end, [with](T& element) { element = with; });
    });
  });
}

void read(const MaskedElements& m) {
  Rows<2> rows = rows_of(m);
  with_element_size(m.dtype, [&]<class T>(T*) {
    T* to = reinterpret_cast<T*>(m.packed);
    visit_masked<T>(m, rows, 0, rows.count(), [&](const T& element) { *to++ = element; });
  });
}

void write(const MaskedElements& m) {
  Rows<2> rows = rows_of(m);
  with_element_size(m.dtype, [&]<class T>(T*) {
    const T* from = reinterpret_cast<const T*>(m.packed);
    visit_masked<T>(m, rows, 0, rows.count(), [&](T& element) { element = *from++; });
  });
}

void offsets(const MaskOffsets& m) {
  Rows<2> rows(m.sizes, {m.mask_strides, m.strides});
  const int64_t n = rows.length(), by = rows.step(0), step = rows.step(1);
  int64_t* to = m.to;
  rows.each([&](const std::array<int64_t, 2>& start) {
    for (int64_t j = 0; j < n; ++j) {
      if (m.mask[start[0] + j * by]) *to++ = start[1] + j * step;
    }
    return true;
  });
}

void coordinates(const MaskCoordinates& m) {
  const int64_t found = m.found;
  const int last = static_cast<int>(m.sizes.size()) - 1;
  if (last < 0 || found == 0) return;
  int64_t length = m.sizes.back(), written = 0;
  int64_t* columns = m.to + last * found;
  const uint8_t* bits = m.mask;
  Dims at(last);  // the row's own coordinates
  for (; written < found; bits += length) {
    int64_t before = written;
    for (int64_t j = 0; j < length && written < found; ++j) {  // written anyway, kept if the mask says so
      columns[written] = j;
      written += bits[j] != 0;
    }
    for (int d = 0; d < last; ++d) std::fill(m.to + d * found + before, m.to + d * found + written, at[d]);
    for (int d = last; d-- > 0; at[d] = 0) {
      if (++at[d] < m.sizes[static_cast<size_t>(d)]) break;
    }
  }
}

}  // namespace

constinit const MaskKernels mask_kernels{{count}, {fill}, {read}, {write}, {offsets}, {coordinates}};

}  // namespace chainrule::cpu
