// Picking elements by rank: heaps, quick selection, and counting digits for long rows.
#include "backends/select.hpp"

#include <algorithm>

#include "backends/cpu/comparison_steps.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/order_key.hpp"
#include "backends/cpu/row_loop.hpp"
#include "tensor/element_type.hpp"
#include "tensor/error.hpp"

namespace chainrule::cpu {
namespace {
// PyTorch leaves open which of several equal elements comes first in sort, and which one topk, kthvalue and mode point
// to, but programs show it in what they print. Its choice follows from the comparisons that its algorithms make: these
// are sort, partial_sort and nth_element of backends/cpu/comparison_steps.hpp by key alone, and for kthvalue Hoare's
// selection around the median of three. Where equal elements compete the same steps are taken here. Where they do not,
// the digits of the keys give the result faster. In long rows sort leaves equal elements as they were, which is fast,
// and is as good an answer. The median is the element that a stable sort brings to the middle.

constexpr int64_t kLong = 4096;  // from here on counting digits pays
constexpr int64_t kFew = 256;    // keys that need no counting any more
constexpr int64_t kTile = 64;

// ---- by counting digits

// The key at place k of the n keys in order. Overwrites the keys.
template <class K>
K kth_key(K* keys, int64_t n, int64_t k) {
  constexpr int kWidth = 11;
  constexpr size_t kMask = (size_t(1) << kWidth) - 1;
  for (int shift = 8 * sizeof(K) - kWidth; n > kFew; shift = std::max(0, shift - kWidth)) {
    int64_t counts[kMask + 1] = {};
    for (int64_t i = 0; i < n; ++i) ++counts[keys[i] >> shift & kMask];
    size_t digit = 0;
    for (; k >= counts[digit]; ++digit) k -= counts[digit];
    int64_t kept = 0;
    for (int64_t i = 0; i < n; ++i) {
      K key = keys[i];
      keys[kept] = key;
      kept += (key >> shift & kMask) == digit;
    }
    if (shift == 0) return keys[0];
    n = kept;
  }
  steps::nth_element(keys, keys + k, keys + n);
  return keys[k];
}

// As kth_key, for a row of elements.
template <class T, class K>
K kth_key_of(const T* x, int64_t n, int64_t k, Entry<K>* scratch) {
  auto* keys = reinterpret_cast<K*>(scratch);
  for (int64_t i = 0; i < n; ++i) keys[i] = order_key(x[i]);
  return kth_key(keys, n, k);
}

// Which elements of a row have a key: how many, the place of the first one in sorted order, and where the last one is.
struct Equals {
  int64_t count = 0, place = 0, last = 0;
};
template <class T, class K>
Equals find_equals(const T* x, int64_t n, K key) {
  Equals e;
  for (int64_t begin = 0; begin < n; begin += kTile) {
    K before = 0, same = 0;
    for (int64_t i = begin; i < std::min(n, begin + kTile); ++i) {
      K other = order_key(x[i]);
      before += other < key;
      same += other == key;
    }
    e.place += static_cast<int64_t>(before);
    e.count += static_cast<int64_t>(same);
    if (same) e.last = std::min(n, begin + kTile) - 1;
  }
  while (order_key(x[e.last]) != key) --e.last;
  return e;
}

// ---- topk

// steps::partial_sort of the row's entries, where only the first k of them are in memory.
template <class T, class K>
void smallest_by_heap(const T* x, int64_t n, int64_t k, bool reversed, Entry<K>* heap) {
  make_entries(x, k, reversed, heap);
  steps::make_heap(heap, heap + k);
  K flip = reversed ? ~K(0) : K(0), keys[kTile];
  for (int64_t begin = k; begin < n; begin += kTile) {
    int64_t length = std::min(kTile, n - begin);
    bool any = false;
    for (int64_t i = 0; i < length; ++i) keys[i] = order_key(x[begin + i]) ^ flip;
    for (int64_t i = 0; i < length; ++i) any |= keys[i] < heap[0].key;
    if (!any) continue;
    for (int64_t i = 0; i < length; ++i) {
      if (keys[i] >= heap[0].key) continue;
      steps::sink(heap, 0, k, Entry<K>{keys[i], static_cast<K>(begin + i)}, std::less<>());
    }
  }
  steps::sort_heap(heap, heap + k);
}

template <class T, class K>
void smallest(const T* x, int64_t n, int64_t k, bool reversed, bool sorted, Entry<K>* entries) {
  if (k * 64 <= n) return smallest_by_heap(x, n, k, reversed, entries);
  make_entries(x, n, reversed, entries);
  steps::nth_element(entries, entries + k - 1, entries + n);
  if (sorted) steps::sort(entries, entries + k - 1);
}

template <class T, class K>
void topk_typed(const TopElements& top) {
  const int64_t n = top.x.length, k = top.k;
  T* values = static_cast<T*>(top.values);
  for_rows(top.x.count, n, static_cast<size_t>(n) * sizeof(Entry<K>), [&](int64_t begin, int64_t end, void* scratch) {
    auto* entries = static_cast<Entry<K>*>(scratch);
    for (int64_t row = begin; row < end; ++row) {
      const T* from = static_cast<const T*>(top.x.data) + row * n;
      smallest(from, n, k, top.largest, top.sorted, entries);
      for (int64_t i = 0; i < k; ++i) {
        top.indices[row * k + i] = static_cast<int64_t>(entries[i].index);
        values[row * k + i] = from[entries[i].index];
      }
    }
  });
}

// ---- one element of each row

// Hoare's selection: afterwards the entry at place k is the one that sorting would bring there.
template <class K>
void select_kth(Entry<K>* a, int64_t n, int64_t k) {
  auto order = [a](int64_t i, int64_t j) {
    if (a[j] < a[i]) std::swap(a[i], a[j]);
  };
  int64_t left = 0, right = n - 1;
  while (right - left > 1) {
    std::swap(a[left + (right - left) / 2], a[left + 1]);
    order(left + 1, right);
    order(left, right);
    order(left + 1, left);  // the median of three is at `left` now
    Entry<K> pivot = a[left];
    int64_t i = left + 1, j = right;
    while (true) {
      while (a[++i] < pivot) {
      }
      while (pivot < a[--j]) {
      }
      if (j < i) break;
      std::swap(a[i], a[j]);
    }
    std::swap(a[left], a[j]);
    if (j <= k) left = i;
    if (j >= k) right = j - 1;
  }
  if (right == left + 1) order(left, right);
}

// Picks one element of each row: pick(row, entries) gives its index.
template <class T, class K, class Pick>
void pick_of_rows(const PickedElements& p, Pick pick) {
  int64_t n = p.x.length;
  T* values = static_cast<T*>(p.values);
  for_rows(p.x.count, n, static_cast<size_t>(n) * sizeof(Entry<K>), [&](int64_t begin, int64_t end, void* scratch) {
    auto* entries = static_cast<Entry<K>*>(scratch);
    for (int64_t row = begin; row < end; ++row) {
      const T* from = static_cast<const T*>(p.x.data) + row * n;
      p.indices[row] = pick(from, entries);
      values[row] = from[p.indices[row]];
    }
  });
}

template <class T, class K>
int64_t kth_index(const T* x, int64_t n, int64_t k, Entry<K>* entries) {
  if (n >= kLong) {
    Equals e = find_equals(x, n, kth_key_of(x, n, k, entries));
    if (e.count == 1) return e.last;
  }
  make_entries(x, n, false, entries);
  select_kth(entries, n, k);
  return static_cast<int64_t>(entries[k].index);
}

// The same, where equal elements are ordered by their indices.
template <class T, class K>
int64_t stable_kth_index(const T* x, int64_t n, int64_t k, Entry<K>* entries) {
  if (n >= kLong) {
    K key = kth_key_of(x, n, k, entries);
    Equals e = find_equals(x, n, key);
    int64_t at = e.last;
    for (int64_t later = e.place + e.count - 1 - k; later > 0; --later) {
      do --at;
      while (order_key(x[at]) != key);
    }
    return at;
  }
  make_entries(x, n, false, entries);
  steps::nth_element(entries, entries + k, entries + n, [](const Entry<K>& a, const Entry<K>& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  return static_cast<int64_t>(entries[k].index);
}

template <class T, class K>
int64_t median_index(const T* x, int64_t n, bool ignore_nan, Entry<K>* entries) {
  int64_t numbers = n;
  if constexpr (!std::is_integral_v<T>) {
    auto is_nan = [](T v) { return v != v; };
    bool any = false;
    for (int64_t i = 0; i < n; ++i) any |= is_nan(x[i]);
    if (any && !ignore_nan) return std::find_if(x, x + n, is_nan) - x;
    if (any) numbers -= std::count_if(x, x + n, is_nan);
  }
  return stable_kth_index(x, n, std::max<int64_t>(0, (numbers - 1) / 2), entries);
}

template <class T, class K>
int64_t mode_index(const T* x, int64_t n, Entry<K>* entries) {
  make_entries(x, n, false, entries);
  steps::sort(entries, entries + n);
  int64_t best = 0, longest = 0, length = 0;
  for (int64_t i = 0; i < n; ++i) {
    ++length;
    bool goes_on = i + 1 < n && entries[i].key == entries[i + 1].key;
    if (goes_on && !is_nan_key<T>(static_cast<OrderKey<T>>(entries[i].key))) continue;  // NaN equals nothing
    if (length > longest) longest = length, best = i;
    length = 0;
  }
  return static_cast<int64_t>(entries[best].index);
}

// Calls f with null pointers to the element type and the key type. Entries number their elements in the key's own
// width.
template <class F>
void with_types(const PackedRows& x, F f) {
  if (x.count == 0) return;
  if (size_of(x.dtype) < 8 && x.length > int64_t(0xffffffff)) {
    raise(PyExc_RuntimeError, "selecting from ", x.length, " elements of ", facts(x.dtype).tensor_name,
          " at once is not supported: convert them to a dtype of 64 bits first");
  }
  with_real_type(x.dtype, [&]<class T>(T* type) { f(type, static_cast<OrderKey<T>*>(nullptr)); });
}

void topk(const TopElements& top) {
  if (top.k) with_types(top.x, [&]<class T, class K>(T*, K*) { topk_typed<T, K>(top); });
}

void kth(const PickedElements& p, int64_t k) {
  int64_t n = p.x.length;
  with_types(p.x, [&]<class T, class K>(T*, K*) {
    pick_of_rows<T, K>(p, [=](const T* row, Entry<K>* entries) { return kth_index(row, n, k, entries); });
  });
}

void median(const PickedElements& p, bool ignore_nan) {
  int64_t n = p.x.length;
  with_types(p.x, [&]<class T, class K>(T*, K*) {
    pick_of_rows<T, K>(p, [=](const T* row, Entry<K>* entries) { return median_index(row, n, ignore_nan, entries); });
  });
}

void mode(const PickedElements& p) {
  int64_t n = p.x.length;
  with_types(p.x, [&]<class T, class K>(T*, K*) {
    pick_of_rows<T, K>(p, [=](const T* row, Entry<K>* entries) { return mode_index(row, n, entries); });
  });
}

}  // namespace

constinit const SelectKernels select_kernels{{topk}, {kth}, {median}, {mode}};

}  // namespace chainrule::cpu
