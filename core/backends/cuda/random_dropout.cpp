// Dropout in one pass, and the slopes of rrelu.
#include "backends/cuda/hand.hpp"
#include "backends/cuda/random.hpp"
#include "backends/cuda/random_order.hpp"

namespace chainrule::cuda {
namespace {

struct DropTask {
  const char* input;
  char* out;
  bool* mask;
  int64_t n;
  uint64_t seed, offset;
  double keep;
  Strided<2> at;
};
struct SlopeTask {
  const char* input;
  char *out, *noise;
  int64_t n;
  uint64_t seed, offset;
  double lower, width;
};

// How many neighbours a thread takes, which decides who gets which number: no more than 16 bytes, as far as the address
// of the input and the number of elements allow.
int64_t vector_size(const FusedDropout& d) {
  if (!d.dense) return 1;
  const auto item = static_cast<int64_t>(size_of(d.dtype));
  int64_t most = 8;
  while (most > 1 && (most * item > 16 || reinterpret_cast<uintptr_t>(d.input) % static_cast<size_t>(most * item) != 0))
    most /= 2;
  while (most > 1 && d.n % most != 0) most /= 2;
  return most;
}

}  // namespace

void drop(const FusedDropout& d) {
  if (d.n == 0) return;
  const int64_t vector = vector_size(d);
  const DealtOut dealt(d.n, 4, most_blocks_of_stream());
  const StreamPlace place(d.generator.philox(), dealt.increment);
  const auto at = vector > 1 ? Strided<2>(Layout({}, std::array<Span, 2>{}, true))
                             : strided_for_stream<2>(d.sizes, {d.input_strides, d.strides});
  const DropTask task{d.input, d.out, d.mask, d.n, place.seed, place.offset, d.keep, at};
  KernelText text("random_dropout.cuh", vector > 1 ? "drop_vectors" : "drop_elements");
  text.with("random.cuh").element(d.dtype).number("kVector", vector).run({dealt.blocks}, kThreads, task);
}

void random_slopes(const RandomSlopes& s) {
  if (s.n == 0) return;
  const DealtOut dealt(s.n, s.dtype == DType::Float64 ? 2 : 4, most_blocks_of_stream());
  const StreamPlace place(s.generator.philox(), dealt.increment);
  const SlopeTask task{s.input, s.out, s.noise, s.n, place.seed, place.offset, s.lower, s.upper - s.lower};
  KernelText("random_slopes.cuh", "slopes").with("random.cuh").element(s.dtype).run({dealt.blocks}, kThreads, task);
}

}  // namespace chainrule::cuda
