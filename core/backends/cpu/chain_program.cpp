#include "backends/cpu/chain_program.hpp"

#include <algorithm>

namespace chainrule::cpu {
namespace {

bool is_condition(const ChainStep& step, int operand, int8_t condition) {
  const int first = step.gradient == ChainStep::kValue ? 0 : 1;
  return operand >= first && operand - first == condition;
}

}  // namespace

void Program::find_readers(const Chain& chain) {
  const int count = static_cast<int>(chain.steps.size());
  std::fill_n(last_reader_, inputs_ + count, kNobody);
  for (const ChainOutput& o : chain.outputs) last_reader_[value_of(o.value)] = static_cast<int16_t>(count);
  for (int j = count; j-- > 0;) {
    if (last_reader_[inputs_ + j] == kNobody) continue;
    for (ChainOperand o : chain.steps[j].operands) {
      if (!o.is_read()) continue;
      int16_t& reader = last_reader_[value_of(o)];
      reader = std::max(reader, static_cast<int16_t>(j));
    }
  }
}

void Program::add_step(const Chain& chain, int j) {
  const ChainStep& step = chain.steps[j];
  const StepKernel kernel = step_kernel(chain, step);
  const OpKernels& line = kernels_of(step.op);
  Step& made = steps_[step_count_++];
  made.run = kernel.run;
  made.parameters = step.parameters;
  made.value = static_cast<int16_t>(inputs_ + j);
  made.output = -1;
  for (int k = 0; k < ChainStep::kMostOperands; ++k) {
    const ChainOperand o = step.operands[k];
    made.in[k] = o.is_read() ? static_cast<int16_t>(value_of(o)) : int16_t{-1};
    if (o.is_read() && o.is_input())
      dtypes_[o.index()] = is_condition(step, k, line.condition) ? DType::Bool : kernel.arithmetic;
  }
  const bool is_test = step.gradient == ChainStep::kValue && line.is_test;
  dtypes_[made.value] = is_test ? DType::Bool : kernel.arithmetic;
  widest_ = std::max(widest_, static_cast<int64_t>(size_of(kernel.arithmetic)));
}

// A result lies in its tile until the last step that reads it has run. A kernel may write where it reads.
void Program::share_tiles() {
  int16_t tile_of[Chain::kMostValues], free[Chain::kMostValues];
  int free_count = 0;
  for (int i = 0; i < step_count_; ++i) {
    Step& step = steps_[i];
    const int j = step.value - inputs_;
    for (int16_t value : step.in) {
      if (value < inputs_ || last_reader_[value] != j || tile_of[value] < 0) continue;
      free[free_count++] = tile_of[value];
      tile_of[value] = -1;
    }
    if (free_count == 0) free[free_count++] = static_cast<int16_t>(tiles_++);
    step.tile = tile_of[step.value] = free[--free_count];
  }
}

void Program::add_steps(const Chain& chain) {
  find_readers(chain);
  for (int i = 0; i < inputs_; ++i) dtypes_[i] = chain.dtype;
  for (int j = 0, n = static_cast<int>(chain.steps.size()); j < n; ++j) {
    if (last_reader_[inputs_ + j] != kNobody) add_step(chain, j);
  }
  share_tiles();
}

// The same without the planning that several steps need.
void Program::add_single_step(const Chain& chain) {
  for (int i = 0; i < inputs_; ++i) {
    last_reader_[i] = kNobody;
    dtypes_[i] = chain.dtype;
  }
  for (ChainOperand o : chain.steps[0].operands) {
    if (o.is_read()) last_reader_[value_of(o)] = 0;
  }
  for (const ChainOutput& o : chain.outputs) {
    if (o.value.is_input()) last_reader_[o.value.index()] = 1;
  }
  add_step(chain, 0);
  steps_[0].tile = 0;
  tiles_ = 1;
  const ChainStep& step = chain.steps[0];
  is_cheap_ = step.gradient == ChainStep::kValue && kernels_of(step.op).is_cheap;
}

namespace {

template <class T>
T* room_for(size_t count, std::pmr::memory_resource* memory) {
  return static_cast<T*>(memory->allocate(count * sizeof(T), alignof(T)));
}

}  // namespace

Program::Program(const Chain& chain, std::pmr::memory_resource* memory)
    : inputs_(static_cast<int>(chain.inputs.size())), widest_(static_cast<int64_t>(size_of(chain.dtype))) {
  const size_t values = chain.inputs.size() + chain.steps.size();
  steps_ = room_for<Step>(chain.steps.size(), memory);
  dtypes_ = room_for<DType>(values, memory);
  last_reader_ = room_for<int16_t>(values, memory);
  outputs_ = room_for<int16_t>(chain.outputs.size(), memory);
  if (chain.steps.size() == 1)
    add_single_step(chain);
  else
    add_steps(chain);
  for (size_t i = 0; i < chain.outputs.size(); ++i) {
    outputs_[i] = static_cast<int16_t>(value_of(chain.outputs[i].value));
    for (int k = 0; k < step_count_; ++k) {
      if (steps_[k].value == outputs_[i] && steps_[k].output < 0) steps_[k].output = static_cast<int16_t>(i);
    }
  }
}

}  // namespace chainrule::cpu
