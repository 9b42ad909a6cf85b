// Which dimension a serial fill walks first: a stable sort by stride that leaves undecidable pairs alone.
#include "backends/cpu/random/order.hpp"

#include <algorithm>

namespace chainrule::cpu::random {

namespace {

enum class Verdict { keep, swap, unknown };

// Whether the dimension in front (a) may stay further in than the one behind it (b).
Verdict compare(int64_t size_a, int64_t stride_a, int64_t size_b, int64_t stride_b) {
  if (stride_a == 0 || stride_b == 0) return Verdict::unknown;
  if (stride_a != stride_b) return stride_a < stride_b ? Verdict::keep : Verdict::swap;
  return size_a > size_b ? Verdict::swap : Verdict::unknown;
}

}  // namespace

void visiting_order(int ndim, const int64_t* sizes, const int64_t* strides, int* order) {
  for (int i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  for (int i = 1; i < ndim; ++i) {
    int moving = i;
    for (int front = i - 1; front >= 0; --front) {
      int a = order[front], b = order[moving];
      Verdict verdict = compare(sizes[a], strides[a], sizes[b], strides[b]);
      if (verdict == Verdict::keep) break;
      if (verdict == Verdict::unknown) continue;
      std::swap(order[front], order[moving]);
      moving = front;
    }
  }
}

void like_strides(int ndim, const int64_t* sizes, const int64_t* strides, int64_t* out) {
  std::vector<int> order(ndim);
  visiting_order(ndim, sizes, strides, order.data());
  int64_t step = 1;
  bool dense = true;
  for (int d : order) {
    out[d] = step;
    dense = dense && (sizes[d] == 1 || strides[d] == step);
    step *= std::max<int64_t>(sizes[d], 1);
  }
  if (dense) std::copy(strides, strides + ndim, out);
}

bool is_contiguous(int ndim, const int64_t* sizes, const int64_t* strides) {
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    if (strides[d] != step) return false;
    step *= sizes[d];
  }
  return true;
}

RunWalk::RunWalk(int ndim, const int64_t* sizes, const int64_t* strides, const int64_t* operand_strides) {
  std::vector<int> order(ndim);
  if (is_contiguous(ndim, sizes, strides))  // logical order, even where strides of size-one dimensions say otherwise
    for (int i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
  else
    visiting_order(ndim, sizes, strides, order.data());
  std::vector<Dimension> dimensions;  // without those of one element; neighbours that continue each other become one
  for (int d : order) {
    Dimension next{sizes[d], strides[d], operand_strides ? operand_strides[d] : 0, 0};
    left_ *= next.size;
    if (next.size == 1) continue;
    Dimension* inner = dimensions.empty() ? nullptr : &dimensions.back();
    if (inner && next.stride == inner->stride * inner->size &&
        (!operand_strides || next.operand_stride == inner->operand_stride * inner->size))
      inner->size *= next.size;
    else
      dimensions.push_back(next);
  }
  if (left_ == 0 || dimensions.empty()) return;
  length_ = dimensions[0].size;
  stride_ = dimensions[0].stride;
  operand_stride_ = dimensions[0].operand_stride;
  outer_.assign(dimensions.begin() + 1, dimensions.end());
  left_ /= length_;
}

void RunWalk::next() {
  --left_;
  for (Dimension& d : outer_) {
    offset_ += d.stride;
    operand_offset_ += d.operand_stride;
    if (++d.index < d.size) return;
    offset_ -= d.stride * d.size;
    operand_offset_ -= d.operand_stride * d.size;
    d.index = 0;
  }
}

}  // namespace chainrule::cpu::random
