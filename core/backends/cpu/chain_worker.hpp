// One thread's share of a chain: it takes a tile of elements through all steps.
#pragma once
#include <new>

#include "backends/cpu/chain_program.hpp"
#include "backends/cpu/stream.hpp"

namespace chainrule::cpu {

class ChainWorker {
 public:
  // Tiles have so few elements that those of several values stay in the first-level cache. `staged` inputs are laid out
  // in tiles of their own.
  ChainWorker(const Program& program, int64_t elements, int staged)
      : program_(program), tile_bytes_(elements * program.widest()) {
    const int64_t bytes = (program.tiles() + staged) * tile_bytes_;
    memory_ = bytes <= kOnStack ? on_stack_ : new (std::align_val_t(64)) char[static_cast<size_t>(bytes)];
  }
  ~ChainWorker() {
    if (memory_ != on_stack_) operator delete[](memory_, std::align_val_t(64));
  }
  ChainWorker(const ChainWorker&) = delete;

 protected:
  // Of n elements. An input's value is where they are; a result's target is where the kernel may write them, or null.
  void run_steps(int64_t n) {
    for (const Program::Step& step : program_.steps()) {
      const void* in[ChainStep::kMostOperands];
      for (int k = 0; k < ChainStep::kMostOperands; ++k) in[k] = step.in[k] < 0 ? nullptr : values_[step.in[k]];
      if (asks_ahead_) ask_ahead(step);
      char* target = step.output < 0 ? nullptr : targets_[step.output];
      char* to = target ? target : tile(step.tile);
      step.run(to, in, n, step.parameters);
      values_[step.value] = to;
    }
  }
  char* input_tile(int staged) { return tile(program_.tiles() + staged); }

  // What a step reads is asked for, for the next tile, while this step works: all inputs at once would wait for memory.
  void ask_ahead(const Program::Step& step) {
    for (int16_t value : step.in) {
      if (value < 0 || value >= program_.inputs() || !next_[value].data) continue;
      fetch_tile_ahead(next_[value].data, next_[value].bytes);
      next_[value].data = nullptr;
    }
  }

  // Where an input's next tile is; null where it need not be asked for.
  struct Next {
    const char* data;
    int64_t bytes;
  };
  bool asks_ahead_ = false;
  Next next_[Chain::kMostValues];  // filled where asks_ahead_ is set

  const Program& program_;
  const char* values_[Chain::kMostValues];
  char* targets_[Chain::kMostOutputs];

 private:
  static constexpr int64_t kOnStack = 6 * 8 * 1024;
  char* tile(int i) { return memory_ + i * tile_bytes_; }

  int64_t tile_bytes_;
  char* memory_;
  alignas(64) char on_stack_[kOnStack];
};

}  // namespace chainrule::cpu
