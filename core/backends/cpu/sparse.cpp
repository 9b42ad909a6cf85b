#include "backends/sparse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/sparse_rows.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 256 * 1024;  // multiplications

int64_t start_at(const SparseRows& rows, int64_t r) {
  return rows.narrow ? static_cast<const int32_t*>(rows.starts)[r] : static_cast<const int64_t*>(rows.starts)[r];
}

// Calls f(begin, end) for ranges of rows of about equal work, whatever the lengths of the rows.
template <class F>
void for_equal_work(const SparseRows& rows, int64_t width, F f) {
  const int64_t entries = start_at(rows, rows.count), each = std::max<int64_t>(1, width);
  const int64_t parts = std::clamp<int64_t>((entries + rows.count) * each / kGrain, 1, 1024);
  const auto first_row = [&](int64_t part) {
    // A row counts as one entry more than it has, so that empty rows are shared out too.
    const int64_t wanted = (entries + rows.count) / parts * part;
    int64_t low = 0, high = rows.count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (start_at(rows, middle) + middle < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  parallel_for(parts, 1,
               [&](int64_t begin, int64_t end) { f(first_row(begin), end == parts ? rows.count : first_row(end)); });
}

void product(const SparseProduct& p) {
  const auto kernel = CR_DISPATCH(multiply_sparse_rows);
  for_equal_work(p.rows, p.width, [&](int64_t begin, int64_t end) { kernel(p, begin, end); });
}

// Threads take columns of the result, so each sum is formed in the order of the rows.
void transposed_product(const SparseProduct& p) {
  const auto kernel = CR_DISPATCH(multiply_transposed_columns);
  const int64_t entries = start_at(p.rows, p.rows.count) + 1;
  const int64_t line = 64 / static_cast<int64_t>(size_of(p.dtype));
  const int64_t lines = (p.width + line - 1) / line;
  const int64_t grain = num_threads() == 1 ? lines : std::max<int64_t>(1, kGrain / (entries * line));
  parallel_for(lines, grain,
               [&](int64_t begin, int64_t end) { kernel(p, begin * line, std::min(p.width, end * line)); });
}

void sample(const SparseSample& s) {
  const auto kernel = CR_DISPATCH(sample_sparse_rows);
  for_equal_work(s.rows, s.width, [&](int64_t begin, int64_t end) { kernel(s, begin, end); });
}

// ---- sorting

// Each pass moves the entries by one digit of their keys. An entry is its key and below it its place, where both fit
// in one word.
void sort_packed(std::vector<uint64_t>& entries, int low, int high) {
  constexpr int kDigit = 11;
  const int passes = (high - low + kDigit - 1) / kDigit;
  const int width = passes ? (high - low + passes - 1) / passes : 0;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  std::vector<uint64_t> other(entries.size());
  std::vector<size_t> places(size_t{1} << width);
  for (int pass = 0, shift = low; pass < passes; ++pass, shift += width) {
    std::fill(places.begin(), places.end(), 0);
    for (const uint64_t e : entries) ++places[e >> shift & mask];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), size_t{0});
    for (const uint64_t e : entries) other[places[e >> shift & mask]++] = e;
    entries.swap(other);
  }
}

void order_packed(const SparseOrder& s, int place_bits, int key_bits) {
  std::vector<uint64_t> entries(static_cast<size_t>(s.n));
  for (int64_t i = 0; i < s.n; ++i)
    entries[static_cast<size_t>(i)] = static_cast<uint64_t>(s.keys[i]) << place_bits | static_cast<uint64_t>(i);
  sort_packed(entries, place_bits, place_bits + key_bits);
  const uint64_t mask = (uint64_t{1} << place_bits) - 1;
  for (int64_t i = 0; i < s.n; ++i) s.order[i] = static_cast<int64_t>(entries[static_cast<size_t>(i)] & mask);
}

void order(const SparseOrder& s) {
  const int place_bits = std::bit_width(static_cast<uint64_t>(s.n));
  const int key_bits = std::bit_width(static_cast<uint64_t>(s.bound));
  if (std::is_sorted(s.keys, s.keys + s.n)) {
    std::iota(s.order, s.order + s.n, int64_t{0});
  } else if (place_bits + key_bits <= 64) {
    order_packed(s, place_bits, key_bits);
  } else {
    std::iota(s.order, s.order + s.n, int64_t{0});
    std::stable_sort(s.order, s.order + s.n, [&](int64_t a, int64_t b) { return s.keys[a] < s.keys[b]; });
  }
  int64_t runs = 0;
  for (int64_t i = 0; i < s.n; ++i) {
    if (i == 0 || s.keys[s.order[i]] != s.keys[s.order[i - 1]]) s.starts[runs++] = i;
  }
  *s.runs = runs;
}

void run_sums(const SparseRunSums& s) {
  const auto kernel = CR_DISPATCH(sum_sparse_runs);
  const int64_t work = std::max<int64_t>(1, s.n / std::max<int64_t>(1, s.runs) * s.width);
  parallel_for(s.runs, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) { kernel(s, begin, end); });
}

// ---- rows of a table

// Threads take ranges of the table's rows, so that values of one row are added in their order.
void add_rows(const SparseAddition& a) {
  const SparseUpdate& u = a.update;
  const auto kernel = CR_DISPATCH(add_sparse_rows);
  const int64_t parts = num_threads() == 1 ? 1 : std::clamp<int64_t>(u.n * u.width / kGrain, 1, 64);
  const int64_t each = (u.count + parts - 1) / parts;
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) { kernel(a, begin * each, std::min(u.count, end * each)); });
}

void adam(const SparseAdam& s) {
  const auto kernel = CR_DISPATCH(adam_sparse_rows);
  const int64_t grain = std::max<int64_t>(1, kGrain / 4 / std::max<int64_t>(1, s.update.width));
  parallel_for(s.update.n, grain, [&](int64_t begin, int64_t end) { kernel(s, begin, end); });
}

}  // namespace

constinit const SparseKernels sparse_kernels{{product},  {transposed_product}, {sample}, {order},
                                             {run_sums}, {add_rows},           {adam}};

}  // namespace chainrule::cpu
