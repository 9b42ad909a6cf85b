// Stable sorting of keys by their digits, from the lowest to the highest.
#pragma once
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "backends/cpu/order_key.hpp"

namespace chainrule::cpu {
// What moves is eight bytes an element: its index, and 32 bits of its key. Keys are counted from the smallest one that
// occurs, so a narrow range has few digits. Of a range wider than 32 bits the highest 32 are sorted; elements that
// agree in those are few as a rule, and are then put in order among themselves.

using RadixEntry = Entry<uint32_t>;
inline constexpr int64_t kRadixLimit = int64_t(0xffffffff);  // more elements than indices have bits for

// How 32 bits of key are cut into digits.
struct RadixDigits {
  static constexpr int kMaxWidth = 11, kMaxCount = 4;  // 3 * 11 or 4 * 8 bits
  int count, width;                                    // of digits, of a digit in bits

  RadixDigits(int bits, int64_t n) {
    int widest = n >= 4096 ? kMaxWidth : 8;
    count = (bits + widest - 1) / widest;
    width = count ? (bits + count - 1) / count : 0;
  }
  int64_t values() const { return int64_t(1) << width; }
};

// counts[i * values + v]: how many keys have v as digit i. The number of digits is known to the compiler.
template <int count, class PartAt>
void count_digits(int64_t n, PartAt part_at, int width, uint32_t* counts) {
  uint32_t mask = (uint32_t(1) << width) - 1;
  for (int64_t i = 0; i < n; ++i) {
    uint32_t key = part_at(i);
    for (int k = 0; k < count; ++k) ++counts[(k << width) + (key >> (k * width) & mask)];
  }
}

// Counts of digit values become the places where the first of each goes. False: all have the same, nothing moves.
inline bool make_places(uint32_t* counts, int64_t values, int64_t n) {
  uint32_t sum = 0;
  for (int64_t v = 0; v < values; ++v) {
    if (counts[v] == static_cast<uint32_t>(n)) return false;
    sum += std::exchange(counts[v], sum);
  }
  return true;
}

template <class K>
void insertion_sort(Entry<K>* a, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    Entry<K> moving = a[i];
    int64_t j = i;
    for (; j > 0 && moving < a[j - 1]; --j) a[j] = a[j - 1];
    a[j] = moving;
  }
}

// Sorts entries i, whose 32 bits of key agree, by their whole keys.
template <class KeyAt>
void sort_run(RadixEntry* run, int64_t n, KeyAt key_at) {
  auto less = [&](const RadixEntry& a, const RadixEntry& b) { return key_at(a.index) < key_at(b.index); };
  if (n > 32) return std::stable_sort(run, run + n, less);
  for (int64_t i = 1; i < n; ++i) {
    RadixEntry moving = run[i];
    int64_t j = i;
    for (; j > 0 && less(moving, run[j - 1]); --j) run[j] = run[j - 1];
    run[j] = moving;
  }
}

// The smallest and the largest of n keys.
template <class KeyAt>
auto key_range(int64_t n, KeyAt key_at) {
  auto low = key_at(int64_t(0)), high = low;
  for (int64_t i = 1; i < n; ++i) {
    auto key = key_at(i);
    low = std::min(low, key), high = std::max(high, key);
  }
  return std::pair(low, high);
}

// Moves n entries to the places of their digits. Each digit's place is in a line of memory of its own, more of them
// than the processor foresees.
template <class EntryAt>
void move_by_digit(int64_t n, EntryAt entry_at, int shift, uint32_t mask, uint32_t* places, RadixEntry* to) {
  constexpr int kAhead = 16;
  for (int64_t i = 0; i < n; ++i) {
    RadixEntry e = entry_at(i);
    uint32_t at = places[e.key >> shift & mask]++;
    __builtin_prefetch(to + at + kAhead, 1);
    to[at] = e;
  }
}

// Sorts by the 32 bits part_at(i), of which the lowest `bits` count.
template <class PartAt>
RadixEntry* sort_by_digits(int64_t n, PartAt part_at, int bits, RadixEntry* a, RadixEntry* b) {
  RadixDigits d(bits, n);
  uint32_t counts[RadixDigits::kMaxCount << RadixDigits::kMaxWidth], mask = static_cast<uint32_t>(d.values() - 1);
  std::memset(counts, 0, static_cast<size_t>(d.count * d.values()) * sizeof *counts);
  (d.count == 1   ? count_digits<1, PartAt>
   : d.count == 2 ? count_digits<2, PartAt>
   : d.count == 3 ? count_digits<3, PartAt>
                  : count_digits<4, PartAt>)(d.count ? n : 0, part_at, d.width, counts);
  auto first = [part_at](int64_t i) { return RadixEntry{part_at(i), static_cast<uint32_t>(i)}; };
  bool made = false;
  for (int k = 0; k < d.count; ++k) {
    uint32_t* places = counts + k * d.values();
    if (!make_places(places, d.values(), n)) continue;
    if (made)
      move_by_digit(n, [a](int64_t i) { return a[i]; }, k * d.width, mask, places, b);
    else
      move_by_digit(n, first, k * d.width, mask, places, b);
    made = true;
    std::swap(a, b);
  }
  if (!made) {
    for (int64_t i = 0; i < n; ++i) a[i] = first(i);
  }
  return a;
}

// The order of the n keys key_at(0), key_at(1) ...: the index of the smallest first, and so on. Works in two arrays of
// n entries each and returns the one with the result; only indices are meant to be read.
template <class KeyAt>
RadixEntry* radix_sort(int64_t n, KeyAt key_at, RadixEntry* a, RadixEntry* b) {
  auto [low, high] = key_range(n, key_at);
  int bits = std::bit_width(high - low), shift = std::max(0, bits - 32);
  auto part = [key_at, low = low, shift](int64_t i) { return static_cast<uint32_t>((key_at(i) - low) >> shift); };
  RadixEntry* sorted = sort_by_digits(n, part, bits - shift, a, b);
  for (int64_t begin = 0, end; shift > 0 && begin < n; begin = end) {
    for (end = begin + 1; end < n && sorted[end].key == sorted[begin].key; ++end) {
    }
    if (end - begin > 1) sort_run(sorted + begin, end - begin, key_at);
  }
  return sorted;
}

}  // namespace chainrule::cpu
