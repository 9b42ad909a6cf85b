// Steps of optimisers over all parameters at once.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "backends/optimise.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

using TensorList = std::vector<Tensor>;

// Of one parameter: where its arrays are.
struct OptimiserArrays {
  DType dtype;
  std::array<void*, 5> arrays;
  int64_t n;
};

// What a mixed-precision scaler passes along: gradients are divided by `scale`; nothing happens when `found_inf` is not
// zero. Null handles: not given.
struct GradientScale {
  Tensor scale, found_inf;
};

// One list per array of the optimiser (see OptimiserStep), each as long as `parameters` or empty. `numbers_of` is
// called with the index of each parameter.
template <class NumbersOf>
void step_all(const char* name, Optimiser optimiser, const TensorList& parameters, const TensorList& gradients,
              std::initializer_list<const TensorList*> states, const GradientScale& scale, NumbersOf numbers_of);

// The number in a tensor of one element, as a step count is kept; and the same set anew, rounded to the tensor's dtype.
double read_number(const Tensor& t);
double write_number(const Tensor& t, double value);
// One step more, in each of them.
void count_steps(const TensorList& steps);

// The p-norm of all elements of all tensors, and the same after scaling them down so that it is at most `max_norm`.
Tensor total_norm(const TensorList& tensors, double p);
Tensor clip_to_norm(const TensorList& tensors, double max_norm, double p);

// Checks one parameter with its gradient and states, and runs one step on it. Gives what the kernel was told, if that
// is the tensors themselves.
std::optional<OptimiserArrays> step_one(const char* name, Optimiser optimiser, std::vector<Tensor> arrays,
                                        const StepNumbers& numbers);
// While a step is recorded: the kernel's calls of one step, for a replay that asks for the numbers anew.
struct OptimiserCalls {
  std::function<void()> run;  // empty where they cannot be made alone
  std::vector<OptimiserArrays> arrays;
};
inline thread_local OptimiserCalls* collected_calls = nullptr;
class CollectScope {
 public:
  explicit CollectScope(OptimiserCalls& to) { collected_calls = &to; }
  ~CollectScope() { collected_calls = nullptr; }
  CollectScope(const CollectScope&) = delete;
};
void run_steps(Optimiser optimiser, const std::vector<OptimiserArrays>& all,
               const std::function<StepNumbers(size_t)>& numbers_of);
// Divides gradients in place; false when the step is to be left out.
bool apply_scale(const TensorList& gradients, const GradientScale& scale);
void check_list(const char* name, size_t parameters, size_t given, const char* what);

template <class NumbersOf>
void step_all(const char* name, Optimiser optimiser, const TensorList& parameters, const TensorList& gradients,
              std::initializer_list<const TensorList*> states, const GradientScale& scale, NumbersOf numbers_of) {
  check_list(name, parameters.size(), gradients.size(), "gradients");
  for (const TensorList* s : states) {
    if (!s->empty()) check_list(name, parameters.size(), s->size(), "states");
  }
  if (!apply_scale(gradients, scale)) return;
  std::vector<OptimiserArrays> told;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<Tensor> arrays{parameters[i], gradients[i]};
    for (const TensorList* s : states) arrays.push_back(s->empty() ? Tensor() : (*s)[i]);
    const auto used = step_one(name, optimiser, std::move(arrays), numbers_of(i));
    if (collected_calls && used) told.push_back(*used);
  }
  if (collected_calls && told.size() == parameters.size() && !scale.scale && !scale.found_inf)
    *collected_calls = {
        [optimiser, told, f = std::function<StepNumbers(size_t)>(numbers_of)] { run_steps(optimiser, told, f); }, told};
}

}  // namespace chainrule
