// Sorting and selecting by comparisons whose every step is fixed here: where equal elements compete, the steps decide.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

// PyTorch is built with GNU's C++ library, so which of equal elements its topk and mode point to is decided by the
// steps of that library's introsort, quick selection and binary heaps. Other libraries (a wheel has clang's inside)
// take other steps. These are GNU's, so that the results do not depend on what the core was built with: quick
// partitions around the median of the second, the middle and the last element, down to sixteen elements, heaps where
// partitions go wrong, and an insertion sort at the end.
namespace chainrule::cpu::steps {

constexpr int64_t kInsertion = 16;

// ---- insertion

template <class I, class Less>
void insert(I at, Less less) {  // something before `at` is not greater
  auto value = std::move(*at);
  for (; less(value, *(at - 1)); --at) *at = std::move(*(at - 1));
  *at = std::move(value);
}

template <class I, class Less>
void insertion_sort(I first, I last, Less less) {
  for (I at = first; at != last; ++at) {
    if (at != first && less(*at, *first)) {
      std::rotate(first, at, at + 1);
    } else if (at != first) {
      steps::insert(at, less);
    }
  }
}

// ---- heaps, whose greatest element comes first

template <class I, class T, class Less>
void rise(I heap, int64_t hole, int64_t top, T value, Less less) {
  for (int64_t parent; hole > top && less(heap[parent = (hole - 1) / 2], value); hole = parent) {
    heap[hole] = std::move(heap[parent]);
  }
  heap[hole] = std::move(value);
}

// Puts a value into the hole: the greater child moves up until there is none, then the value rises.
template <class I, class T, class Less>
void sink(I heap, int64_t hole, int64_t size, T value, Less less) {
  const int64_t top = hole;
  for (int64_t child; (child = 2 * hole + 1) < size; hole = child) {
    if (child + 1 < size && !less(heap[child + 1], heap[child])) ++child;
    heap[hole] = std::move(heap[child]);
  }
  steps::rise(heap, hole, top, std::move(value), less);
}

template <class I, class Less = std::less<>>
void make_heap(I first, I last, Less less = {}) {
  const int64_t size = last - first;
  for (int64_t at = size / 2 - 1; at >= 0; --at)
    steps::sink(first, at, size, typename std::iterator_traits<I>::value_type(std::move(first[at])), less);
}

// The greatest element goes to `to`, and what was there into the heap.
template <class I, class Less>
void exchange_top(I first, I last, I to, Less less) {
  auto value = std::move(*to);
  *to = std::move(*first);
  steps::sink(first, 0, last - first, std::move(value), less);
}

template <class I, class Less = std::less<>>
void sort_heap(I first, I last, Less less = {}) {
  while (last - first > 1) {
    --last;
    steps::exchange_top(first, last, last, less);
  }
}

// The smallest elements of [first, last) as a heap in [first, middle).
template <class I, class Less>
void gather_smallest(I first, I middle, I last, Less less) {
  steps::make_heap(first, middle, less);
  for (I at = middle; at < last; ++at) {
    if (less(*at, *first)) steps::exchange_top(first, middle, at, less);
  }
}

template <class I, class Less = std::less<>>
void partial_sort(I first, I middle, I last, Less less = {}) {
  steps::gather_smallest(first, middle, last, less);
  steps::sort_heap(first, middle, less);
}

// ---- partitions

template <class I, class Less>
I median_of_three(I a, I b, I c, Less less) {
  if (less(*a, *b)) return less(*b, *c) ? b : less(*a, *c) ? c : a;
  return less(*a, *c) ? a : less(*b, *c) ? c : b;
}

// Where the part of the elements begins that are not less than the median, which stays in the first place.
template <class I, class Less>
I partition(I first, I last, Less less) {
  std::iter_swap(first, steps::median_of_three(first + 1, first + (last - first) / 2, last - 1, less));
  I low = first + 1, high = last;
  while (true) {
    while (less(*low, *first)) ++low;
    --high;
    while (less(*first, *high)) --high;
    if (!(low < high)) return low;
    std::iter_swap(low, high);
    ++low;
  }
}

inline int most_partitions(int64_t size) { return 2 * (std::bit_width(uint64_t(size)) - 1); }

template <class I, class Less>
void sort_roughly(I first, I last, int partitions, Less less) {
  for (; last - first > kInsertion; --partitions) {
    if (partitions == 0) return steps::partial_sort(first, last, last, less);
    const I cut = steps::partition(first, last, less);
    steps::sort_roughly(cut, last, partitions - 1, less);
    last = cut;
  }
}

template <class I, class Less = std::less<>>
void sort(I first, I last, Less less = {}) {
  if (last - first < 2) return;
  steps::sort_roughly(first, last, most_partitions(last - first), less);
  const I begun = first + std::min<int64_t>(kInsertion, last - first);
  steps::insertion_sort(first, begun, less);
  for (I at = begun; at != last; ++at) steps::insert(at, less);
}

template <class I, class Less = std::less<>>
void nth_element(I first, I nth, I last, Less less = {}) {
  if (first == last || nth == last) return;
  for (int partitions = most_partitions(last - first); last - first > 3; --partitions) {
    if (partitions == 0) {
      steps::gather_smallest(first, nth + 1, last, less);
      return std::iter_swap(first, nth);
    }
    const I cut = steps::partition(first, last, less);
    (cut <= nth ? first : last) = cut;
  }
  steps::insertion_sort(first, last, less);
}

}  // namespace chainrule::cpu::steps
