// Losses over classes: one number per sample is picked out of the scores.
#pragma once
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

enum LossReduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };  // PyTorch's numbers for 'none', 'mean', 'sum'

// Scores are (samples, classes, positions), with one target for each sample and position; those that are `ignored`
// count nothing.
struct ClassTargets {
  int64_t samples, classes, positions;
  int64_t reduction, ignored;
  const int64_t* target;
  DType dtype;         // of all but the targets: float32 or float64
  const void* weight;  // of the classes; null: 1

  int64_t count() const { return samples * positions; }
  bool counts(int64_t i) const { return target[i] != ignored; }
  // Where the number for target i stands.
  int64_t at(int64_t i) const { return (i / positions * classes + target[i]) * positions + i % positions; }
};

struct NllLoss {
  ClassTargets targets;
  const void* x;
  void* out;  // the loss of every target, or one number
};

struct NllGradient {
  ClassTargets targets;
  const void* g;
  void* out;
};

// There is one position.
struct CrossEntropy {
  ClassTargets targets;
  const void* x;
  void* log_totals;  // of each row: log(sum(exp(x)))
  void* out;
};

struct CrossEntropyGradient {
  ClassTargets targets;
  const void *g, *x, *log_totals;
  void* out;
};

struct LossKernels {
  Kernel<void(const NllLoss&)> nll;
  Kernel<void(const NllGradient&)> nll_gradient;  // zeros but for the target classes
  Kernel<void(const CrossEntropy&)> cross_entropy;
  Kernel<void(const CrossEntropyGradient&)> cross_entropy_gradient;
};

}  // namespace chainrule
