// Samples whose parameters are tensors.
#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/random.hpp"
#include "backends/cuda/random_order.hpp"

namespace chainrule::cuda {
namespace {

struct TossTask {
  char* out;
  const char* p;
  int64_t n;
  uint64_t seed, offset;
  Strided<2> at;
};
struct SampleTask {
  char* out;
  const char *p, *q;
  int64_t n;
  uint64_t seed, offset;
};
struct SimplexTask {
  const char* gammas;
  char* out;
  int64_t columns;
};

Strided<2> order_of(const TossedEach& t) {
  const int64_t next = 1;
  if (t.contiguous) return strided_for_stream<2>({&t.n, 1}, {Span(&next, 1), Span(&next, 1)});
  const Dims order = order_of_pair(t.sizes, t.strides, t.p_strides);
  const Dims out = reordered(t.strides, order), p = reordered(t.p_strides, order);
  return strided_for_stream<2>(reordered(t.sizes, order), {out, p});
}

const char* smallest_normal(DType t) {
  return t == DType::Float64 ? "2.2250738585072014e-308" : t == DType::Float16 ? "6.103515625e-05" : "0x1p-126";
}
// 1 - epsilon.
const char* below_one(DType t) {
  return t == DType::Float64   ? "1 - 0x1p-52"
         : t == DType::Float32 ? "1 - 0x1p-23"
         : t == DType::Float16 ? "1 - 0x1p-10"
                               : "1 - 0x1p-7";
}

// `words` are set aside for each thread. A thread may take more: PyTorch's do, and the next call takes them again.
void run(const char* entry, const SampledEach& s, int64_t words, int64_t blocks, int threads) {
  if (s.n == 0) return;
  const StreamPlace place(s.generator.philox(), words);
  const SampleTask task{s.out, s.a, s.b, s.n, place.seed, place.offset};
  KernelText("random_samples.cuh", entry)
      .with("random.cuh")
      .with("report.cuh")
      .element(s.dtype)
      .real("kSmallest", smallest_normal(s.dtype))
      .run({blocks}, threads, task);
}

}  // namespace

void toss_each(const TossedEach& t) {
  if (t.n == 0) return;
  const StreamPlace place(t.generator.philox(), 10);
  const TossTask task{t.out, t.p, t.n, place.seed, place.offset, order_of(t)};
  KernelText("random_each.cuh", "toss")
      .with("random.cuh")
      .with("report.cuh")
      .type("S", storage_type(t.dtype))
      .type("P", storage_type(t.p_dtype))
      .type("W", t.dtype == DType::Float64 ? "double" : "float")
      .run({blocks_for(divide_up(t.n, 4))}, kThreads, task);
}

void sample_poisson(const SampledEach& s) { run("poisson", s, 20, blocks_for(s.n), kThreads); }
void sample_binomial(const SampledEach& s) { run("binomial", s, 42, divide_up(s.n, 1024), 128); }
void sample_gamma(const SampledEach& s) { run("gamma", s, 10, blocks_for(s.n), kThreads); }

void sample_dirichlet(const SampledEach& s, int64_t columns) {
  if (s.n == 0) return;
  Scratch gammas(static_cast<size_t>(s.n) * size_of(s.dtype));
  sample_gamma({s.generator, s.dtype, gammas.data(), s.a, nullptr, s.n});
  KernelText("random_simplex.cuh", "normalise")
      .element(s.dtype)
      .real("kSmallest", smallest_normal(s.dtype))
      .real("kLargest", below_one(s.dtype))
      .run({s.n / columns}, kThreads, SimplexTask{gammas.data(), s.out, columns});
}

}  // namespace chainrule::cuda
