// Scaled dot-product attention: by blocks, or composed where blocks will not do.
#include "ops/networks/attention.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "backends/attention.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/composed_gradient.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/matmul_checks.hpp"
#include "ops/networks/dropout_noise.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/networks/softmax.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/views/rearrange.hpp"
#include "ops/views/triangular.hpp"
#include "ops/views/view.hpp"
#include "tensor/checked_size.hpp"

namespace chainrule {
namespace {

OpInfo kAttention{
    "scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0",
    "p = softmax(q @ k.T * scale); dv = p.T @ g; ds = p * (g @ v.T - sum(g * y)) * scale; dq = ds @ k; dk "
    "= ds.T @ q"};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_arguments(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  check(q.dtype() == k.dtype() && q.dtype() == v.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: ", element_name(q.dtype()),
        " key.dtype: ", element_name(k.dtype()), " and value.dtype: ", element_name(v.dtype()), " instead.");
  check(q.ndim() >= 2 && k.ndim() >= 2 && v.ndim() >= 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: ", q.ndim(),
        " key.dim: ", k.ndim(), " and value.dim: ", v.ndim(), " instead.");
  check(!mask || is_bool(mask.dtype()) || mask.dtype() == q.dtype() || mask.dtype() == DType::Float32,
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: ",
        mask ? element_name(mask.dtype()) : "", " and  query.dtype: ", element_name(q.dtype()), " instead.");
}

// What is added to the scores: 0 where a key may be seen, -inf elsewhere.
Tensor additive(const Tensor& mask, DType dtype) {
  if (!mask || !is_bool(mask.dtype())) return mask ? to_dtype(mask, dtype) : mask;
  Tensor seen = zeros({}, dtype), hidden = full({}, Scalar(-kInfinity), dtype);
  return elementwise(OpId::where, {mask, seen, hidden});
}

Tensor causal_mask(int64_t queries, int64_t keys) {
  GradModeScope off(false);
  return tril(full(Dims{queries, keys}, Scalar::of_int(1, Scalar::kBool), DType::Bool), 0);
}

// Softmax whose rows without anything to see are zero.
Tensor safe_softmax(const Tensor& scores) {
  Tensor nothing = elementwise(OpId::eq, {amax(scores, Dims{-1}, true), Operand(-kInfinity)});
  Tensor weights = softmax(elementwise(OpId::where, {nothing, zeros({}, scores.dtype()), scores}), -1, {});
  return elementwise(OpId::where, {nothing, zeros({}, scores.dtype()), weights});
}

Tensor dropped(const Tensor& weights, double p) {
  return p == 0 ? weights : weights * dropout_noise(weights.sizes(), weights.dtype(), p);
}

Tensor shared_heads(const Tensor& t, int64_t times) { return times == 1 ? t : repeat_interleave(t, times, -3); }

struct Options {
  double scale, dropout;
  bool causal;
  int64_t shared;  // heads of q for each of k
};

// The definition, of operations with histories. The half types are rounded once, at the end.
Tensor composed(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Options& o) {
  if (DType wide = kernel_dtype(q.dtype()); is_floating(q.dtype()) && wide != q.dtype()) {
    Tensor added = mask && !is_bool(mask.dtype()) ? to_dtype(mask, wide) : mask;
    return to_dtype(composed(to_dtype(q, wide), to_dtype(k, wide), to_dtype(v, wide), added, o), q.dtype());
  }
  double root = std::sqrt(std::abs(o.scale));
  Tensor keys = shared_heads(k, o.shared) * std::copysign(root, o.scale);
  Tensor scores = matmul(q * root, transpose(keys, -1, -2));
  if (mask) scores = scores + additive(mask, q.dtype());
  if (o.causal) scores = scores + additive(causal_mask(q.size(q.ndim() - 2), k.size(k.ndim() - 2)), q.dtype());
  Tensor weights = mask || o.causal ? safe_softmax(scores) : softmax(scores, -1, {});
  return matmul(dropped(weights, o.dropout), shared_heads(v, o.shared));
}

// ---- by blocks

// (batch, heads, rows, width), with rows that are contiguous.
Tensor head_rows(const Tensor& t) {
  Tensor r = to_dtype(t, kernel_dtype(t.dtype()));
  return r.size(3) <= 1 || r.stride(3) == 1 ? r : contiguous(r);
}

HeadView view_of(const Tensor& t) {
  if (!t) return {nullptr, 0, 0, 0};
  return {t->data, t.stride(0), t.stride(1), t.stride(2)};
}

// The mask beside the scores, its last dimension contiguous.
Tensor full_mask(const Tensor& mask, const Tensor& q, const Tensor& k, DType dtype) {
  if (!mask) return mask;
  Tensor added = additive(mask, dtype);
  Dims sizes{q.size(0), q.size(1), q.size(2), k.size(2)};
  if (added.ndim() > 0 && added.size(added.ndim() - 1) == 1 && k.size(2) > 1) {
    Dims row(added.sizes());
    row.back() = k.size(2);
    added = contiguous(expand(added, row));
  }
  return expand(contiguous(added), sizes);
}

AttentionShape shape_of(const Tensor& q, const Tensor& k, const Tensor& v, const Options& o) {
  return {q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3), v.size(3), o.scale, o.causal};
}

// A fresh tensor of t's shape but for its last size, in the order of dimensions that t has in memory.
Tensor fresh_like(const Tensor& t, int64_t width, DType dtype) {
  Dims sizes(t.sizes());
  sizes[3] = width;
  bool turned = t.stride(1) < t.stride(2);  // heads of one row side by side
  const int64_t row = (CheckedSize(sizes[1]) * width).value(), all = (CheckedSize(sizes[2]) * row).value();
  Dims strides = turned ? Dims{all, width, row, 1} : contiguous_strides(sizes);
  return empty_strided(sizes, strides, dtype);
}

bool can_block(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Options& o) {
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4 || !is_floating(q.dtype()) || o.dropout > 0) return false;
  const Tensor* differentiated[] = {&mask};
  if (mask && (mask.ndim() > 4 || should_record(differentiated))) return false;
  bool same = k.size(0) == q.size(0) && v.size(0) == q.size(0) && k.size(1) * o.shared == q.size(1) &&
              v.size(1) == k.size(1) && k.size(3) == q.size(3) && v.size(2) == k.size(2);
  return same && q.numel() > 0 && k.numel() > 0 && v.numel() > 0;
}

struct Blocks {
  Tensor q, k, v, mask;
  AttentionOperands operands() const { return {q.dtype(), view_of(q), view_of(k), view_of(v), view_of(mask)}; }
};

Blocks prepared_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  return {head_rows(q), head_rows(k), head_rows(v), full_mask(mask, q, k, kernel_dtype(q.dtype()))};
}

// Whether q, k and v are the parts of one tensor (batch, rows, 3, heads, width), as one projection makes them.
bool lie_side_by_side(const Tensor& q, const Tensor& k, const Tensor& v) {
  int64_t part = q.size(1) * q.size(3);
  auto follows = [&](const Tensor& a, const Tensor& b) {
    return a.same_storage(b) && equal(a.sizes(), b.sizes()) && equal(a.strides(), b.strides()) &&
           b.offset() - a.offset() == part;
  };
  return follows(q, k) && follows(k, v) && q.stride(3) == 1 && q.stride(1) == q.size(3) && q.stride(2) == 3 * part &&
         q.stride(0) == 3 * part * q.size(2);
}

double multiplications(const AttentionShape& s) {
  return static_cast<double>(s.batch * s.heads * s.queries) * static_cast<double>(s.keys * (s.width + s.value_width));
}

// Gradients of parts are parts too, so that joining them costs nothing.
std::array<Tensor, 3> fresh_gradients(const Tensor& q, const Tensor& k, const Tensor& v, DType dtype) {
  if (!lie_side_by_side(q, k, v)) {
    return {fresh_like(q, q.size(3), dtype), fresh_like(k, k.size(3), dtype), fresh_like(v, v.size(3), dtype)};
  }
  Tensor whole = empty(Dims{q.size(0), q.size(2), 3, q.size(1), q.size(3)}, dtype);
  auto part = [&](int64_t i) { return transpose(select(whole, 2, i), 1, 2); };
  return {part(0), part(1), part(2)};
}

void give_gradients(Backward& b, const Tensor& mask, const Options& o) {
  Tensor q = b.saved(0), k = b.saved(1), v = b.saved(2);
  Blocks blocks = prepared_blocks(q, k, v, mask);
  Tensor g = head_rows(b.g()), out = head_rows(b.saved(3)), log_sums = b.saved(4);
  auto [dq, dk, dv] = fresh_gradients(q, k, v, g.dtype());
  const AttentionGradient task{shape_of(q, k, v, o), blocks.operands(), view_of(out), log_sums->data,
                               view_of(g),           view_of(dq),       view_of(dk),  view_of(dv)};
  backend().attention->gradient.unlocked(2 * multiplications(task.shape), task);
  if (b.needs(0)) b.give(0, to_dtype(dq, q.dtype()));
  if (b.needs(1)) b.give(1, to_dtype(dk, q.dtype()));
  if (b.needs(2)) b.give(2, to_dtype(dv, q.dtype()));
}

Tensor by_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Options& o) {
  Tensor y, log_sums;
  {
    GradModeScope off(false);
    Blocks blocks = prepared_blocks(q, k, v, mask);
    Tensor out = fresh_like(q, v.size(3), blocks.q.dtype());
    log_sums = empty(Dims{q.size(0), q.size(1), q.size(2)}, out.dtype());
    const Attention task{shape_of(q, k, v, o), blocks.operands(), view_of(out), log_sums->data};
    backend().attention->value.unlocked(multiplications(task.shape), task);
    y = to_dtype(out, q.dtype());
  }
  return record(
      kAttention, y, {&q, &k, &v}, {&q, &k, &v, &y, &log_sums, &mask},
      [o, masked = static_cast<bool>(mask)](Backward& b, Kept* kept) {
        if (kept)
          return kept->add("query", Slot{0}, "key", Slot{1}, "value", Slot{2}, "output", Slot{3}, "logsumexp", Slot{4},
                           "attn_mask", Slot{5}, "dropout_p", o.dropout, "is_causal", o.causal, "scale", o.scale);
        Tensor mask = saved_if(b, 5, masked);
        if (!grad_enabled()) return give_gradients(b, mask, o);
        give_composed_gradient(b, {b.saved(0), b.saved(1), b.saved(2)},
                               [&](const std::vector<Tensor>& in) { return composed(in[0], in[1], in[2], mask, o); });
      });
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
                                    double dropout, bool causal, std::optional<double> scale, bool grouped) {
  check_arguments(q, k, v, mask);
  check(dropout >= 0 && dropout <= 1, "dropout probability has to be between 0 and 1, but got ", dropout);
  int64_t shared = 1;
  if (grouped && q.ndim() >= 3 && k.ndim() >= 3 && k.size(k.ndim() - 3) > 0) {
    shared = q.size(q.ndim() - 3) / k.size(k.ndim() - 3);
    check(shared * k.size(k.ndim() - 3) == q.size(q.ndim() - 3),
          "Number of heads in key and value must divide the number of heads in query, but got ", k.size(k.ndim() - 3),
          " and ", q.size(q.ndim() - 3));
  }
  auto width = static_cast<double>(q.size(q.ndim() - 1));
  Options o{scale.value_or(1 / std::sqrt(width)), dropout, causal, shared};
  return can_block(q, k, v, mask, o) ? by_blocks(q, k, v, mask, o) : composed(q, k, v, mask, o);
}

}  // namespace chainrule
