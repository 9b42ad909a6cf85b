// The Mersenne Twister: seeding, draws, the cached normal and the saved state.
#include "backends/mersenne_twister.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>

#include "backends/cpu/random/streams.hpp"

namespace chainrule {

namespace {

// A saved state as PyTorch lays it out, little endian; fields that are no longer used stay zero.
struct SavedState {
  uint64_t seed;
  int32_t left, seeded;
  uint64_t next;
  uint64_t words[624];
  double unused_before, normal, unused_after;
  int32_t has_normal, padding;
  float float_normal;
  uint8_t has_float_normal, more_padding[3];
};
static_assert(sizeof(SavedState) == MersenneTwister::kStateBytes);

SavedState read_state(const uint8_t* state, size_t bytes) {
  if (bytes != sizeof(SavedState))
    throw std::runtime_error("Expected a CPUGeneratorImplState of size " + std::to_string(sizeof(SavedState)) +
                             " but found the input RNG state size to be " + std::to_string(bytes));
  SavedState saved;
  memcpy(&saved, state, bytes);
  if (!saved.seeded || saved.left <= 0 || saved.left > 624 || uint32_t(saved.next) > 624)
    throw std::runtime_error("Invalid mt19937 state");
  return saved;
}

}  // namespace

void MersenneTwister::manual_seed(uint64_t seed) {
  seed_ = seed;
  words_[0] = uint32_t(seed);
  for (uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  left_ = 1;
  next_ = 0;
  has_normal_ = has_float_normal_ = false;
}

void MersenneTwister::refill() {
  CR_DISPATCH(mt_refill)(words_);
  left_ = kWords;
  next_ = 0;
}

void MersenneTwister::random(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (left_ == 1 || next_ >= kWords) {
      refill();
      ++left_;  // as before the draws below, which count it down
    }
    int count = int(std::min<int64_t>({n, left_ - 1, kWords - next_}));
    CR_DISPATCH(mt_temper)(words_ + next_, out, count);
    next_ += count;
    left_ -= count;
    out += count;
    n -= count;
  }
}

void MersenneTwister::discard(int64_t n) {
  for (; n > 0; --n) advance();
}

double MersenneTwister::normal() {
  if (has_normal_) {
    has_normal_ = false;
    return normal_;
  }
  double turns = unit53(), u = unit53();
  double radius = std::sqrt(-2.0 * std::log1p(-u)), angle = 2.0 * std::numbers::pi * turns;
  normal_ = radius * std::sin(angle);
  has_normal_ = true;
  return radius * std::cos(angle);
}

void MersenneTwister::get_state(uint8_t* out) const {
  SavedState saved{};
  saved.seed = seed_;
  saved.left = left_;
  saved.seeded = 1;
  saved.next = uint64_t(next_);
  std::copy(words_, words_ + kWords, saved.words);
  saved.has_normal = has_normal_;
  saved.normal = has_normal_ ? normal_ : 0;
  saved.has_float_normal = has_float_normal_;
  saved.float_normal = has_float_normal_ ? float_normal_ : 0;
  memcpy(out, &saved, sizeof saved);
}

void MersenneTwister::set_state(const uint8_t* state, size_t bytes) {
  SavedState saved = read_state(state, bytes);
  seed_ = saved.seed;
  left_ = saved.left;
  next_ = int(uint32_t(saved.next));  // PyTorch, too, looks at its low half only
  std::transform(saved.words, saved.words + kWords, words_, [](uint64_t word) { return uint32_t(word); });
  has_normal_ = saved.has_normal != 0;
  normal_ = saved.normal;
  has_float_normal_ = saved.has_float_normal != 0;
  float_normal_ = saved.float_normal;
}

}  // namespace chainrule
