// Random numbers, in PyTorch's streams.
#pragma once
#include "backends/backend.hpp"
#include "backends/generator.hpp"
#include "backends/kernel.hpp"
#include "tensor/dims.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

// Where numbers go: one after another if contiguous, else in the stream's own order of elements. A complex tensor is
// filled as twice as many reals.
struct RandomFill {
  Generator& generator;
  DType dtype;  // not complex
  char* out;
  int64_t n;
  bool contiguous;
  Span sizes, strides;  // read only where it is not
};

// A coin for each element, with a probability (floats) of its own.
struct TossedEach {
  Generator& generator;
  DType dtype, p_dtype;
  char* out;
  const char* p;
  int64_t n;
  bool contiguous;  // both
  Span sizes, strides, p_strides;
};

// One sample for each element of contiguous parameters.
struct SampledEach {
  Generator& generator;
  DType dtype;
  char* out;
  const char *a, *b;  // the second is for binomial samples: probabilities
  int64_t n;
};

// Indices (rows, samples), drawn by weights (rows, columns), which are floats.
struct WeightedChoice {
  DType dtype;
  const char* weights;
  int64_t rows, columns, samples;
  int64_t* indices;
};

// Training rrelu: elements <= 0 draw their slope; noise receives it, or 1 where the input is positive.
struct RandomSlopes {
  Generator& generator;
  DType dtype;
  char *out, *noise;
  const char* input;
  int64_t n;
  double lower, upper;
};

// Dropout in one pass: the mask of what is kept, with probability `keep`, and the input times mask / keep. Result and
// mask have the same strides.
struct FusedDropout {
  Generator& generator;
  DType dtype;
  const char* input;
  char* out;
  bool* mask;
  int64_t n;
  bool dense;  // one after another in memory, and the input in the same order
  Span sizes, input_strides, strides;
  double keep;
};

struct RandomKernels {
  // Floats.
  Kernel<void(const RandomFill&, double from, double to)> uniform;
  Kernel<void(const RandomFill&, double mean, double std)> normal;
  Kernel<void(const RandomFill&, double mean, double std)> log_normal;
  Kernel<void(const RandomFill&, double median, double sigma)> cauchy;
  Kernel<void(const RandomFill&, double lambda)> exponential;
  Kernel<void(const RandomFill&, double p)> dropout;  // 0 with probability p, else 1 / (1 - p); for 0 < p < 1
  // All numbers; but geometric no bools.
  Kernel<void(const RandomFill&, double p)> geometric;
  Kernel<void(const RandomFill&, double p)> bernoulli;
  Kernel<void(const RandomFill&)> integers;  // from 0 to the largest that the dtype holds exactly
  Kernel<void(const RandomFill&, int64_t from, int64_t to)> integers_between;  // `to` excluded
  Kernel<void(const RandomFill&, int64_t from)> integers_from;                 // to the largest
  Kernel<void(const RandomFill&)> permutation;                                 // contiguous, no bools

  Kernel<void(const TossedEach&)> bernoulli_each;
  Kernel<void(const SampledEach&)> poisson;                     // floats
  Kernel<void(const SampledEach&)> binomial;                    // float and double, as all that follow
  Kernel<void(const SampledEach&)> gamma;                       // standard ones
  Kernel<void(const SampledEach&, int64_t columns)> dirichlet;  // each row gives one point of the simplex
  Kernel<void(const RandomSlopes&)> rrelu;
  Kernel<void(const FusedDropout&)> fused_dropout;  // null where a backend composes it

  // Raises where weights are none; `together`: all are looked at before each row is.
  Kernel<void(const WeightedChoice&, bool together)> check_weights;
  // With replacement, several samples.
  Kernel<void(const WeightedChoice&, Generator&)> choose;
  // Without replacement, or for one sample: `clocks` are exponential(1), one per weight.
  Kernel<void(const WeightedChoice&, const char* clocks)> sample_without_replacement;
};

}  // namespace chainrule
