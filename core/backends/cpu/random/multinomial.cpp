// Indices drawn by weight: by racing exponentials without replacement, by the cumulative table with it.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backends/cpu/comparison_steps.hpp"
#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/random/convert.hpp"

namespace chainrule::cpu::random {

namespace {

void require(bool ok, const char* text) {
  if (!ok) throw std::runtime_error(text);
}

template <class T>
void check_all(const T* weights, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double weight = double(Working<T>(weights[i]));
    require(weight >= 0 && !std::isinf(weight), "probability tensor contains either `inf`, `nan` or element < 0");
  }
}

template <class T>
void check_row(const T* weights, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    double weight = double(Working<T>(weights[i]));
    require(weight >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
    require(!std::isinf(weight), "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    sum += weight;
  }
  require(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
}

template <class T>
using Scored = std::pair<Working<T>, int64_t>;  // how good, and whose

// The best k, in order. Equal scores, common in 16 bits, end in the order in which these very algorithms leave them:
// PyTorch's topk runs the same ones, choosing by the same rule.
template <class T>
void best_first(std::vector<Scored<T>>& scored, int64_t k) {
  auto ahead = [](const Scored<T>& a, const Scored<T>& b) {
    return (std::isnan(a.first) && !std::isnan(b.first)) || a.first > b.first;
  };
  auto begin = scored.begin();
  if (k == 1) return std::iter_swap(begin, std::min_element(begin, scored.end(), ahead));
  if (k * 64 <= int64_t(scored.size())) return steps::partial_sort(begin, begin + k, scored.end(), ahead);
  steps::nth_element(begin, begin + k - 1, scored.end(), ahead);
  steps::sort(begin, begin + k - 1, ahead);
}

}  // namespace

template <class T>
void check_weights(const T* weights, int64_t rows, int64_t columns, bool together) {
  if (together) check_all(weights, rows * columns);
  for (int64_t row = 0; row < rows; ++row) check_row(weights + row * columns, columns);
}

// weight / exponential is largest where the exponential clock of that weight rings first.
template <class T>
void sample_without_replacement(int64_t* indices, const T* weights, const T* clocks, int64_t rows, int64_t columns,
                                int64_t samples) {
  std::vector<Scored<T>> scored(columns);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < columns; ++i) {
      int64_t at = row * columns + i;
      scored[i] = {Working<T>(T(Working<T>(weights[at]) / Working<T>(clocks[at]))), i};
    }
    best_first<T>(scored, samples);
    for (int64_t i = 0; i < samples; ++i) indices[row * samples + i] = scored[i].second;
  }
}

template <class T>
void search_table(MersenneTwister& generator, int64_t* indices, const T* weights, int64_t rows, int64_t columns,
                  int64_t samples) {
  std::vector<Working<T>> table(columns);
  for (int64_t row = 0; row < rows; ++row) {
    Working<T> sum = 0;
    for (int64_t i = 0; i < columns; ++i) table[i] = sum += Working<T>(weights[row * columns + i]);
    for (auto& entry : table) entry /= sum;
    table.back() = 1;
    for (int64_t i = 0; i < samples; ++i) {
      auto found = std::lower_bound(table.begin(), table.end(), generator.unit53(),
                                    [](Working<T> entry, double u) { return double(entry) < u; });
      indices[row * samples + i] = found - table.begin();
    }
  }
}

#define CR_FLOAT(T)                                                                                     \
  template void check_weights<T>(const T*, int64_t, int64_t, bool);                                     \
  template void sample_without_replacement<T>(int64_t*, const T*, const T*, int64_t, int64_t, int64_t); \
  template void search_table<T>(MersenneTwister&, int64_t*, const T*, int64_t, int64_t, int64_t);
CR_EACH_FLOAT(CR_FLOAT)
#undef CR_FLOAT

}  // namespace chainrule::cpu::random
