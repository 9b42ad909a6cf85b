// Steps of optimisers over all parameters at once.
#include "ops/networks/optimise.hpp"

#include <cmath>

#include "autograd/inplace.hpp"
#include "backends/normalize.hpp"
#include "backends/recording/recording.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/networks/kernel_input.hpp"
#include "ops/reduce/reduce.hpp"
#include "tensor/item.hpp"

namespace chainrule {
namespace {

void check_array(const char* name, const Tensor& parameter, const Tensor& t) {
  check(equal(t.sizes(), parameter.sizes()), name, ": a parameter of shape ", parameter.sizes(),
        " has a gradient or state of shape ", t.sizes());
  check(is_floating(t.dtype()), name, ": expected floating point tensors, but got ", facts(t.dtype()).tensor_name);
}

}  // namespace

double read_number(const Tensor& t) {
  check(t.numel() == 1, "expected a step count of one element, but got shape ", t.sizes());
  return item(t).real;
}

double write_number(const Tensor& t, double value) {
  check(t.numel() == 1, "expected a step count of one element, but got shape ", t.sizes());
  check_inplace(t, grad_enabled() && requires_grad(t));
  set_item(t, Scalar(value));
  mark_written(t);
  return read_number(t);
}

void count_steps(const TensorList& steps) {
  replayed_as(
      [&steps] {
        for (const Tensor& t : steps) write_number(t, read_number(t) + 1);
      },
      [steps] {
        for (const Tensor& t : steps) set_item(t, Scalar(read_number(t) + 1));
      });
}

void check_list(const char* name, size_t parameters, size_t given, const char* what) {
  check(parameters == given, name, ": ", parameters, " parameters, but ", given, " ", what);
}

bool apply_scale(const TensorList& gradients, const GradientScale& s) {
  if (s.found_inf && read_number(s.found_inf) != 0) return false;
  if (!s.scale) return true;
  GradModeScope off(false);
  for (const Tensor& g : gradients) elementwise_inplace(OpId::div, {g, Operand(read_number(s.scale))});
  return true;
}

std::optional<OptimiserArrays> step_one(const char* name, Optimiser optimiser, std::vector<Tensor> arrays,
                                        const StepNumbers& numbers) {
  const Tensor& parameter = arrays[0];
  check_array(name, parameter, parameter);
  check_inplace(parameter, grad_enabled() && requires_grad(parameter));
  GradModeScope off(false);
  DType dtype = kernel_dtype(parameter.dtype());
  std::vector<Tensor> used;
  OptimiserStep step{optimiser, dtype, {}, parameter.numel(), numbers};
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i]) check_array(name, parameter, arrays[i]);
    used.push_back(arrays[i] ? contiguous(to_dtype(arrays[i], dtype)) : Tensor());
    step.arrays[i] = arrays[i] ? used.back()->data : nullptr;
  }
  if (parameter.numel() > 0) backend().optimise->step(step);
  bool themselves = true;
  for (size_t i = 0; i < arrays.size(); ++i) {
    themselves &= used[i].get() == arrays[i].get();
    if (!arrays[i] || i == 1) continue;
    if (used[i].get() != arrays[i].get()) copy_elements(arrays[i], used[i]);
    mark_written(arrays[i]);
  }
  return themselves ? std::optional(OptimiserArrays{dtype, step.arrays, step.n}) : std::nullopt;
}

void run_steps(Optimiser optimiser, const std::vector<OptimiserArrays>& all,
               const std::function<StepNumbers(size_t)>& numbers_of) {
  for (size_t i = 0; i < all.size(); ++i) {
    const StepNumbers numbers = numbers_of(i);
    if (all[i].n > 0) backend().optimise->step({optimiser, all[i].dtype, all[i].arrays, all[i].n, numbers});
  }
}

namespace {

// sum |x|^p, or the largest |x| for p = inf, of one tensor.
double power_sum(const Tensor& t, double p) {
  GradModeScope off(false);
  if (p == 2 && is_floating(t.dtype())) {
    Tensor x = prepared(t);
    if (x.numel() == 0) return 0;
    double mean = 0, sum = 0, squares = 0;  // no kernel runs on meta
    backend().normalize->sums({x.dtype(), {1, 1, x.numel()}, {&mean, nullptr}, x->data, x->data, &sum, &squares});
    return squares;
  }
  Tensor norm = vector_norm(t, p, {}, false, DType::Float64);
  double value = item(norm).real;
  return std::isinf(p) ? value : p == 0 ? value : std::pow(value, p);
}

}  // namespace

namespace {

double norm_of(const TensorList& tensors, double p) {
  double total = 0;
  for (const Tensor& t : tensors) {
    double part = t.numel() == 0 ? 0 : power_sum(t, p);
    total = !std::isinf(p) ? total + part : p > 0 ? std::max(total, part) : std::min(total, part);
    if (part != part) total = part;
  }
  return std::isinf(p) || p == 0 ? total : p == 2 ? std::sqrt(total) : std::pow(total, 1 / p);
}

// max_norm / (norm + 1e-6), rounded as operations on the tensor would be.
double scale_to_norm(const Tensor& norm, double max_norm) {
  double value = read_number(norm);
  if (norm.dtype() != DType::Float32) return max_norm * (1 / (value + 1e-6));
  return static_cast<float>(max_norm) * (1 / (static_cast<float>(value) + 1e-6f));
}

void shorten(const TensorList& tensors, double factor) {
  if (factor >= 1) return;
  GradModeScope off(false);
  for (const Tensor& t : tensors) elementwise_inplace(OpId::mul, {t, Operand(factor)});
}

// A place for the norm of these.
Tensor new_norm(const TensorList& tensors) {
  Tensor norm = empty({}, tensors.empty() ? default_dtype() : tensors[0].dtype());
  if (recorder) recorder->note_owned(norm);
  return norm;
}

}  // namespace

Tensor total_norm(const TensorList& tensors, double p) {
  const Tensor norm = new_norm(tensors);
  replayed_whole([=] { set_item(norm, Scalar(norm_of(tensors, p))); });
  return norm;
}

Tensor clip_to_norm(const TensorList& tensors, double max_norm, double p) {
  const Tensor norm = new_norm(tensors);
  replayed_whole([=] {
    set_item(norm, Scalar(norm_of(tensors, p)));
    shorten(tensors, scale_to_norm(norm, max_norm));
  });
  return norm;
}

}  // namespace chainrule
