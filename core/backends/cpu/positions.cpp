// Reading and writing elements at positions that an index gives: one row kernel per kind, brought to any layout.
#include "backends/cpu/positions.hpp"

#include <atomic>
#include <type_traits>

#include "backends/cpu/rows.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 32 * 1024;

// What a visit does to an element of the whole and the one beside it. The `common` ones are compiled once more for the
// layouts that are met most.
template <Meet meet, class T>
struct Apply {
  static constexpr bool common = meet == Meet::Replace || meet == Meet::Add;
  [[gnu::always_inline]] void operator()(T& at, T other) const;
};
template <class T>
struct Read {
  static constexpr bool common = true;
  void operator()(const T& in, T& out) const { out = in; }
};

template <Meet meet, class T>
[[gnu::always_inline]] inline void Apply<meet, T>::operator()(T& at, T other) const {
  if constexpr (meet == Meet::Replace) {
    at = other;
  } else if constexpr (std::is_same_v<T, bool>) {
    at = meet == Meet::Add || meet == Meet::Max ? at | other : at & other;
  } else if constexpr (meet == Meet::Add) {
    at = static_cast<T>(at + other);
  } else if constexpr (meet == Meet::Multiply) {
    at = static_cast<T>(at * other);
  } else if constexpr (requires(T x) { x < x; }) {
    bool beats = meet == Meet::Max ? other > at : other < at;
    if (beats || other != other) at = other;  // NaN wins and stays
  }
}

// Calls f.operator()<meet, T>() for the types in which it is done: to replace, only an element's size matters.
template <class F>
auto with_meet(Meet meet, DType dtype, F f) {
  auto typed = [&]<Meet m>() {
    return with_element_type(dtype, [&]<class T>(T*) { return f.template operator()<m, T>(); });
  };
  switch (meet) {
    case Meet::Replace:
      return with_element_size(dtype, [&]<class T>(T*) { return f.template operator()<Meet::Replace, T>(); });
    case Meet::Add:
      return typed.template operator()<Meet::Add>();
    case Meet::Multiply:
      return typed.template operator()<Meet::Multiply>();
    case Meet::Max:
      return typed.template operator()<Meet::Max>();
    default:
      return typed.template operator()<Meet::Min>();
  }
}

// ---- one position per element

enum Operand : uint8_t { kIndex, kWhole, kBeside };

using One = std::integral_constant<int64_t, 1>;
using Zero = std::integral_constant<int64_t, 0>;

// Calls visit(element of the whole, element beside) along rows; gives the index at which it had to stop, or null.
// Steps are numbers, or constants for the compiler.
template <class T, class Visit, class ByIndex, class ByWhole, class ByBeside, class Step, class Around>
const int64_t* visit_steps(const IndexedElements& at, const Rows<3>& rows, int64_t first, int64_t last, T* whole,
                           T* beside, Visit visit, ByIndex by_index, ByWhole by_whole, ByBeside by_beside, Step step,
                           Around around) {
  const int64_t* bad = nullptr;
  const int64_t n = rows.length(), size = at.size;
  rows.each(first, last, [&](const std::array<int64_t, 3>& start) {
    const int64_t* index = at.index + start[kIndex];
    T *in = whole + start[kWhole], *out = beside + start[kBeside];
    for (int64_t j = 0; j < n; ++j) {
      int64_t i = index[j * by_index];
      i += i >> 63 & around;
      if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(size)) [[unlikely]] {
        bad = index + j * by_index;
        return false;
      }
      visit(in[j * by_whole + i * step], out[j * by_beside]);
    }
    return true;
  });
  return bad;
}

template <class T, class Visit>
const int64_t* visit_elements(const IndexedElements& at, const Rows<3>& rows, int64_t first, int64_t last, T* whole,
                              T* beside, Visit visit) {
  int64_t by_index = rows.step(kIndex), by_whole = rows.step(kWhole), by_beside = rows.step(kBeside);
  auto visit_by = [&](auto... steps) { return visit_steps(at, rows, first, last, whole, beside, visit, steps...); };
  if constexpr (Visit::common) {
    bool unit = by_index == 1 && by_whole == 0 && by_beside == 1 && at.step == 1;
    if (unit && !at.wraps) return visit_by(One(), Zero(), One(), One(), Zero());
    if (unit) return visit_by(One(), Zero(), One(), One(), at.size);
  }
  return visit_by(by_index, by_whole, by_beside, at.step, at.wraps ? at.size : 0);
}

Rows<3> rows_of(const IndexedElements& at) {
  return Rows<3>(at.sizes, {at.index_strides, at.whole_strides, at.beside_strides});
}

// ---- slices

// Calls visit(element of the whole, element of the packed tensor) for slices first to last, counted through all
// repetitions. `by` is 0 when one packed element stands for all, else 1.
template <class T, class Visit>
void visit_slices(const Slices& at, int64_t first, int64_t last, T* whole, T* packed, int64_t by, Visit visit) {
  Rows<1> after(at.after_sizes, {at.after_strides});
  int64_t n = after.length(), step = after.step(0), size = after.count() * n;
  auto visit_row = [&](T* row, T* beside) {
    if (Visit::common && step == 1 && by == 1) {
      for (int64_t j = 0; j < n; ++j) visit(row[j], beside[j]);
    } else {
      for (int64_t j = 0; j < n; ++j) visit(row[j * step], beside[j * by]);
    }
  };
  for (int64_t i = first; i < last;) {
    int64_t base = 0, repetition = i / at.count, k = i % at.count, stop = std::min(at.count, k + last - i);
    for (int d = at.before_sizes.size(); d-- > 0; repetition /= at.before_sizes[d])
      base += repetition % at.before_sizes[d] * at.before_strides[d];
    for (; k < stop; ++k, ++i) {
      T *slice = whole + base + at.offsets[k], *beside = packed + i * size * by;
      if (size == 1) {
        visit(*slice, *beside);
      } else if (size == n) {
        visit_row(slice, beside);
      } else {
        after.each([&](const std::array<int64_t, 1>& start) {
          visit_row(slice + start[0], beside);
          beside += n * by;
          return true;
        });
      }
    }
  }
}

int64_t product(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

}  // namespace

std::optional<int64_t> read_elements(const IndexedElements& at, DType dtype, const char* whole, char* beside) {
  Rows<3> rows = rows_of(at);
  if (rows.length() == 0) return std::nullopt;
  std::atomic<const int64_t*> bad = nullptr;
  with_element_size(dtype, [&]<class T>(T*) {
    auto* from = reinterpret_cast<T*>(const_cast<char*>(whole));
    auto* to = reinterpret_cast<T*>(beside);
    auto read = [&](const IndexedElements& part, const Rows<3>& some, int64_t begin, int64_t end, T* in, T* out) {
      const int64_t* found = visit_elements(part, some, begin, end, in, out, Read<T>());
      const int64_t* first = bad;
      while (found && (!first || found < first) && !bad.compare_exchange_weak(first, found)) {
      }
    };
    if (rows.count() > 1) {
      return parallel_for(rows.count(), std::max<int64_t>(1, kGrain / rows.length()),
                          [&](int64_t begin, int64_t end) { read(at, rows, begin, end, from, to); });
    }
    parallel_for(rows.length(), kGrain, [&](int64_t begin, int64_t end) {  // one row, in pieces
      IndexedElements part = at;
      Rows<3> some = rows;
      some.sizes[0] = end - begin;
      part.index += begin * rows.step(kIndex);
      read(part, some, 0, 1, from + begin * rows.step(kWhole), to + begin * rows.step(kBeside));
    });
  });
  return bad.load() ? std::optional(*bad.load()) : std::nullopt;
}

std::optional<int64_t> meet_elements(Meet meet, const IndexedElements& at, DType dtype, char* whole,
                                     const char* beside) {
  Rows<3> rows = rows_of(at);
  if (rows.length() == 0) return std::nullopt;
  const int64_t* bad = with_meet(meet, dtype, [&]<Meet m, class T>() {
    auto* from = reinterpret_cast<T*>(const_cast<char*>(beside));
    return visit_elements(at, rows, 0, rows.count(), reinterpret_cast<T*>(whole), from, Apply<m, T>());
  });
  return bad ? std::optional(*bad) : std::nullopt;
}

void read_slices(const Slices& at, DType dtype, const char* whole, char* packed) {
  int64_t size = product(at.after_sizes), all = product(at.before_sizes) * at.count;
  if (size == 0) return;
  with_element_size(dtype, [&]<class T>(T*) {
    parallel_for(all, std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
      auto* from = reinterpret_cast<T*>(const_cast<char*>(whole));
      visit_slices(at, begin, end, from, reinterpret_cast<T*>(packed), 1, Read<T>());
    });
  });
}

void meet_slices(Meet meet, const Slices& at, DType dtype, char* whole, const char* packed, bool single) {
  int64_t size = product(at.after_sizes) * at.count;
  if (size == 0) return;
  with_meet(meet, dtype, [&]<Meet m, class T>() {
    // Slices may coincide, so they are met in order; their repetitions cannot.
    parallel_for(product(at.before_sizes), std::max<int64_t>(1, kGrain / size), [&](int64_t begin, int64_t end) {
      auto* from = reinterpret_cast<T*>(const_cast<char*>(packed));
      visit_slices(at, begin * at.count, end * at.count, reinterpret_cast<T*>(whole), from, single ? 0 : 1,
                   Apply<m, T>());
    });
  });
}

}  // namespace chainrule::cpu
