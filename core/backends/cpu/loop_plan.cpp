#include "backends/cpu/loop_plan.hpp"

#include <cstdlib>
#include <utility>

namespace chainrule::cpu {
namespace {

// Dimensions from the largest stride to the smallest; those of equal stride keep their order.
Dims loop_order(Span sizes, std::span<const LoopOperand> operands) {
  Dims order;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    if (sizes[d] != 1) order.push_back(d);
  }
  auto precedes = [&](int64_t a, int64_t b) {
    for (const LoopOperand& o : operands) {
      const int64_t x = std::abs(o.strides[a]), y = std::abs(o.strides[b]);
      if (x != y) return x > y;
    }
    return false;
  };
  for (int i = 1; i < order.size(); ++i) {
    for (int j = i; j > 0 && precedes(order[j], order[j - 1]); --j) std::swap(order[j], order[j - 1]);
  }
  return order;
}

bool follows_loop(const Lane& lane, const Dims& sizes) {
  int64_t expected = lane.item();
  for (int d = sizes.size(); d-- > 0; expected *= sizes[d]) {
    if (lane.strides[d] != expected) return false;
  }
  return true;
}

}  // namespace

LoopPlan::LoopPlan(Span sizes, std::span<const LoopOperand> operands, std::pmr::memory_resource* memory)
    : lanes(memory) {
  lanes.reserve(operands.size());
  for (const LoopOperand& o : operands) lanes.push_back({o.data, o.dtype, o.wanted, Dims(), true, false, false});
  for (int64_t d : loop_order(sizes, operands)) add_dimension(operands, sizes[d], static_cast<int>(d));
  if (this->sizes.empty()) {
    this->sizes.push_back(1);
    for (Lane& lane : lanes) lane.strides.push_back(lane.item());
  }
  for (int64_t size : sizes) numel *= size;
  describe_lanes();
}

void LoopPlan::add_dimension(std::span<const LoopOperand> operands, int64_t size, int d) {
  auto bytes = [&](size_t k) { return operands[k].strides[d] * lanes[k].item(); };
  bool joins = !sizes.empty();
  for (size_t k = 0; k < lanes.size() && joins; ++k) joins = lanes[k].strides.back() == bytes(k) * size;
  if (joins)
    sizes.back() *= size;
  else
    sizes.push_back(size);
  for (size_t k = 0; k < lanes.size(); ++k) {
    if (joins)
      lanes[k].strides.back() = bytes(k);
    else
      lanes[k].strides.push_back(bytes(k));
  }
}

void LoopPlan::describe_lanes() {
  const auto zero = [](int64_t s) { return s == 0; };
  for (Lane& lane : lanes) {
    lane.dense = follows_loop(lane, sizes);
    lane.constant = std::all_of(lane.strides.begin(), lane.strides.end(), zero);
    lane.periodic = std::all_of(lane.strides.begin(), lane.strides.end() - 1, zero);
  }
}

}  // namespace chainrule::cpu
