// Sorting rows: by digits, and short ones by insertion.
#include "backends/sort.hpp"

#include "backends/cpu/comparison_steps.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/radix_sort.hpp"
#include "backends/cpu/row_loop.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kInsertion = 48;    // up to here insertion is faster
constexpr int64_t kComparison = 64;   // up to here steps::sort is
constexpr int64_t kImitated = 16384;  // shorter rows may be sorted as PyTorch does; see backends/cpu/select.cpp

// Writes entries in order as indices and values.
template <class T, class K>
void write_sorted(const T* from, const Entry<K>* sorted, int64_t n, T* values, int64_t* indices) {
  for (int64_t i = 0; i < n; ++i) indices[i] = static_cast<int64_t>(sorted[i].index);
  if (!values) return;
  for (int64_t i = 0; i < n; ++i) values[i] = from[sorted[i].index];
}

// Whether there are more elements than different keys in their range.
template <class KeyAt>
bool must_tie(int64_t n, KeyAt key_at) {
  auto [low, high] = key_range(n, key_at);
  return high - low < static_cast<uint64_t>(n - 1);
}

template <class KeyAt>
bool has_ties(const RadixEntry* sorted, int64_t n, KeyAt key_at) {
  for (int64_t i = 1; i < n; ++i) {
    if (key_at(sorted[i - 1].index) == key_at(sorted[i].index)) return true;
  }
  return false;
}

// Sorts rows of one length and one order.
template <class T>
class RowSorter {
 public:
  using K = OrderKey<T>;

  RowSorter(int64_t n, bool descending, Ties ties)
      : n_(n), descending_(descending), imitates_(ties == Ties::AsInPyTorch && n < kImitated) {}

  size_t scratch_bytes() const {
    return static_cast<size_t>(n_) * std::max(2 * sizeof(RadixEntry), sizeof(Entry<uint64_t>));
  }
  void sort(const T* from, T* values, int64_t* indices, void* scratch) const {
    if (n_ <= (imitates_ ? kComparison : kInsertion)) return sort_by_comparison<K>(from, values, indices, scratch);
    if (n_ > kRadixLimit) return sort_by_comparison<uint64_t>(from, values, indices, scratch);
    auto key_at = [from, flip = descending_ ? ~K(0) : K(0)](int64_t i) -> K { return order_key(from[i]) ^ flip; };
    if (imitates_ && must_tie(n_, key_at)) return sort_by_comparison<K>(from, values, indices, scratch);
    auto* entries = static_cast<RadixEntry*>(scratch);
    const RadixEntry* sorted = radix_sort(n_, key_at, entries, entries + n_);
    if (imitates_ && has_ties(sorted, n_, key_at)) return sort_by_comparison<K>(from, values, indices, scratch);
    write_sorted(from, sorted, n_, values, indices);
  }

 private:
  template <class Key>
  void sort_by_comparison(const T* from, T* values, int64_t* indices, void* scratch) const {
    auto* entries = static_cast<Entry<Key>*>(scratch);
    make_entries(from, n_, descending_, entries);
    if (imitates_)
      steps::sort(entries, entries + n_);
    else if (n_ <= kInsertion)
      insertion_sort(entries, n_);
    else
      std::stable_sort(entries, entries + n_);
    write_sorted(from, entries, n_, values, indices);
  }

  int64_t n_;
  bool descending_, imitates_;
};

template <class T>
void sort_typed(const SortedCopy& s) {
  int64_t n = s.x.length;
  T* values = static_cast<T*>(s.values);
  RowSorter<T> sorter(n, s.descending, s.ties);
  for_rows(s.x.count, n, sorter.scratch_bytes(), [&](int64_t begin, int64_t end, void* scratch) {
    for (int64_t at = begin * n; at < end * n; at += n) {
      sorter.sort(static_cast<const T*>(s.x.data) + at, values ? values + at : nullptr, s.indices + at, scratch);
    }
  });
}

void sort_rows(const SortedCopy& s) {
  if (s.x.count) with_real_type(s.x.dtype, [&]<class T>(T*) { sort_typed<T>(s); });
}

}  // namespace

constinit const SortKernels sort_kernels{{sort_rows}};

}  // namespace chainrule::cpu
