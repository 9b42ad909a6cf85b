// Reading and writing elements at positions that an index gives: one row kernel per kind, brought to any layout.
#include "backends/positions.hpp"

#include <atomic>
#include <type_traits>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/rows.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;

// What a visit does to an element of the whole and the one beside it. The `common` ones are compiled once more for the
// layouts that are met most.
template <Combine combine, class T>
struct Apply {
  static constexpr bool common = combine == Combine::Replace || combine == Combine::Add;
  [[gnu::always_inline]] void operator()(T& at, T other) const;
};
template <class T>
struct Read {
  static constexpr bool common = true;
  void operator()(const T& in, T& out) const { out = in; }
};

template <Combine combine, class T>
[[gnu::always_inline]] inline void Apply<combine, T>::operator()(T& at, T other) const {
  if constexpr (combine == Combine::Replace) {
    at = other;
  } else if constexpr (std::is_same_v<T, bool>) {
    at = combine == Combine::Add || combine == Combine::Max ? at | other : at & other;
  } else if constexpr (combine == Combine::Add) {
    at = static_cast<T>(at + other);
  } else if constexpr (combine == Combine::Multiply) {
    at = static_cast<T>(at * other);
  } else if constexpr (requires(T x) { x < x; }) {
    bool beats = combine == Combine::Max ? other > at : other < at;
    if (beats || other != other) at = other;  // NaN wins and stays
  }
}

// Kernels know the element type and go along one row; what leads from row to row is compiled once, for all types.

struct ElementRow {
  const int64_t* index;
  char *whole, *beside;
  int64_t length, size;                                 // the row's, and that of the indexed dimension
  int64_t by_index, by_whole, by_beside, step, around;  // in elements; `around` is added to negative indices
};
// Gives the index at which it had to stop, or null.
using ElementKernel = const int64_t* (*)(const ElementRow&);

struct SliceRow {
  char *whole, *packed;
  const int64_t* offsets;  // of the row in each slice
  int64_t count, length, step, by;
};
using SliceKernel = void (*)(const SliceRow&);

using One = std::integral_constant<int64_t, 1>;
using Zero = std::integral_constant<int64_t, 0>;

// Steps are numbers, or constants for the compiler.
template <class T, class Visit, class ByIndex, class ByWhole, class ByBeside, class Step, class Around>
[[gnu::always_inline]] inline const int64_t* visit_by(const ElementRow& r, ByIndex by_index, ByWhole by_whole,
                                                      ByBeside by_beside, Step step, Around around) {
  T *in = reinterpret_cast<T*>(r.whole), *out = reinterpret_cast<T*>(r.beside);
  const int64_t n = r.length, size = r.size, *index = r.index;
  for (int64_t j = 0; j < n; ++j) {
    int64_t i = index[j * by_index];
    i += i >> 63 & around;
    if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(size)) [[unlikely]]
      return index + j * by_index;
    Visit()(in[j * by_whole + i * step], out[j * by_beside]);
  }
  return nullptr;
}

template <class T, class Visit>
const int64_t* visit_elements(const ElementRow& r) {
  if constexpr (Visit::common) {
    bool unit = r.by_index == 1 && r.by_whole == 0 && r.by_beside == 1 && r.step == 1;
    if (unit && !r.around) return visit_by<T, Visit>(r, One(), Zero(), One(), One(), Zero());
    if (unit) return visit_by<T, Visit>(r, One(), Zero(), One(), One(), r.around);
  }
  return visit_by<T, Visit>(r, r.by_index, r.by_whole, r.by_beside, r.step, r.around);
}

template <class T, class Visit>
void visit_slices(const SliceRow& r) {
  const int64_t n = r.length, step = r.step, by = r.by;
  T *whole = reinterpret_cast<T*>(r.whole), *packed = reinterpret_cast<T*>(r.packed);
  for (int64_t k = 0; k < r.count; ++k, packed += n * by) {
    T* row = whole + r.offsets[k];
    if (n == 1) {
      Visit()(*row, *packed);
    } else if (Visit::common && step == 1 && by == 1) {
      for (int64_t j = 0; j < n; ++j) Visit()(row[j], packed[j]);
    } else {
      for (int64_t j = 0; j < n; ++j) Visit()(row[j * step], packed[j * by]);
    }
  }
}

struct RowKernels {
  ElementKernel elements;
  SliceKernel slices;
};
template <class T, class Visit>
constexpr RowKernels kernels{&visit_elements<T, Visit>, &visit_slices<T, Visit>};

RowKernels reading_kernels(DType dtype) {
  return with_element_size(dtype, []<class T>(T*) { return kernels<T, Read<T>>; });
}
// To replace, only an element's size matters.
RowKernels combining_kernels(Combine combine, DType dtype) {
  if (combine == Combine::Replace)
    return with_element_size(dtype, []<class T>(T*) { return kernels<T, Apply<Combine::Replace, T>>; });
  return with_element_type(dtype, [&]<class T>(T*) {
    switch (combine) {
      case Combine::Add:
        return kernels<T, Apply<Combine::Add, T>>;
      case Combine::Multiply:
        return kernels<T, Apply<Combine::Multiply, T>>;
      case Combine::Max:
        return kernels<T, Apply<Combine::Max, T>>;
      default:
        return kernels<T, Apply<Combine::Min, T>>;
    }
  });
}

// ---- one position per element

enum Operand : uint8_t { kIndex, kWhole, kBeside };

Rows<3> rows_of(const IndexedElements& at) {
  return Rows<3>(at.sizes, {at.index_strides, at.whole_strides, at.beside_strides});
}

// Rows first to last; gives the index at which it had to stop, or null.
const int64_t* run_rows(ElementKernel kernel, const IndexedElements& at, const Rows<3>& rows, int64_t bytes,
                        int64_t first, int64_t last) {
  const int64_t* bad = nullptr;
  rows.each(first, last, [&](const std::array<int64_t, 3>& start) {
    bad = kernel({at.index + start[kIndex], at.whole + start[kWhole] * bytes, at.beside + start[kBeside] * bytes,
                  rows.length(), at.size, rows.step(kIndex), rows.step(kWhole), rows.step(kBeside), at.step,
                  at.wraps ? at.size : 0});
    return !bad;
  });
  return bad;
}

// ---- slices

// Slices first to last, counted through all repetitions. `by` is 0 when one packed element stands for all, else 1.
void run_slices(SliceKernel kernel, const MovedSlices& moved, int64_t first, int64_t last, int64_t by) {
  const Slices& at = moved.at;
  const auto bytes = static_cast<int64_t>(size_of(moved.dtype));
  Rows<1> after(at.after_sizes, {at.after_strides});
  int64_t n = after.length(), size = after.count() * n;
  constexpr int64_t kHere = 0;
  for (int64_t i = first; i < last;) {
    int64_t base = 0, repetition = i / at.count, k = i % at.count, stop = std::min(at.count, k + last - i);
    for (int d = at.before_sizes.size(); d-- > 0; repetition /= at.before_sizes[d])
      base += repetition % at.before_sizes[d] * at.before_strides[d];
    char *from = moved.whole + base * bytes, *beside = moved.packed + i * size * by * bytes;
    i += stop - k;
    if (size == n) {
      kernel({from, beside, at.offsets + k, stop - k, n, after.step(0), by});
      continue;
    }
    for (; k < stop; ++k) {
      after.each([&](const std::array<int64_t, 1>& start) {
        kernel({from + (at.offsets[k] + start[0]) * bytes, beside, &kHere, 1, n, after.step(0), by});
        beside += n * by * bytes;
        return true;
      });
    }
  }
}

int64_t product(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

void read_elements(const IndexedElements& at) {
  Rows<3> rows = rows_of(at);
  if (rows.length() == 0) return;
  ElementKernel kernel = reading_kernels(at.dtype).elements;
  auto bytes = static_cast<int64_t>(size_of(at.dtype));
  std::atomic<const int64_t*> bad = nullptr;
  auto read = [&](const IndexedElements& part, const Rows<3>& some, int64_t begin, int64_t end) {
    const int64_t* found = run_rows(kernel, part, some, bytes, begin, end);
    const int64_t* first = bad;
    while (found && (!first || found < first) && !bad.compare_exchange_weak(first, found)) {
    }
  };
  if (rows.count() > 1) {
    parallel_for(rows.count(), std::max<int64_t>(1, kGrain / rows.length()),
                 [&](int64_t begin, int64_t end) { read(at, rows, begin, end); });
  } else {
    parallel_for(rows.length(), kGrain, [&](int64_t begin, int64_t end) {  // one row, in pieces
      IndexedElements part = at;
      Rows<3> some = rows;
      some.sizes[0] = end - begin;
      part.index += begin * rows.step(kIndex);
      part.whole += begin * rows.step(kWhole) * bytes;
      part.beside += begin * rows.step(kBeside) * bytes;
      read(part, some, 0, 1);
    });
  }
  if (bad.load()) *at.bad = *bad.load();
}

void combine_elements(Combine combine, const IndexedElements& at) {
  Rows<3> rows = rows_of(at);
  if (rows.length() == 0) return;
  const int64_t* bad = run_rows(combining_kernels(combine, at.dtype).elements, at, rows,
                                static_cast<int64_t>(size_of(at.dtype)), 0, rows.count());
  if (bad) *at.bad = *bad;
}

void read_slices(const MovedSlices& moved) {
  const Slices& at = moved.at;
  int64_t size = product(at.after_sizes), all = product(at.before_sizes) * at.count;
  if (size == 0) return;
  SliceKernel kernel = reading_kernels(moved.dtype).slices;
  parallel_for(all, std::max<int64_t>(1, kGrain / size),
               [&](int64_t begin, int64_t end) { run_slices(kernel, moved, begin, end, 1); });
}

void combine_slices(Combine combine, const MovedSlices& moved) {
  const Slices& at = moved.at;
  int64_t size = product(at.after_sizes) * at.count;
  if (size == 0) return;
  SliceKernel kernel = combining_kernels(combine, moved.dtype).slices;
  // Slices may coincide, so they are met in order; their repetitions cannot.
  parallel_for(product(at.before_sizes), std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
    run_slices(kernel, moved, begin * at.count, end * at.count, moved.single ? 0 : 1);
  });
}

// ---- indices

template <class I>
void add_typed(const AddedOffsets& a) {
  Rows<1> rows(a.sizes, {a.index_strides});
  const int64_t n = rows.length(), by = rows.step(0), step = a.step, size = a.size;
  int64_t* offsets = a.offsets;
  rows.each([&](const std::array<int64_t, 1>& start) {
    const I* row = reinterpret_cast<const I*>(a.index) + start[0];
    for (int64_t j = 0; j < n; ++j) {
      int64_t i = row[j * by], wrapped = a.wraps && i < 0 ? i + size : i;
      if (static_cast<uint64_t>(wrapped) >= static_cast<uint64_t>(size)) [[unlikely]] {
        *a.bad = i;
        return false;
      }
      offsets[j] += step * wrapped;
    }
    offsets += n;
    return true;
  });
}

void add_offsets(const AddedOffsets& a) { (a.dtype == DType::Int32 ? add_typed<int32_t> : add_typed<int64_t>)(a); }

void spread_offsets(const SpreadOffsets& s) {
  for (int64_t i = 0; i < s.count; ++i) {
    int64_t left = s.offsets[i], offset = 0;
    for (size_t d = s.sizes.size(); d-- > 0; left /= s.sizes[d]) offset += left % s.sizes[d] * s.strides[d];
    s.offsets[i] = offset;
  }
}

void check_indices(const CheckedIndices& c) {
  for (int64_t i = 0; i < c.count; ++i) {
    if (c.index[i] >= 0 && c.index[i] < c.size) continue;
    *c.bad = c.index[i];
    return;
  }
}

void total_repeats(const RepeatedTotal& r) {
  CheckedSize total = 0;
  for (int64_t i = 0; i < r.count; ++i) {
    if (r.times[i] < 0) return;
    total += r.times[i];
  }
  *r.total = total.value();
}

void repeat_indices(const RepeatedIndices& r) {
  int64_t* to = r.to;
  for (int64_t i = 0; i < r.count; ++i) to = std::fill_n(to, r.times[i], i);
}

}  // namespace

constinit const PositionsKernels positions_kernels{{read_elements},  {combine_elements}, {read_slices},
                                                   {combine_slices}, {add_offsets},      {spread_offsets},
                                                   {check_indices},  {total_repeats},    {repeat_indices}};

}  // namespace chainrule::cpu
