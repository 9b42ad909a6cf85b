// A chain as a GPU runs it: what decides the kernel's text, and what the kernel is told.
#pragma once
#include <bit>
#include <string>
#include <vector>

#include "backends/chain.hpp"
#include "backends/cuda/layout.hpp"

namespace chainrule::cuda {

// How the elements lie, which decides how a kernel finds them.
enum class Walk : uint8_t {
  Line,  // one dimension: each operand's elements follow each other, or it is one element
  Rows,  // two: within a row as above, and rows of each operand are any distance apart
  Grid   // any strides
};

struct PlannedInput {
  DType dtype{};
  bool is_number = false;
  bool is_read = false, is_condition = false;
  bool repeats = false;  // Line and Rows: one element for the line, or for each row
};
struct PlannedStep {
  const ChainStep* step;
  bool is_test;
};
struct PlannedOutput {
  ChainOperand value;
  DType dtype;
};

// All that decides the text; its key() names it.
struct ChainPlan {
  DType compute{};
  bool of_truth = false;    // all operands are truth values
  bool moves_only = false;  // no steps, one dtype: elements are moved as they are
  Walk walk = Walk::Line;
  int dimensions = 1;
  int vector = 1;        // neighbouring elements that a thread takes together
  bool is_wide = false;  // more elements than 32 bits can count
  std::vector<PlannedInput> inputs;
  std::vector<PlannedStep> steps;
  std::vector<PlannedOutput> outputs;

  std::string key() const;
  std::string text() const;  // of the kernel, called "chain"
};

// What a kernel is told: a list of words, in the order in which the text reads them.
class ChainWords {
 public:
  static constexpr size_t kMost = 500;  // 4 KB less a few, which every driver takes
  void add(int64_t word) { words_.push_back(word); }
  void add(const void* pointer) { add(static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer))); }
  void add(double number) { add(std::bit_cast<int64_t>(number)); }
  size_t size() const { return words_.size(); }
  const void* data() const { return words_.data(); }

 private:
  std::vector<int64_t> words_;
};

}  // namespace chainrule::cuda
