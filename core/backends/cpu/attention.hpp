// Attention by blocks: softmax(q @ k.T * scale + mask) @ v without the matrix of scores.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {

// (batch, heads, rows, width): strides in elements, rows themselves contiguous. A null one was not given.
template <class T>
struct HeadRows {
  T* data;
  int64_t batch_stride, head_stride, row_stride;
  T* at(int64_t batch, int64_t head, int64_t row) const {
    return data + batch * batch_stride + head * head_stride + row * row_stride;
  }
};

struct AttentionShape {
  int64_t batch, heads, key_heads;  // heads is a multiple of key_heads
  int64_t queries, keys, width, value_width;
  double scale;
  bool causal;  // query i sees keys up to i
};

// Note [Attention by blocks]
// Scores exist only for a block of queries and keys at a time. The largest score and the sum of exponentials of each
// row are carried from block to block, and what was gathered so far is scaled down when a larger score turns up. The
// logarithm of the final sum is kept; with it the gradient makes the same blocks again. A row that sees no key gives
// zero, and its logarithm is +inf, so that its weights are zero in the gradient as well.
template <class T>
struct AttentionInputs {
  HeadRows<const T> q, k, v;
  HeadRows<const T> mask;  // added to the scores; rows of `keys` elements
};

// log_sums: (batch, heads, queries), contiguous.
template <class T>
void attention(const AttentionShape& s, const AttentionInputs<T>& in, HeadRows<T> out, T* log_sums);
template <class T>
void attention_gradient(const AttentionShape& s, const AttentionInputs<T>& in, HeadRows<const T> out, const T* log_sums,
                        HeadRows<const T> g, HeadRows<T> dq, HeadRows<T> dk, HeadRows<T> dv);

// Rows of scores are padded to a multiple of this many, so that the kernels need no loops for what is left over.
inline constexpr int64_t kScoreGroup = 64;

template <class T>
struct AttentionKernels {
  // The first n scores of a row, scaled, with the mask (may be null) added, become exp(score - largest), the others up
  // to `width`, a multiple of kScoreGroup, zero; `largest` may grow, and their sum is returned.
  T (*exponentials)(T* scores, int64_t n, int64_t width, T scale, const T* mask, T* largest);
  // weights = exp(scores * scale + mask - log_sum), with zeros behind as above
  void (*weights)(T* scores, int64_t n, int64_t width, T scale, const T* mask, T log_sum);
  // scores = weights * (products - offset) * scale
  void (*score_gradient)(T* weights, const T* products, int64_t n, T offset, T scale);
  T (*dot)(const T* a, const T* b, int64_t n);
  // Copies rows to columns: element j of row i goes to out[j * out_stride + i].
  void (*turn)(int64_t rows, int64_t width, const T* data, int64_t stride, T* out, int64_t out_stride);
};

}  // namespace chainrule::cpu

CR_DECLARE_PER_ISA(extern const AttentionKernels<float> attention_float)
CR_DECLARE_PER_ISA(extern const AttentionKernels<double> attention_double)
