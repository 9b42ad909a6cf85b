// Permutations: positions sorted by random keys; those whose keys are equal are shuffled among themselves.
#include <cmath>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/random.hpp"
#include "backends/cuda/random_order.hpp"
#include "backends/sort.hpp"

namespace chainrule::cuda {
namespace {

struct ShuffleTask {
  const int64_t* keys;
  int64_t* positions;
  char* out;
  int64_t n;
  uint64_t seed, offset;
};

// So many that all keys differ nine times out of ten.
int bits_of_keys(int64_t n) {
  const auto m = static_cast<double>(n);
  const double wanted = std::ceil(std::log2(m - (6 * m * m + 1) / (12 * std::log(0.9))));
  return static_cast<int>(std::min(64.0, wanted));
}

}  // namespace

void fill_permutation(const RandomFill& f) {
  if (f.n == 0) return;
  const auto bytes = static_cast<size_t>(f.n) * sizeof(int64_t);
  Scratch keys(bytes), sorted(bytes), positions(bytes);
  auto numbers = [](const Scratch& s) { return reinterpret_cast<int64_t*>(s.data()); };
  fill_sort_keys(f.generator, numbers(keys), f.n, bits_of_keys(f.n));
  sort_kernels.rows.run({{DType::Int64, keys.data(), 1, f.n}, false, Ties::Kept, sorted.data(), numbers(positions)});
  const StreamPlace place(f.generator.philox(), f.n);
  const ShuffleTask task{numbers(sorted), numbers(positions), f.out, f.n, place.seed, place.offset};
  KernelText("random_permutation.cuh", "shuffle")
      .with("random.cuh")
      .element(f.dtype)
      .run({blocks_for(f.n)}, kThreads, task);
}

}  // namespace chainrule::cuda
