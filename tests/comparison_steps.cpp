// Runs core/backends/cpu/comparison_steps.hpp beside GNU's C++ library on many short arrays full of equal elements:
// each step that the two take has to be the same, so where every element ends up has to be.
#include "backends/cpu/comparison_steps.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#ifndef __GLIBCXX__
#error "compares with GNU's C++ library"
#endif

namespace steps = chainrule::cpu::steps;

struct Entry {
  int key, index;
  bool operator==(const Entry&) const = default;
};
bool less(const Entry& a, const Entry& b) { return a.key < b.key; }

using Entries = std::vector<Entry>;
int failures = 0;

template <class F, class G>
void compare(const char* name, const Entries& start, F ours, G theirs) {
  Entries a = start, b = start;
  ours(a);
  theirs(b);
  if (a == b) return;
  if (++failures < 5) std::printf("%s of %zu elements differs\n", name, start.size());
}

void compare_all(const Entries& start, size_t k) {
  compare(
      "sort", start, [](Entries& e) { steps::sort(e.begin(), e.end(), less); },
      [](Entries& e) { std::sort(e.begin(), e.end(), less); });
  compare(
      "nth_element", start, [=](Entries& e) { steps::nth_element(e.begin(), e.begin() + k, e.end(), less); },
      [=](Entries& e) { std::nth_element(e.begin(), e.begin() + k, e.end(), less); });
  compare(
      "partial_sort", start, [=](Entries& e) { steps::partial_sort(e.begin(), e.begin() + k, e.end(), less); },
      [=](Entries& e) { std::partial_sort(e.begin(), e.begin() + k, e.end(), less); });
  compare(
      "make_heap", start, [](Entries& e) { steps::make_heap(e.begin(), e.end(), less); },
      [](Entries& e) { std::make_heap(e.begin(), e.end(), less); });
}

// An order that makes quick partitions go wrong, so that both turn to heaps: the median of three is always small.
Entries adversary(int n) {
  Entries e(n);
  for (int i = 0; i < n; ++i) e[i] = {i % 2 ? i / 2 + n / 2 : i / 2, i};
  return e;
}

int main() {
  std::mt19937 random(0);
  for (int round = 0; round < 20000; ++round) {
    const int n = 1 + int(random() % (round % 10 ? 70 : 2000)), keys = 1 + int(random() % 20);
    Entries start(n);
    for (int i = 0; i < n; ++i) start[i] = {int(random() % keys), i};
    if (round % 7 == 0) std::sort(start.begin(), start.end(), less);
    compare_all(start, random() % n);
  }
  for (int n : {17, 100, 1000, 5000}) compare_all(adversary(n), n / 3);
  if (failures == 0) std::puts("the steps are the same");
  return failures != 0;
}
