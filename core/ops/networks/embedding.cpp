// Looking rows up in a table.
#include "ops/networks/embedding.hpp"

#include "autograd/inplace.hpp"
#include "backends/bounds.hpp"
#include "backends/embedding.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/indexing/gather.hpp"
#include "ops/indexing/masked.hpp"
#include "ops/indexing/nonzero.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/view.hpp"
#include "tensor/sparse.hpp"

namespace chainrule {
namespace {

OpInfo kEmbedding{"embedding", "EmbeddingBackward0", "zeros with the rows of g added at the indices"};
OpInfo kEmbeddingBag{
    "embedding_bag", "EmbeddingBagBackward0",
    "zeros with the row of g of each bag added at the bag's indices; factors: g of the bag times the row"};
OpInfo kEmbeddingGradient{"embedding_dense_backward", "EmbeddingDenseBackwardBackward0",
                          "the rows of g at the indices"};

void check_indices(const Tensor& indices, const char* op) {
  if (indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32) return;
  std::string name = is_bool(indices.dtype()) ? std::string("CPUBoolType")
                                              : std::string("torch.") + facts(indices.dtype()).tensor_name + "Tensor";
  raise(PyExc_RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
        name, " instead (while checking arguments for ", op, ")");
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

// Indices as kernels take them: int64, contiguous, each of a row.
Tensor checked_rows(const Tensor& indices, int64_t rows, int64_t padding, bool in_bag = false) {
  GradModeScope off(false);
  Tensor at = contiguous(to_dtype(indices, DType::Int64));
  StrayIndex stray;
  backend().bounds->check({at.data<int64_t>(), at.numel(), rows, {}, &stray});
  if (stray.position >= 0) refuse_index(stray.value, stray.position, rows, padding, in_bag);
  return at;
}

Lookup lookup_of(const Tensor& rows, int64_t count, int64_t width, int64_t padding, bool by_frequency) {
  return {rows.data<int64_t>(), rows.numel(), count, width, padding, by_frequency};
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
    Tensor at = checked_rows(indices, rows, padding);
    Tensor from = prepared(g), to = empty(result_sizes(indices, width), from.dtype());
    backend().embedding->take({lookup_of(at, rows, width, padding, by_frequency), to.dtype(), from->data, to->data});
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
    Tensor at = checked_rows(indices, rows, padding);
    Tensor from = prepared(g), to = empty(Dims{rows, width}, from.dtype());
    backend().embedding->add({lookup_of(at, rows, width, padding, by_frequency), to.dtype(), from->data, to->data});
    out = to_dtype(to, g.dtype());
  }
  return record(kEmbeddingGradient, out, {&g}, {&indices}, [padding, by_frequency](Backward& b) {
    b.give(0, gradient_of_gradient(b.g(), b.saved(0), padding, by_frequency));
  });
}

// The gradient as a sparse tensor: the rows of g beside their indices, without those of the padding.
Tensor sparse_gradient(const Tensor& g, const Tensor& indices, int64_t rows, int64_t padding, bool by_frequency) {
  check(!by_frequency, "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  const int64_t width = g.size(g.ndim() - 1);
  Tensor at = flatten(indices, 0, -1), values = reshape(g, Dims{at.numel(), width});
  if (padding >= 0) {
    Tensor kept = elementwise(OpId::ne, {at, Operand(Scalar::of_int(padding))});
    at = masked_select(at, kept);
    values = index_select(values, 0, select(nonzero(kept), 1, 0));
  }
  return sparse_coo(unsqueeze(to_dtype(at, DType::Int64), 0), values, Dims{rows, width});
}

// ---- bags of rows

Bags bags_of(const Tensor& starts, int64_t n) { return {starts.data<int64_t>(), starts.numel(), n}; }

Tensor bag_sums(const Lookup& l, const Bags& bags, const Tensor& weight, const Tensor& factors, bool mean) {
  GradModeScope off(false);
  Tensor table = contiguous(weight), scale = factors ? prepared(factors) : Tensor();
  Tensor out = empty(Dims{bags.count, weight.size(1)}, kernel_dtype(weight.dtype()));
  backend().embedding->bag_sums({l, bags, mean, table.dtype(), table->data, scale ? scale->data : nullptr, out->data});
  return to_dtype(out, weight.dtype());
}

Tensor bag_shares(const Lookup& l, const Bags& bags, DType dtype) {
  Tensor shares = empty(Dims{bags.count, 1}, DType::Float64);
  backend().embedding->bag_shares({l, bags, shares.data<double>()});
  return to_dtype(shares, dtype);
}

Tensor bag_of_each_index(const Bags& bags) {
  Tensor numbers = zeros(Dims{bags.n}, DType::Int64);
  backend().embedding->bag_numbers({bags, numbers.data<int64_t>()});
  return numbers;
}

}  // namespace

Tensor embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& starts, const Tensor& factors,
                     int64_t padding, bool by_frequency, bool mean, bool sparse) {
  check_indices(indices, "embedding_bag");
  require_floating(weight, "embedding_bag");
  if (factors && factors.dtype() != weight.dtype()) {
    raise(PyExc_RuntimeError,
          "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
          "'per_sample_weights'; but type torch.",
          facts(weight.dtype()).tensor_name, "Tensor does not equal torch.", facts(factors.dtype()).tensor_name,
          "Tensor (while checking arguments for embedding_bag)");
  }
  Tensor rows = checked_rows(indices, weight.size(0), padding, true), begins;
  {
    GradModeScope off(false);
    begins = contiguous(to_dtype(starts, DType::Int64));
  }
  const Lookup l = lookup_of(rows, weight.size(0), weight.size(1), padding, by_frequency);
  Tensor out = bag_sums(l, bags_of(begins, l.count), weight, factors, mean);
  return record(
      kEmbeddingBag, out, {&weight, &factors}, {&weight, &indices, &begins, &factors},
      [padding, by_frequency, mean, sparse, weighted = static_cast<bool>(factors)](Backward& b) {
        Tensor weight = b.saved(0), indices = b.saved(1);
        Tensor at = checked_rows(indices, weight.size(0), padding, true), starts = b.saved(2), g = b.g();
        const Lookup l = lookup_of(at, weight.size(0), weight.size(1), padding, by_frequency);
        const Bags bags = bags_of(starts, l.count);
        if (mean) g = g * bag_shares(l, bags, g.dtype());
        Tensor rows = index_select(g, 0, bag_of_each_index(bags));
        if (weighted && b.needs(1)) {
          Tensor counted = to_dtype(elementwise(OpId::ne, {indices, Operand(Scalar::of_int(padding))}), g.dtype());
          b.give(1, sum(rows * embedding(weight, indices, padding, false, false), Dims{1}, false, {}) * counted);
        }
        if (!b.needs(0)) return;
        if (weighted) rows = rows * unsqueeze(b.saved(3), 1);
        b.give(0, sparse ? sparse_gradient(rows, indices, weight.size(0), padding, by_frequency)
                         : gradient_of_embedding(rows, indices, weight.size(0), padding, by_frequency));
      });
}

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding, bool by_frequency, bool sparse) {
  check(weight.ndim() == 2, "'weight' must be 2-D");
  check_indices(indices, "embedding");
  Tensor out = empty(result_sizes(indices, weight.size(1)), weight.dtype());
  {
    GradModeScope off(false);
    Tensor at = checked_rows(indices, weight.size(0), padding), from = contiguous(weight);
    backend().embedding->copy(
        {lookup_of(at, weight.size(0), weight.size(1), padding, by_frequency), out.dtype(), from->data, out->data});
  }
  return record(kEmbedding, out, {&weight}, {&indices},
                [rows = weight.size(0), padding, by_frequency, sparse](Backward& b, Kept* kept) {
                  if (kept)
                    return kept->add("indices", Slot{0}, "padding_idx", padding, "scale_grad_by_freq", by_frequency,
                                     "sparse", sparse, "weight_sym_argsize_0", rows);
                  b.give(0, sparse ? sparse_gradient(b.g(), b.saved(0), rows, padding, by_frequency)
                                   : gradient_of_embedding(b.g(), b.saved(0), rows, padding, by_frequency));
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
    Tensor at = checked_rows(indices, weight.size(0), -1), table = prepared(weight);
    backend().embedding->shrink(
        {lookup_of(at, weight.size(0), weight.size(1), -1, false), table.dtype(), table->data, max_norm, p});
    if (table.get() != weight.get()) copy_elements(weight, table);
  }
  mark_written(weight);
  return weight;
}

}  // namespace chainrule
