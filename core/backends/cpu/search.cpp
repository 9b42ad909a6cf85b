// Finding places in sorted rows: several values at a time, halving together, without branches to mispredict.
#include "backends/search.hpp"

#include <algorithm>
#include <bit>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/element_type.hpp"

namespace chainrule::cpu {
namespace {

constexpr int kAbreast = 16;  // searches that wait for memory at the same time
constexpr int64_t kGrain = 4096;

// Where results go: int32 or int64.
struct Places {
  void* data;
  bool narrow;

  void store(int64_t at, const int64_t* places, int count) const {
    if (narrow)
      std::copy_n(places, count, static_cast<int32_t*>(data) + at);
    else
      std::copy_n(places, count, static_cast<int64_t*>(data) + at);
  }
};

// The places of `count` values, at most kAbreast, among n boundaries. The halves are PyTorch's, so that boundaries
// which are not in order, or contain NaN, give the same.
template <bool right, class T, class At>
void search_abreast(At boundary_at, int64_t n, const T* values, int count, int64_t* places) {
  auto is_before = [=](int64_t i, T value) {
    T boundary = boundary_at(i);
    return right ? !(boundary > value) : !(boundary >= value);
  };
  int64_t start[kAbreast], left[kAbreast];
  std::fill(start, start + count, 0);
  std::fill(left, left + count, n);
  for (int step = std::bit_width(static_cast<uint64_t>(n + 1)) - 1; step > 0; --step) {  // all have elements left
    for (int i = 0; i < count; ++i) {
      // Masks, for the compiler makes a branch of a choice here, and half of the guesses would be wrong.
      const int64_t half = left[i] >> 1, rest = left[i] - half - 1;
      const int64_t before = -static_cast<int64_t>(is_before(start[i] + half, values[i]));
      start[i] += before & (half + 1);
      left[i] = half + (before & (rest - half));
    }
  }
  for (int i = 0; i < count; ++i) {  // one element, or none
    places[i] = start[i] + (left[i] > 0 && is_before(start[i], values[i]));
  }
}

template <bool right, class T>
void search_typed(const SearchedValues& v) {
  const SortedRows& s = v.in;
  const T* values = static_cast<const T*>(v.values);
  const Places out{v.out, v.narrow};
  const int64_t count = v.count;
  int64_t total = std::max<int64_t>(s.rows, 1) * count;
  parallel_for(total, kGrain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t row = begin / count, row_end = (row + 1) * count;
      auto abreast = static_cast<int>(std::min<int64_t>({kAbreast, end - begin, row_end - begin}));
      int64_t places[kAbreast];
      const T* boundaries = static_cast<const T*>(s.boundaries) + row * s.length;
      if (s.sorter) {
        auto sorted = [boundaries, order = s.sorter + row * s.length](int64_t i) { return boundaries[order[i]]; };
        search_abreast<right>(sorted, s.length, values + begin, abreast, places);
      } else {
        auto plain = [boundaries](int64_t i) { return boundaries[i]; };
        search_abreast<right>(plain, s.length, values + begin, abreast, places);
      }
      out.store(begin, places, abreast);
      begin += abreast;
    }
  });
}

void search_rows(const SearchedValues& v) {
  if (v.count == 0) return;
  with_real_type(v.in.dtype, [&]<class T>(T*) { (v.right ? search_typed<true, T> : search_typed<false, T>)(v); });
}

}  // namespace

constinit const SearchKernels search_kernels{{search_rows}};

}  // namespace chainrule::cpu
