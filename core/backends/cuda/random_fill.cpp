// Destinations filled with one draw for each element.
#include "backends/cuda/hand.hpp"
#include "backends/cuda/random.hpp"
#include "backends/cuda/random_order.hpp"
#include "backends/random/integer_bounds.hpp"
#include "backends/random/types.hpp"

namespace chainrule::cuda {
namespace {

using random::by_float_type;
using random::by_type;

// As in kernels/random_fill.cuh.
struct FillTask {
  char* out;
  int64_t n;
  uint64_t seed, offset;
  double a, b;
  int64_t base;
  uint64_t range, mask;
  Strided<1> at;
};
// What a rule of the kernel reads.
struct Numbers {
  double a = 0, b = 0;
  int64_t base = 0;
  uint64_t range = 0, mask = ~uint64_t{0};
};
struct Law {
  const char *draw, *rule;
  int64_t each;
};

void fill_piece(const RandomFill& f, const Visited& piece, const Law& law, const Numbers& n) {
  Philox& philox = f.generator.philox();
  const DealtOut dealt(piece.numel(), law.each, most_blocks_of_stream());
  const StreamPlace place(philox, dealt.increment);
  const FillTask task{f.out + piece.offset * static_cast<int64_t>(size_of(f.dtype)),
                      piece.numel(),
                      place.seed,
                      place.offset,
                      n.a,
                      n.b,
                      n.base,
                      n.range,
                      n.mask,
                      strided_for_stream<1>(piece.sizes, {piece.strides})};
  KernelText("random_fill.cuh", "fill")
      .with("random.cuh")
      .with("random_draws.cuh")
      .element(f.dtype)
      .number("kContiguous", piece.is_contiguous())
      .type("Draw", law.draw)
      .type("Rule", law.rule)
      .run({dealt.blocks}, kThreads, task);
}

// What is too large to be counted with 32 bits reserves for the whole, and again for each of its pieces, as in PyTorch.
void fill(const RandomFill& f, const Law& law, const Numbers& n) {
  if (f.n == 0) return;
  const int64_t next = 1;
  const Visited whole =
      f.contiguous ? in_order_of_memory({&f.n, 1}, {&next, 1}) : in_order_of_memory(f.sizes, f.strides);
  const auto pieces = counted_pieces(whole, static_cast<int64_t>(size_of(f.dtype)));
  if (pieces.size() > 1) {
    const DealtOut dealt(f.n, law.each, most_blocks_of_stream());
    f.generator.philox().reserve(static_cast<uint64_t>(dealt.increment));
  }
  for (const Visited& piece : pieces) fill_piece(f, piece, law, n);
}

// Doubles take two words each, all else one.
void fill_units(const RandomFill& f, const char* rule, double a, double b) {
  const bool wide = f.dtype == DType::Float64;
  fill(f, {wide ? "Units53" : "Units32", rule, wide ? 2 : 4}, {.a = a, .b = b});
}
void fill_normals(const RandomFill& f, const char* rule, double mean, double std) {
  const bool wide = f.dtype == DType::Float64;
  fill(f, {wide ? "Normals53" : "Normals32", rule, wide ? 2 : 4}, {.a = mean, .b = std});
}
void fill_words(const RandomFill& f, bool wide, const Numbers& n) {
  fill(f, {wide ? "Words64" : "Words32", "Integer", wide ? 2 : 4}, n);
}
// One word would favour small values from here on.
void fill_range(const RandomFill& f, uint64_t range, int64_t base) {
  fill_words(f, range >= uint64_t{1} << 28, {.base = base, .range = range});
}

uint64_t count_of_values(DType t) {
  uint64_t count = 0;
  by_type(t, [&]<class T>(T) { count = static_cast<uint64_t>(random::largest<T>()) + 1; });
  return count;
}
bool is_float(DType t) { return t >= DType::Float16 && t <= DType::Float64; }

}  // namespace

void fill_uniform(const RandomFill& f, double from, double to) { fill_units(f, "Uniform", from, to); }
void fill_cauchy(const RandomFill& f, double median, double sigma) { fill_units(f, "Cauchy", median, sigma); }
void fill_exponential(const RandomFill& f, double lambda) { fill_units(f, "Exponential", lambda, 0); }
void fill_geometric(const RandomFill& f, double p) { fill_units(f, "Geometric", p, 0); }
void fill_bernoulli(const RandomFill& f, double p) { fill_units(f, "Coin", p, 1); }
void fill_dropout_noise(const RandomFill& f, double p) { fill_units(f, "Coin", 1 - p, 1 / (1 - p)); }
void fill_normal(const RandomFill& f, double mean, double std) { fill_normals(f, "Normal", mean, std); }
void fill_log_normal(const RandomFill& f, double mean, double std) { fill_normals(f, "LogNormal", mean, std); }

void fill_integers(const RandomFill& f) {
  fill_words(f, f.dtype == DType::Int64 || f.dtype == DType::Float64, {.range = count_of_values(f.dtype)});
}
void fill_integers_between(const RandomFill& f, int64_t from, int64_t to) {
  if (is_float(f.dtype)) {
    by_float_type(f.dtype, [&]<class T>(T) {
      from = random::raise_bound<T>(from);
      to = random::lower_bound<T>(to);
    });
  }
  fill_range(f, static_cast<uint64_t>(to) - static_cast<uint64_t>(from), from);
}
void fill_integers_from(const RandomFill& f, int64_t from) {
  if (from == std::numeric_limits<int64_t>::min()) return fill_words(f, true, {});
  if (is_float(f.dtype)) by_float_type(f.dtype, [&]<class T>(T) { from = random::raise_bound<T>(from); });
  fill_range(f, count_of_values(f.dtype) - static_cast<uint64_t>(from), from);
}

void fill_sort_keys(Generator& generator, int64_t* out, int64_t n, int bits) {
  const RandomFill f{generator, DType::Int64, reinterpret_cast<char*>(out), n, true, {}, {}};
  const int width = bits <= 32 ? 32 : 64;
  const int64_t lowest = width == 32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  const uint64_t range = width == 32 ? 0xffffffffu : ~uint64_t{0};
  const uint64_t mask = bits == width ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  fill_words(f, true, {.base = lowest, .range = range, .mask = mask});
}

}  // namespace chainrule::cuda
