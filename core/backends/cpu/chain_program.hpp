// What a chain comes to on this machine: kernels, one after the other, over tiles of elements.
#pragma once
#include <memory_resource>

#include "backends/cpu/chain_kernels.hpp"

namespace chainrule::cpu {

// Values are the chain's inputs, then the results of its steps. Results that are needed at different times share tiles.
class Program {
 public:
  struct Step {
    ElementwiseKernel run;
    const double* parameters;
    int16_t in[ChainStep::kMostOperands];  // values; -1: not read
    int16_t value, tile;
    int16_t output;  // what can take the result instead of the tile, or -1
  };
  Program(const Chain& chain, std::pmr::memory_resource* memory);

  std::span<const Step> steps() const { return {steps_, static_cast<size_t>(step_count_)}; }  // that are needed
  int inputs() const { return inputs_; }
  int output(size_t i) const { return outputs_[i]; }       // its value
  DType dtype(int value) const { return dtypes_[value]; }  // as kernels take and give it
  bool is_read(size_t input) const { return last_reader_[input] != kNobody; }
  int tiles() const { return tiles_; }         // of results
  int64_t widest() const { return widest_; }   // bytes of an element
  bool is_cheap() const { return is_cheap_; }  // one step that is bound by memory

 private:
  static constexpr int16_t kNobody = -1;
  void add_single_step(const Chain& chain);
  void add_steps(const Chain& chain);
  void find_readers(const Chain& chain);
  void add_step(const Chain& chain, int j);
  void share_tiles();
  int value_of(ChainOperand o) const { return o.is_input() ? o.index() : inputs_ + o.index(); }

  int inputs_, step_count_ = 0, tiles_ = 0;
  int64_t widest_;
  bool is_cheap_ = false;
  // In the memory that it was given.
  Step* steps_;
  DType* dtypes_;         // by value, as the next
  int16_t* last_reader_;  // a step, the number of steps if it is kept, kNobody
  int16_t* outputs_;
};

}  // namespace chainrule::cpu
