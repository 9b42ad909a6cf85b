// Looking rows up in a table.
#include "ops/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "autograd/inplace.hpp"
#include "backends/cpu/convert.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/arithmetic.hpp"
#include "ops/gather.hpp"
#include "ops/kernel_input.hpp"
#include "ops/reduce.hpp"
#include "ops/sweep.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

OpInfo kEmbedding{"embedding", "EmbeddingBackward0", "zeros with the rows of g added at the indices"};
OpInfo kEmbeddingBag{
    "embedding_bag", "EmbeddingBagBackward0",
    "zeros with the row of g of each bag added at the bag's indices; factors: g of the bag times the row"};
OpInfo kEmbeddingGradient{"embedding_dense_backward", "EmbeddingDenseBackwardBackward0",
                          "the rows of g at the indices"};

constexpr int64_t kCopyGrain = 64 * 1024;   // bytes
constexpr int64_t kPartBytes = 256 * 1024;  // of a gradient; half of a second-level cache
constexpr int64_t kRowsAhead = 8;           // rows come in no order that the processor could foresee

void fetch_row(const void* row, int64_t bytes) {
  cpu::fetch_ahead(static_cast<const char*>(row), std::min<int64_t>(bytes, 512));
}

// Which rows, and which of them count.
struct Lookup {
  Tensor indices;  // int64, contiguous
  int64_t rows, padding;
  bool by_frequency;

  const int64_t* begin() const { return indices.data<int64_t>(); }
  int64_t count() const { return indices.numel(); }
};

void check_indices(const Tensor& indices, const char* op) {
  if (indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32) return;
  std::string name = is_bool(indices.dtype()) ? std::string("CPUBoolType")
                                              : std::string("torch.") + facts(indices.dtype()).tensor_name + "Tensor";
  raise(PyExc_RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
        name, " instead (while checking arguments for ", op, ")");
}

void check_dense(bool sparse) {
  check(!sparse, "embedding: sparse=True needs sparse gradients, which chainrule does not have; leave it out");
}

[[noreturn]] void refuse_index(int64_t index, int64_t i, int64_t rows, int64_t padding, bool in_bag) {
  if (!in_bag) {
    raise(PyExc_IndexError, "index out of range in self: index ", index, " at position ", i, " of the indices, into ",
          rows, " rows");
  }
  if (padding >= 0) {
    raise(PyExc_RuntimeError, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be ", index);
  }
  raise(PyExc_RuntimeError, "Index ", i, " of input takes value ", index, " which is not in the valid range [0, ", rows,
        ")");
}

Lookup make_lookup(const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency, bool in_bag = false) {
  GradModeScope off(false);
  Lookup l{contiguous(to_dtype(indices, DType::Int64)), rows, padding, by_frequency};
  const int64_t* at = l.begin();
  for (int64_t i = 0; i < l.count(); ++i) {
    if (at[i] < 0 || at[i] >= rows) [[unlikely]]
      refuse_index(at[i], i, rows, padding, in_bag);
  }
  return l;
}

// What each row's gradient is multiplied by; empty when it is 1 for all.
template <class T>
std::vector<T> shares(const Lookup& l) {
  if (!l.by_frequency) return {};
  std::vector<T> result(static_cast<size_t>(l.rows));
  for (int64_t i = 0; i < l.count(); ++i) result[static_cast<size_t>(l.begin()[i])] += 1;
  for (T& count : result) count = count > 0 ? 1 / count : count;
  return result;
}

void copy_rows(const Lookup& l, const Tensor& from, const Tensor& to) {
  auto bytes = from.size(1) * static_cast<int64_t>(size_of(from.dtype()));
  if (bytes == 0) return;
  cpu::parallel_for(l.count(), std::max<int64_t>(1, kCopyGrain / bytes), [&](int64_t begin, int64_t end) {
    const int64_t* at = l.begin();
    for (int64_t i = begin; i < end; ++i) {
      if (i + kRowsAhead < end) fetch_row(from->data + at[i + kRowsAhead] * bytes, bytes);
      std::memcpy(to->data + i * bytes, from->data + at[i] * bytes, static_cast<size_t>(bytes));
    }
  });
}

// The places of the indices, by the part of the table that they lead to; within a part in their own order.
struct PlacesByPart {
  PlacesByPart(const Lookup& l, int64_t part_rows) : begins(static_cast<size_t>(l.rows / part_rows + 2)) {
    auto each = [&](auto use) {
      for (int64_t i = 0; i < l.count(); ++i) {
        if (l.begin()[i] != l.padding) use(i, static_cast<size_t>(l.begin()[i] / part_rows));
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
void add_rows(const Lookup& l, const T* from, T* to, int64_t width) {
  const std::vector<T> share = shares<T>(l);
  const int64_t bytes = width * static_cast<int64_t>(sizeof(T));
  const int64_t part_rows = std::max<int64_t>(1, kPartBytes / std::max<int64_t>(1, bytes));
  const PlacesByPart by_part(l, part_rows);
  cpu::parallel_for((l.rows + part_rows - 1) / part_rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = part * part_rows, rows = std::min(part_rows, l.rows - first);
      std::memset(to + first * width, 0, static_cast<size_t>(rows * bytes));
      const std::span<const int64_t> places = by_part.of(part);
      for (size_t k = 0; k < places.size(); ++k) {
        if (k + kRowsAhead < places.size()) fetch_row(from + places[k + kRowsAhead] * width, bytes);
        const int64_t row = l.begin()[places[k]];
        T* target = to + row * width;
        const T *source = from + places[k] * width, weight = share.empty() ? T(1) : share[static_cast<size_t>(row)];
        for (int64_t j = 0; j < width; ++j) target[j] += weight * source[j];
      }
    }
  });
}

// The transpose of add_rows.
template <class T>
void take_rows(const Lookup& l, const T* from, T* to, int64_t width) {
  std::vector<T> share = shares<T>(l);
  for (int64_t i = 0; i < l.count(); ++i) {
    int64_t row = l.begin()[i];
    T weight = row == l.padding ? T(0) : share.empty() ? T(1) : share[static_cast<size_t>(row)];
    for (int64_t j = 0; j < width; ++j) to[i * width + j] = weight * from[row * width + j];
  }
}

Dims result_sizes(const Tensor& indices, int64_t width) {
  Dims sizes(indices.sizes());
  sizes.push_back(width);
  return sizes;
}

Tensor gradient_of_embedding(const Tensor& g, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency);

Tensor gradient_of_gradient(const Tensor& g, const Tensor& indices, int64_t padding, bool by_frequency) {
  int64_t rows = g.size(0), width = g.size(1);
  Tensor out;
  {
    GradModeScope off(false);
    Lookup l = make_lookup(indices, rows, padding, by_frequency);
    Tensor from = prepared(g), to = empty(result_sizes(indices, width), from.dtype());
    with_kernel_type(to.dtype(), [&]<class T>(T) { take_rows<T>(l, from.data<T>(), to.data<T>(), width); });
    out = to_dtype(to, g.dtype());
  }
  return record(kEmbedding, out, {&g}, {&indices}, [rows, padding, by_frequency](Backward& b) {
    b.give(0, gradient_of_embedding(b.g(), b.saved(0), rows, padding, by_frequency));
  });
}

Tensor gradient_of_embedding(const Tensor& g, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency) {
  int64_t width = g.size(g.ndim() - 1);
  Tensor out;
  {
    GradModeScope off(false);
    Lookup l = make_lookup(indices, rows, padding, by_frequency);
    Tensor from = prepared(g), to = empty(Dims{rows, width}, from.dtype());
    with_kernel_type(to.dtype(), [&]<class T>(T) { add_rows<T>(l, from.data<T>(), to.data<T>(), width); });
    out = to_dtype(to, g.dtype());
  }
  return record(kEmbeddingGradient, out, {&g}, {&indices}, [padding, by_frequency](Backward& b) {
    b.give(0, gradient_of_gradient(b.g(), b.saved(0), padding, by_frequency));
  });
}

// Rows longer than the bound are scaled to it; each once, however often it is named.
template <class T>
void shrink_rows(const Lookup& l, T* table, int64_t width, double max_norm, double p) {
  std::vector<bool> seen(static_cast<size_t>(l.rows));
  for (int64_t i = 0; i < l.count(); ++i) {
    int64_t row = l.begin()[i];
    if (seen[static_cast<size_t>(row)]) continue;
    seen[static_cast<size_t>(row)] = true;
    T* values = table + row * width;
    double total = 0;
    for (int64_t j = 0; j < width; ++j) {
      double size = std::abs(static_cast<double>(values[j]));
      total = std::isinf(p) ? std::max(total, size) : total + std::pow(size, p);
    }
    double norm = std::isinf(p) ? total : std::pow(total, 1 / p);
    if (norm <= max_norm) continue;
    T scale = static_cast<T>(max_norm / (norm + 1e-7));
    for (int64_t j = 0; j < width; ++j) values[j] *= scale;
  }
}

// ---- bags of rows

// Which of n indices each bag holds: from its start to the next bag's, the last one to the end.
struct Bags {
  Tensor starts;  // int64, contiguous
  int64_t n;

  int64_t count() const { return starts.numel(); }
  int64_t begin(int64_t bag) const { return std::clamp<int64_t>(starts.data<int64_t>()[bag], 0, n); }
  int64_t end(int64_t bag) const { return bag + 1 < count() ? std::max(begin(bag), begin(bag + 1)) : n; }

  Tensor of_each_index() const {
    Tensor bags = zeros(Dims{n}, DType::Int64);
    for (int64_t b = 0; b < count(); ++b) std::fill(bags.data<int64_t>() + begin(b), bags.data<int64_t>() + end(b), b);
    return bags;
  }
};

// What a bag's sum is multiplied by in the mean: one over the number of rows that count.
std::vector<double> means_of(const Lookup& l, const Bags& bags) {
  std::vector<double> result;
  for (int64_t b = 0; b < bags.count(); ++b) {
    auto counts = [&](int64_t row) { return row != l.padding; };
    auto size = std::count_if(l.begin() + bags.begin(b), l.begin() + bags.end(b), counts);
    result.push_back(1.0 / static_cast<double>(std::max<int64_t>(size, 1)));
  }
  return result;
}

// Rows of halves are added up as floats.
template <class T>
void add_bags(const Lookup& l, const Bags& bags, const Tensor& table, const T* factors, T* to, int64_t width) {
  const Compute compute = compute_of(table.dtype());
  const auto add = kernels_of(record_of(OpId::add_scaled)).forward[static_cast<int>(compute)];
  const auto widen =
      CR_DISPATCH(convert_kernels)[static_cast<int>(table.dtype())][static_cast<int>(kernel_dtype(table.dtype()))];
  const bool is_half = size_of(table.dtype()) < sizeof(T);
  const auto bytes = width * static_cast<int64_t>(size_of(table.dtype()));
  const int64_t work = std::max<int64_t>(1, l.count() / std::max<int64_t>(1, bags.count()) * width);
  cpu::parallel_for(bags.count(), std::max<int64_t>(1, kCopyGrain / work), [&](int64_t first, int64_t last) {
    std::vector<T> widened(static_cast<size_t>(is_half ? width : 0));
    for (int64_t b = first; b < last; ++b) {
      T* target = to + b * width;
      std::fill(target, target + width, T(0));
      for (int64_t i = bags.begin(b), end = bags.end(b); i < end; ++i) {
        if (l.begin()[i] == l.padding) continue;
        const char* row = table->data + l.begin()[i] * bytes;
        if (is_half) widen(widened.data(), row, width);
        const void* in[] = {target, is_half ? static_cast<const void*>(widened.data()) : row};
        const double factor = factors ? static_cast<double>(factors[i]) : 1;
        add(target, in, width, &factor);
      }
    }
  });
}

Tensor bag_sums(const Lookup& l, const Bags& bags, const Tensor& weight, const Tensor& factors, bool mean) {
  GradModeScope off(false);
  Tensor table = contiguous(weight), scale = factors ? prepared(factors) : Tensor();
  Tensor out = empty(Dims{bags.count(), weight.size(1)}, kernel_dtype(weight.dtype()));
  const int64_t width = weight.size(1);
  with_kernel_type(out.dtype(), [&]<class T>(T) {
    add_bags(l, bags, table, scale ? scale.data<T>() : nullptr, out.data<T>(), width);
    if (!mean) return;
    std::vector<double> means = means_of(l, bags);
    for (int64_t b = 0; b < bags.count(); ++b) {
      const T share = static_cast<T>(means[static_cast<size_t>(b)]);
      for (T* at = out.data<T>() + b * width; at < out.data<T>() + (b + 1) * width; ++at) *at *= share;
    }
  });
  return to_dtype(out, weight.dtype());
}

}  // namespace

Tensor embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& starts, const Tensor& factors,
                     int64_t padding, bool by_frequency, bool mean, bool sparse) {
  check_dense(sparse);
  check_indices(indices, "embedding_bag");
  require_floating(weight, "embedding_bag");
  if (factors && factors.dtype() != weight.dtype()) {
    raise(PyExc_RuntimeError,
          "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
          "'per_sample_weights'; but type torch.",
          facts(weight.dtype()).tensor_name, "Tensor does not equal torch.", facts(factors.dtype()).tensor_name,
          "Tensor (while checking arguments for embedding_bag)");
  }
  const Lookup l = make_lookup(indices, weight.size(0), padding, by_frequency, true);
  Tensor begins;
  {
    GradModeScope off(false);
    begins = contiguous(to_dtype(starts, DType::Int64));
  }
  Tensor out = bag_sums(l, Bags{begins, l.count()}, weight, factors, mean);
  return record(
      kEmbeddingBag, out, {&weight, &factors}, {&weight, &indices, &begins, &factors},
      [padding, by_frequency, mean, weighted = static_cast<bool>(factors)](Backward& b) {
        Tensor weight = b.saved(0), indices = b.saved(1);
        const Lookup l = make_lookup(indices, weight.size(0), padding, by_frequency, true);
        const Bags bags{b.saved(2), l.count()};
        Tensor g = b.g();
        if (mean) {
          Tensor means = empty(Dims{bags.count(), 1}, DType::Float64);
          std::vector<double> values = means_of(l, bags);
          std::copy(values.begin(), values.end(), means.data<double>());
          g = g * to_dtype(means, g.dtype());
        }
        Tensor rows = index_select(g, 0, bags.of_each_index());
        if (weighted && b.needs(1)) {
          Tensor counted = to_dtype(elementwise(OpId::ne, {indices, Operand(Scalar::of_int(padding))}), g.dtype());
          b.give(1, sum(rows * embedding(weight, indices, padding, false, false), Dims{1}, false, {}) * counted);
        }
        if (!b.needs(0)) return;
        if (weighted) rows = rows * unsqueeze(b.saved(3), 1);
        b.give(0, gradient_of_embedding(rows, indices, weight.size(0), padding, by_frequency));
      });
}

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding, bool by_frequency, bool sparse) {
  check(weight.ndim() == 2, "'weight' must be 2-D");
  check_indices(indices, "embedding");
  check_dense(sparse);
  Tensor out = empty(result_sizes(indices, weight.size(1)), weight.dtype());
  {
    GradModeScope off(false);
    Lookup l = make_lookup(indices, weight.size(0), padding, by_frequency);
    copy_rows(l, contiguous(weight), out);
  }
  return record(kEmbedding, out, {&weight}, {&indices},
                [rows = weight.size(0), padding, by_frequency](Backward& b, Kept* kept) {
                  if (kept)
                    return kept->add("indices", Slot{0}, "padding_idx", padding, "scale_grad_by_freq", by_frequency,
                                     "sparse", false, "weight_sym_argsize_0", rows);
                  b.give(0, gradient_of_embedding(b.g(), b.saved(0), rows, padding, by_frequency));
                });
}

Tensor embedding_renorm_(const Tensor& weight, const Tensor& indices, double max_norm, double p) {
  check(weight.ndim() == 2, "'self' must be 2-D");
  check_indices(indices, "embedding_renorm_");
  require_floating(weight, "embedding_renorm_");
  check_inplace(weight, grad_enabled() && requires_grad(weight));
  check_no_overlap(weight);
  {
    GradModeScope off(false);
    Lookup l = make_lookup(indices, weight.size(0), -1, false);
    Tensor table = prepared(weight);
    with_kernel_type(table.dtype(),
                     [&]<class T>(T) { shrink_rows<T>(l, table.data<T>(), weight.size(1), max_norm, p); });
    if (table.get() != weight.get()) copy_elements(weight, table);
  }
  mark_written(weight);
  return weight;
}

}  // namespace chainrule
