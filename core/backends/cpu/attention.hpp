// Attention by blocks: the loops over rows of scores.
#pragma once
#include <cstdint>

#include "backends/cpu/isa.hpp"

namespace chainrule::cpu {
// Scores exist only for a block of queries and keys at a time. The largest score and the sum of exponentials of each
// row are carried from block to block, and what was gathered so far is scaled down when a larger score turns up. The
// logarithm of the final sum is kept; with it the gradient makes the same blocks again. A row that sees no key gives
// zero, and its logarithm is +inf, so that its weights are zero in the gradient as well.

// Rows of scores are padded to a multiple of this many, so that the kernels need no loops for what is left over.
inline constexpr int64_t kScoreGroup = 64;

template <class T>
struct AttentionLoops {
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

CR_DECLARE_PER_ISA(extern const AttentionLoops<float> attention_float)
CR_DECLARE_PER_ISA(extern const AttentionLoops<double> attention_double)
