#include "backends/embedding.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "backends/cpu/convert.hpp"
#include "backends/cpu/embedding.hpp"
#include "backends/cpu/kernel_type.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/stream.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kCopyGrain = 64 * 1024;   // bytes
constexpr int64_t kPartBytes = 256 * 1024;  // of a gradient; half of a second-level cache
constexpr int64_t kRowsAhead = 8;           // rows come in no order that the processor could foresee

void fetch_row(const void* row, int64_t bytes) {
  fetch_ahead(static_cast<const char*>(row), std::min<int64_t>(bytes, 512));
}

// What each row's gradient is multiplied by; empty when it is 1 for all.
template <class T>
std::vector<T> shares(const Lookup& l) {
  if (!l.by_frequency) return {};
  std::vector<T> result(static_cast<size_t>(l.rows));
  for (int64_t i = 0; i < l.count; ++i) result[static_cast<size_t>(l.indices[i])] += 1;
  for (T& count : result) count = count > 0 ? 1 / count : count;
  return result;
}

// The places of the indices, by the part of the table that they lead to; within a part in their own order.
struct PlacesByPart {
  PlacesByPart(const Lookup& l, int64_t part_rows) : begins(static_cast<size_t>(l.rows / part_rows + 2)) {
    auto each = [&](auto use) {
      for (int64_t i = 0; i < l.count; ++i) {
        if (l.indices[i] != l.padding) use(i, static_cast<size_t>(l.indices[i] / part_rows));
      }
    };
    each([&](int64_t, size_t part) { ++begins[part + 1]; });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    places.resize(static_cast<size_t>(begins.back()));
    std::vector<int64_t> next = begins;
    each([&](int64_t i, size_t part) { places[static_cast<size_t>(next[part]++)] = i; });
  }
  std::span<const int64_t> of(int64_t part) const {
    return {places.data() + begins[static_cast<size_t>(part)], places.data() + begins[static_cast<size_t>(part) + 1]};
  }

  std::vector<int64_t> begins, places;
};

// Each part of the table is zeroed and filled while it is in the cache, in the order of the indices.
template <class T>
void add_rows(const Lookup& l, const T* from, T* to) {
  const int64_t width = l.width;
  const std::vector<T> share = shares<T>(l);
  const int64_t bytes = width * static_cast<int64_t>(sizeof(T));
  const int64_t part_rows = std::max<int64_t>(1, kPartBytes / std::max<int64_t>(1, bytes));
  const PlacesByPart by_part(l, part_rows);
  parallel_for((l.rows + part_rows - 1) / part_rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = part * part_rows, rows = std::min(part_rows, l.rows - first);
      std::memset(to + first * width, 0, static_cast<size_t>(rows * bytes));
      const std::span<const int64_t> places = by_part.of(part);
      for (size_t k = 0; k < places.size(); ++k) {
        if (k + kRowsAhead < places.size()) fetch_row(from + places[k + kRowsAhead] * width, bytes);
        const int64_t row = l.indices[places[k]];
        T* target = to + row * width;
        const T *source = from + places[k] * width, weight = share.empty() ? T(1) : share[static_cast<size_t>(row)];
        for (int64_t j = 0; j < width; ++j) target[j] += weight * source[j];
      }
    }
  });
}

// The transpose of add_rows.
template <class T>
void take_rows(const Lookup& l, const T* from, T* to) {
  std::vector<T> share = shares<T>(l);
  for (int64_t i = 0; i < l.count; ++i) {
    int64_t row = l.indices[i];
    T weight = row == l.padding ? T(0) : share.empty() ? T(1) : share[static_cast<size_t>(row)];
    for (int64_t j = 0; j < l.width; ++j) to[i * l.width + j] = weight * from[row * l.width + j];
  }
}

template <class T>
void shrink_rows(const LookupShrink& s) {
  const Lookup& l = s.lookup;
  const int64_t width = l.width;
  const double p = s.p;
  std::vector<bool> seen(static_cast<size_t>(l.rows));
  for (int64_t i = 0; i < l.count; ++i) {
    int64_t row = l.indices[i];
    if (seen[static_cast<size_t>(row)]) continue;
    seen[static_cast<size_t>(row)] = true;
    T* values = static_cast<T*>(s.table) + row * width;
    double total = 0;
    for (int64_t j = 0; j < width; ++j) {
      double size = std::abs(static_cast<double>(values[j]));
      total = std::isinf(p) ? std::max(total, size) : total + std::pow(size, p);
    }
    double norm = std::isinf(p) ? total : std::pow(total, 1 / p);
    if (norm <= s.max_norm) continue;
    T scale = static_cast<T>(s.max_norm / (norm + 1e-7));
    for (int64_t j = 0; j < width; ++j) values[j] *= scale;
  }
}

// ---- bags of rows

double share_of(const Lookup& l, const Bags& bags, int64_t bag) {
  const auto counts = [&](int64_t row) { return row != l.padding; };
  const auto size = std::count_if(l.indices + bags.begin(bag), l.indices + bags.end(bag), counts);
  return 1.0 / static_cast<double>(std::max<int64_t>(size, 1));
}

void add_row(const float* row, float factor, float* to, int64_t n) { CR_DISPATCH(add_float_row)(row, factor, to, n); }
void add_row(const double* row, double factor, double* to, int64_t n) {
  CR_DISPATCH(add_double_row)(row, factor, to, n);
}

// Rows of halves are added up as floats.
template <class T>
void add_bags(const BagSums& s) {
  const Lookup& l = s.lookup;
  const Bags& bags = s.bags;
  const int64_t width = l.width;
  const auto* factors = static_cast<const T*>(s.factors);
  const DType wide = sizeof(T) == 8 ? DType::Float64 : DType::Float32;
  const auto widen = convert_kernel(s.dtype, wide);
  const bool is_half = size_of(s.dtype) < sizeof(T);
  const auto bytes = width * static_cast<int64_t>(size_of(s.dtype));
  const int64_t work = std::max<int64_t>(1, l.count / std::max<int64_t>(1, bags.count) * width);
  parallel_for(bags.count, std::max<int64_t>(1, kCopyGrain / work), [&](int64_t first, int64_t last) {
    std::vector<T> widened(static_cast<size_t>(is_half ? width : 0));
    for (int64_t b = first; b < last; ++b) {
      T* target = static_cast<T*>(s.to) + b * width;
      std::fill(target, target + width, T(0));
      for (int64_t i = bags.begin(b), end = bags.end(b); i < end; ++i) {
        if (l.indices[i] == l.padding) continue;
        const char* row = static_cast<const char*>(s.table) + l.indices[i] * bytes;
        if (is_half) widen(widened.data(), row, width);
        add_row(is_half ? widened.data() : reinterpret_cast<const T*>(row), factors ? factors[i] : T(1), target, width);
      }
      if (!s.mean) continue;
      const T share = static_cast<T>(share_of(l, bags, b));
      for (int64_t j = 0; j < width; ++j) target[j] *= share;
    }
  });
}

// ---- by dtype

void copy(const LookupCopy& c) {
  const Lookup& l = c.lookup;
  const auto bytes = l.width * static_cast<int64_t>(size_of(c.dtype));
  if (bytes == 0) return;
  const auto* from = static_cast<const char*>(c.from);
  auto* to = static_cast<char*>(c.to);
  parallel_for(l.count, std::max<int64_t>(1, kCopyGrain / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i + kRowsAhead < end) fetch_row(from + l.indices[i + kRowsAhead] * bytes, bytes);
      std::memcpy(to + i * bytes, from + l.indices[i] * bytes, static_cast<size_t>(bytes));
    }
  });
}

void add(const LookupCopy& c) {
  with_kernel_type(c.dtype,
                   [&]<class T>(T) { add_rows(c.lookup, static_cast<const T*>(c.from), static_cast<T*>(c.to)); });
}

void take(const LookupCopy& c) {
  with_kernel_type(c.dtype,
                   [&]<class T>(T) { take_rows(c.lookup, static_cast<const T*>(c.from), static_cast<T*>(c.to)); });
}

void shrink(const LookupShrink& s) {
  with_kernel_type(s.dtype, [&]<class T>(T) { shrink_rows<T>(s); });
}

void bag_sums(const BagSums& s) {
  with_kernel_type(s.dtype, [&]<class T>(T) { add_bags<T>(s); });
}

void bag_shares(const BagShares& s) {
  for (int64_t b = 0; b < s.bags.count; ++b) s.to[b] = share_of(s.lookup, s.bags, b);
}

void bag_numbers(const BagNumbers& n) {
  for (int64_t b = 0; b < n.bags.count; ++b) std::fill(n.to + n.bags.begin(b), n.to + n.bags.end(b), b);
}

}  // namespace

constinit const EmbeddingKernels embedding_kernels{{copy},     {add},        {take},       {shrink},
                                                   {bag_sums}, {bag_shares}, {bag_numbers}};

}  // namespace chainrule::cpu
