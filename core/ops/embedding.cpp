// Looking rows up in a table.
#include "ops/embedding.hpp"

#include <cmath>
#include <cstring>

#include "autograd/inplace.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "ops/kernel_input.hpp"

namespace chainrule {
namespace {

OpInfo kEmbedding{"embedding", "EmbeddingBackward0", "zeros with the rows of g added at the indices"};
OpInfo kEmbeddingGradient{"embedding_dense_backward", "EmbeddingDenseBackwardBackward0",
                          "the rows of g at the indices"};

constexpr int64_t kCopyGrain = 64 * 1024;  // bytes
constexpr int64_t kParts = 8;              // of a gradient, each filled by one thread

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

Lookup make_lookup(const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency) {
  GradModeScope off(false);
  Lookup l{contiguous(to_dtype(indices, DType::Int64)), rows, padding, by_frequency};
  const int64_t* at = l.begin();
  for (int64_t i = 0; i < l.count(); ++i) {
    if (at[i] < 0 || at[i] >= rows) [[unlikely]] {
      raise(PyExc_IndexError, "index out of range in self: index ", at[i], " at position ", i, " of the indices, into ",
            rows, " rows");
    }
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
      __builtin_prefetch(from->data + at[std::min(i + 8, end - 1)] * bytes);
      std::memcpy(to->data + i * bytes, from->data + at[i] * bytes, static_cast<size_t>(bytes));
    }
  });
}

// Each part of the table is zeroed and filled on its own, in the order of the indices.
template <class T>
void add_rows(const Lookup& l, const T* from, T* to, int64_t width) {
  std::vector<T> share = shares<T>(l);
  int64_t part = std::max<int64_t>((l.rows + kParts - 1) / kParts, kCopyGrain / std::max<int64_t>(1, width));
  cpu::parallel_for(l.rows, part, [&](int64_t begin, int64_t end) {
    std::memset(to + begin * width, 0, static_cast<size_t>((end - begin) * width) * sizeof(T));
    for (int64_t i = 0; i < l.count(); ++i) {
      int64_t row = l.begin()[i];
      if (row < begin || row >= end || row == l.padding) continue;
      T* target = to + row * width;
      const T *source = from + i * width, weight = share.empty() ? T(1) : share[static_cast<size_t>(row)];
      for (int64_t j = 0; j < width; ++j) target[j] += weight * source[j];
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

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding, bool by_frequency, bool sparse) {
  check(weight.ndim() == 2, "'weight' must be 2-D");
  check_indices(indices, "embedding");
  check(!sparse, "embedding: sparse=True needs sparse gradients, which chainrule does not have; leave it out");
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
