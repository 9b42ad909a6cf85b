// Sorting rows: by digits, and short ones by insertion.
#include "backends/cpu/sort.hpp"

#include "backends/cpu/radix_sort.hpp"
#include "backends/cpu/row_loop.hpp"
#include "tensor/with_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kInsertion = 48;  // up to here insertion is faster

// Writes entries in order as indices and values.
template <class T, class K>
void write_sorted(const T* from, const Entry<K>* sorted, int64_t n, T* values, int64_t* indices) {
  for (int64_t i = 0; i < n; ++i) indices[i] = static_cast<int64_t>(sorted[i].index);
  if (!values) return;
  for (int64_t i = 0; i < n; ++i) values[i] = from[sorted[i].index];
}

template <class T, class K>
void sort_by_comparison(const T* from, int64_t n, bool descending, T* values, int64_t* indices, Entry<K>* entries) {
  make_entries(from, n, descending, entries);
  n <= kInsertion ? insertion_sort(entries, n) : std::stable_sort(entries, entries + n);
  write_sorted(from, entries, n, values, indices);
}

template <class T>
void sort_typed(const Rows& x, bool descending, T* values, int64_t* indices) {
  using K = OrderKey<T>;
  int64_t n = x.length;
  bool fits = n <= kRadixLimit;
  size_t bytes = static_cast<size_t>(n) * (fits ? std::max(2 * sizeof(RadixEntry), sizeof(Entry<K>)) : 16);
  for_rows(x.count, n, bytes, [&](int64_t begin, int64_t end, void* scratch) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = static_cast<const T*>(x.data) + row * n;
      T* to = values ? values + row * n : nullptr;
      int64_t* at = indices + row * n;
      if (n <= kInsertion) {
        sort_by_comparison(from, n, descending, to, at, static_cast<Entry<K>*>(scratch));
      } else if (!fits) {
        sort_by_comparison(from, n, descending, to, at, static_cast<Entry<uint64_t>*>(scratch));
      } else {
        auto key_at = [from, flip = descending ? ~K(0) : K(0)](int64_t i) -> K { return order_key(from[i]) ^ flip; };
        auto* entries = static_cast<RadixEntry*>(scratch);
        write_sorted(from, radix_sort(n, key_at, entries, entries + n), n, to, at);
      }
    }
  });
}

}  // namespace

void sort_rows(const Rows& x, bool descending, void* values, int64_t* indices) {
  if (x.count == 0) return;
  with_real_type(x.dtype, [&]<class T>(T*) { sort_typed(x, descending, static_cast<T*>(values), indices); });
}

}  // namespace chainrule::cpu
