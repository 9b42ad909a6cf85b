// The state behind every random number on a GPU: Philox is a function of a counter, so two numbers say where its
// streams are. The kernels that draw from it are in backends/cuda/.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainrule {

class Philox {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;  // of a Generator nobody seeded, as in PyTorch
  static constexpr size_t kStateBytes = 16;                 // of a saved state

  void manual_seed(uint64_t seed) { seed_ = seed, offset_ = 0; }
  uint64_t initial_seed() const { return seed_; }

  // Where the streams of all threads stand, in words of 32 bits. Throws std::runtime_error unless four divide it.
  uint64_t offset() const { return offset_; }
  void set_offset(uint64_t offset);
  // Sets so many words of each thread's stream aside, rounded up to four, and says where they begin.
  uint64_t reserve(uint64_t words) {
    const uint64_t begin = offset_;
    offset_ += (words + 3) / 4 * 4;
    return begin;
  }

  // Writes kStateBytes in PyTorch's layout.
  void get_state(uint8_t* out) const;
  // Takes kStateBytes, or a seed alone. Throws std::runtime_error, and changes nothing, where they are no state.
  void set_state(const uint8_t* state, size_t bytes);

 private:
  uint64_t seed_ = kDefaultSeed, offset_ = 0;
};

}  // namespace chainrule
