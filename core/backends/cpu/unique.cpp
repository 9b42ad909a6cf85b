#include "backends/unique.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/cpu/comparison_steps.hpp"
#include "backends/cpu/kernels.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

// NaN is neither less nor greater than anything, and what stands behind it decides: PyTorch's order of rows.
template <class T>
bool is_less(const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (a[i] < b[i]) return true;
    if (a[i] > b[i]) return false;
  }
  return false;
}

// With NaN that is no order, and a sort may leave the array where it is no insertion sort. Up to there the result is
// PyTorch's to the last row.
void sort(const RowOrder& r) {
  constexpr int64_t kInsertionSort = 16;
  int64_t *first = r.order, *last = first + r.count;
  std::iota(first, last, 0);
  with_real_type(r.dtype, [&]<class T>(T*) {
    auto less = [rows = static_cast<const T*>(r.rows), n = r.length](int64_t a, int64_t b) {
      return is_less(rows + a * n, rows + b * n, n);
    };
    if (r.count <= kInsertionSort)
      steps::sort(first, last, less);
    else
      std::stable_sort(first, last, less);
  });
}

// begins(i) tells whether a new group begins at row i of the order, for i > 0. No jump depends on that: it is hard to
// foresee.
template <class Begins>
void group_by(const EqualNeighbours& e, Begins begins) {
  int64_t count = 0;
  for (int64_t i = 0; i < e.count; ++i) {
    e.firsts[count] = i;
    count += i == 0 || begins(i);
    if (e.inverse) e.inverse[e.order ? e.order[i] : i] = count - 1;
  }
  e.firsts[count] = e.count;
  *e.groups = count;
}

void group(const EqualNeighbours& e) {
  with_real_type(e.dtype, [&]<class T>(T*) {
    const T* rows = static_cast<const T*>(e.rows);
    const int64_t n = e.length, *at = e.in_order ? nullptr : e.order;
    if (n == 1 && !at) return group_by(e, [rows](int64_t i) { return rows[i] != rows[i - 1]; });
    group_by(e, [=](int64_t i) {
      const T *now = rows + (at ? at[i] : i) * n, *before = rows + (at ? at[i - 1] : i - 1) * n;
      return !std::equal(now, now + n, before);
    });
  });
}

void take(const GroupRows& g) {
  for (int64_t i = 0; i < g.groups; ++i) g.counts[i] = g.firsts[i + 1] - g.firsts[i];
  with_element_size(g.dtype, [&]<class T>(T*) {
    const T* rows = static_cast<const T*>(g.rows);
    T* to = static_cast<T*>(g.to);
    if (g.length == 1 && !g.order) {
      for (int64_t i = 0; i < g.groups; ++i) to[i] = rows[g.firsts[i]];
      return;
    }
    for (int64_t i = 0; i < g.groups; ++i, to += g.length) {
      const int64_t first = g.order ? g.order[g.firsts[i]] : g.firsts[i];
      std::memcpy(to, rows + first * g.length, static_cast<size_t>(g.length) * sizeof(T));
    }
  });
}

}  // namespace

constinit const UniqueKernels unique_kernels{{sort}, {group}, {take}};

}  // namespace chainrule::cpu
