// Chains: elementwise operations on operands of one shape, as a plain program.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "backends/op_id.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"
#include "tensor/scalar.hpp"

namespace chainrule {

class GemmFinish;

// Note [Chains]
// All elementwise work of a backend is a chain: steps, each a line of the table or one of its gradients, whose operands
// are tensors, numbers, or results of earlier steps. One operation is a chain of one step; operations that waited
// (Note [Pending operations]) and gradients that flow from node to node (Note [Gradient chains]) are longer ones, and a
// copy has none. A backend has one executor. The CPU's takes a tile of elements through all steps before it turns to
// the next, so what lies between two steps never leaves the caches, and what is not kept is never written to memory.
//
// The results do not depend on what else is in a chain: each element goes through the same functions in the same order.

// Where an operand is: an input of the chain, or the result of an earlier step.
class ChainOperand {
 public:
  constexpr ChainOperand() = default;  // not read
  static constexpr ChainOperand input(int i) { return ChainOperand(i); }
  static constexpr ChainOperand step(int i) { return ChainOperand(-1 - i); }
  constexpr bool is_read() const { return code_ != kUnread; }
  constexpr bool is_input() const { return code_ >= 0; }
  constexpr int index() const { return code_ >= 0 ? code_ : -1 - code_; }
  constexpr bool operator==(const ChainOperand&) const = default;

 private:
  static constexpr int kUnread = INT16_MIN;
  constexpr explicit ChainOperand(int code) : code_(static_cast<int16_t>(code)) {}
  int16_t code_ = kUnread;
};

struct ChainInput {
  const char* data = nullptr;  // null: a number, or what comes in blocks
  DType dtype{};
  Dims strides;  // in elements, one per dimension; 0 where broadcast
  Scalar number{};
  bool is_single = false;  // a tensor of one element, however often it is repeated here
};

struct ChainStep {
  static constexpr int kMostOperands = kMaxInputs + 2, kValue = -1;
  OpId op;
  int gradient = kValue;  // the input whose gradient it is
  // Of a value: the inputs. Of a gradient: that of the output, the inputs, the output.
  ChainOperand operands[kMostOperands];
  const double* parameters = nullptr;
};

struct ChainOutput {
  ChainOperand value;
  char* data;
  DType dtype;
  Span strides;
};

// An output may lie where an input does, element for element, if no step after the one that makes it reads that input.
// A chain of several steps is of float32 or float64. Steps whose results nothing needs are left out.
struct Chain {
  static constexpr int kMostValues = 512;  // inputs and steps
  static constexpr int kMostOutputs = 64;
  Span sizes;
  DType dtype;  // the common one of the operands; a condition and the result of a test are bool
  std::span<const ChainInput> inputs;
  std::span<const ChainStep> steps;
  std::span<const ChainOutput> outputs;
  bool read_next = true;  // whether the outputs are what the next operation reads, and are best left in the caches
};

// Gives all rows of something to `finish`, block by block.
using BlockSource = std::function<void(const GemmFinish& finish)>;

// A chain that is run more than once.
class PlannedChain {
 public:
  virtual ~PlannedChain() = default;
  virtual void run() const = 0;
};

struct ChainKernels {
  Kernel<void(const Chain&)> run;
  // The first input, rows of the last dimension, arrives in blocks. The others have one row for all of them, or are as
  // large. All are contiguous and of the chain's dtype.
  Kernel<void(const Chain&, const BlockSource&)> run_on_blocks;
  // Whether an integer was divided by zero since this was asked last.
  bool (*divided_by_zero)();
  // What lives no longer than the chain does. Null: there is nothing to plan.
  std::unique_ptr<PlannedChain> (*plan)(const Chain&) = nullptr;
};

}  // namespace chainrule
