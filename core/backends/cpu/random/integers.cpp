// Random integers in any dtype, and permutations.
#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/random/each_type.hpp"
#include "backends/cpu/random/random.hpp"
#include "backends/random/convert.hpp"
#include "backends/random/integer_bounds.hpp"

namespace chainrule::cpu::random {

namespace {

constexpr int64_t kTile = 512;

// a % d for many a: a multiplication by 2^64 / d keeps the quotient's fraction, another turns it into the remainder.
class Remainder32 {
 public:
  explicit Remainder32(uint32_t divisor) : divisor_(divisor), inverse_(~uint64_t(0) / divisor + 1) {}
  uint32_t operator()(uint32_t a) const { return uint32_t((unsigned __int128)(inverse_ * a) * divisor_ >> 64); }

 private:
  uint64_t divisor_, inverse_;
};

template <class T, class F>
void fill_draws32(MersenneTwister& generator, T* out, int64_t n, F&& value) {
  uint32_t draws[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = std::min(kTile, n - i);
    generator.random(draws, count);
    for (int64_t j = 0; j < count; ++j) out[i + j] = value(draws[j]);
  }
}

template <class T, class F>
void fill_draws64(MersenneTwister& generator, T* out, int64_t n, F&& value) {
  uint32_t draws[2 * kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    int64_t count = std::min(kTile, n - i);
    generator.random(draws, 2 * count);
    for (int64_t j = 0; j < count; ++j) out[i + j] = value(uint64_t(draws[2 * j]) << 32 | draws[2 * j + 1]);
  }
}

// base + r mod range, in wrap-around arithmetic; from 2^28 on, one draw would favour small values too much.
template <class T>
void fill_range(MersenneTwister& generator, T* out, int64_t n, uint64_t range, int64_t base) {
  if (range >= uint64_t(1) << 28)
    return fill_draws64(generator, out, n, [=](uint64_t r) { return convert<T>(int64_t(r % range + uint64_t(base))); });
  if (range <= 1)  // one value, whose inverse does not fit; none at all is an error that the caller has let through
    return fill_draws32(generator, out, n, [=](uint32_t) { return convert<T>(base); });
  Remainder32 remainder{uint32_t(range)};
  fill_draws32(generator, out, n, [=](uint32_t r) { return convert<T>(int64_t(remainder(r) + uint64_t(base))); });
}

}  // namespace

template <class T>
void random_full(MersenneTwister& generator, T* out, int64_t n) {
  if constexpr (std::is_same_v<T, bool>)
    fill_draws32(generator, out, n, [](uint32_t r) { return bool(r & 1); });
  else if constexpr (is_float_type<T> && sizeof(T) < 8)
    fill_draws32(generator, out, n, [](uint32_t r) { return convert<T>(int64_t(r % uint32_t(largest<T>() + 1))); });
  else if constexpr (is_float_type<T>)
    fill_draws64(generator, out, n, [](uint64_t r) { return T(int64_t(r % uint64_t(largest<T>() + 1))); });
  else if constexpr (sizeof(T) < 8)
    fill_draws32(generator, out, n, [](uint32_t r) { return T(r & uint32_t(largest<T>())); });
  else
    fill_draws64(generator, out, n, [](uint64_t r) { return T(r & uint64_t(largest<T>())); });
}

template <class T>
void random_range(MersenneTwister& generator, T* out, int64_t n, int64_t from, int64_t to) {
  if constexpr (is_float_type<T>) {
    from = raise_bound<T>(from);
    to = lower_bound<T>(to);
  }
  fill_range(generator, out, n, uint64_t(to) - uint64_t(from), from);
}

template <class T>
void random_from(MersenneTwister& generator, T* out, int64_t n, int64_t from) {
  if (from == std::numeric_limits<int64_t>::min())
    return fill_draws64(generator, out, n, [](uint64_t r) { return convert<T>(int64_t(r)); });
  if constexpr (is_float_type<T>) from = raise_bound<T>(from);
  fill_range(generator, out, n, uint64_t(largest<T>()) - uint64_t(from) + 1, from);
}

template <class T>
void randperm(MersenneTwister& generator, T* out, int64_t n) {
  if (n >= 0xffffffff / 20) {  // one draw no longer chooses evenly enough: built from inside out with two
    for (int64_t i = 0; i < n; ++i) {
      int64_t chosen = int64_t(generator.random64() % uint64_t(i + 1));
      out[i] = out[chosen];
      out[chosen] = convert<T>(i);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(i);
  uint32_t draws[kTile];
  for (int64_t begin = 0; begin < n - 1; begin += kTile) {
    int64_t count = std::min(kTile, n - 1 - begin);
    generator.random(draws, count);
    for (int64_t i = begin; i < begin + count; ++i) std::swap(out[i], out[i + draws[i - begin] % uint32_t(n - i)]);
  }
}

#define CR_NUMBER(T)                                                              \
  template void random_full<T>(MersenneTwister&, T*, int64_t);                    \
  template void random_range<T>(MersenneTwister&, T*, int64_t, int64_t, int64_t); \
  template void random_from<T>(MersenneTwister&, T*, int64_t, int64_t);           \
  template void randperm<T>(MersenneTwister&, T*, int64_t);
CR_NUMBER(bool)
CR_EACH_INTEGER(CR_NUMBER)
CR_EACH_FLOAT(CR_NUMBER)
#undef CR_NUMBER

}  // namespace chainrule::cpu::random
