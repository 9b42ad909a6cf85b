// One step of an optimiser over the arrays of one parameter: parameter, gradient and state in one pass.
#pragma once
#include <array>
#include <cstdint>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {

enum class Optimiser : uint8_t { Sgd, Adam, Adagrad, RmsProp, Adadelta, Adamax, NAdam, RAdam, Rprop, Asgd };

// What a step is told. Which numbers count, and what the arrays hold, depends on the optimiser.
struct StepNumbers {
  double lr = 0, weight_decay = 0, eps = 0;
  // Sgd: momentum and dampening. RmsProp: momentum and alpha. Adadelta: rho is beta2. Rprop: the factors of a shrinking
  // and a growing step. Asgd: beta1 is what remains of the parameter.
  double beta1 = 0, beta2 = 0;
  double correction1 = 1, correction2 = 1;  // of the bias of averages that began at zero
  // NAdam: of gradient and average. RAdam: rectification, 0 for none. Rprop: the smallest and the largest step.
  // Asgd: the share of the parameter in the average.
  double factor = 0, factor2 = 0;
  bool maximize = false;
  bool decoupled = false;  // weight decay shrinks the parameter, not through the gradient
  bool nesterov = false, first = false, centered = false, amsgrad = false;
};

// arrays[0] is the parameter, arrays[1] the gradient, then the states (null where there is none):
// Sgd: momentum. Adam: average, squares, largest squares. Adagrad: sum of squares. RmsProp: squares, momentum, average.
// Adadelta: squares, squares of steps. Adamax: average, largest. NAdam, RAdam: average, squares. Rprop: last gradient,
// step. Asgd: average of parameters.
struct OptimiserStep {
  Optimiser optimiser;
  DType dtype;  // float32 or float64
  std::array<void*, 5> arrays;
  int64_t n;
  const StepNumbers& numbers;
};

struct OptimiseKernels {
  Kernel<void(const OptimiserStep&)> step;
};

}  // namespace chainrule
