// The Mersenne Twister behind every random number on the CPU, with PyTorch's seeding, caching and saved state.
#pragma once
#include <cstddef>
#include <cstdint>

namespace chainrule {

class MersenneTwister {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;  // of a Generator nobody seeded, as in PyTorch
  static constexpr size_t kStateBytes = 5056;               // of a saved state

  explicit MersenneTwister(uint64_t seed = kDefaultSeed) { manual_seed(seed); }

  // Only the low 32 bits reach the engine; initial_seed() still returns all 64. Forgets any cached normal.
  void manual_seed(uint64_t seed);
  uint64_t initial_seed() const { return seed_; }

  uint32_t random() { return temper(words_[advance()]); }
  uint64_t random64() {  // the first draw is the high word; the order of evaluation matters
    uint64_t high = random();
    return high << 32 | random();
  }
  // n draws at once: the same numbers as n calls of random(), several times faster.
  void random(uint32_t* out, int64_t n);
  void discard(int64_t n);

  float unit24() { return float(random() & 0xffffff) * 0x1p-24f; }                      // [0, 1), 1 draw
  double unit53() { return double(int64_t(random64() & 0x1fffffffffffff)) * 0x1p-53; }  // [0, 1), 2 draws
  // A standard normal. Two are made at a time; the second waits here, across all functions and dtypes.
  double normal();

  // Writes kStateBytes in PyTorch's layout.
  void get_state(uint8_t* out) const;
  // Throws std::runtime_error, and changes nothing, unless `bytes` and the content are those of a saved state.
  void set_state(const uint8_t* state, size_t bytes);

 private:
  static constexpr int kWords = 624;
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  // The index of the next word. A restored state may pair any `left` with any `next`, so both are watched.
  int advance() {
    if (--left_ == 0 || next_ >= kWords) refill();
    return next_++;
  }
  void refill();

  uint64_t seed_;
  int left_;  // draws until the words are used up, plus one
  int next_;  // index of the next word
  bool has_normal_ = false, has_float_normal_ = false;
  double normal_ = 0;       // the second half of a Box-Muller pair
  float float_normal_ = 0;  // nothing here makes or reads one; a restored state may carry it on
  uint32_t words_[kWords];
};

}  // namespace chainrule
