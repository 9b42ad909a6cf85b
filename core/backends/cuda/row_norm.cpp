#include "backends/cuda/row_norm.hpp"

#include "backends/cuda/hand.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

struct NormTask {
  const void *x, *g, *weight, *bias;
  void* to;
  double* statistics;
  void *weight_sums, *bias_sums;
  int64_t rows, n, parts;
  double eps;
  bool centred;
};

KernelText text(const char* entry, DType dtype, int64_t group) {
  return KernelText("row_norm.cuh", entry).element(dtype).number("kGroup", group);
}
int64_t group_for(int64_t n) { return n <= 1024 ? 32 : 256; }

void sum_parts(DType dtype, const void* from, void* to, int64_t parts, int64_t n) {
  struct {
    const void* from;
    void* to;
    int64_t parts, n;
  } const task{from, to, parts, n};
  KernelText("sum_parts.cuh", "sum_parts").element(dtype).run({blocks_for(n)}, kThreads, task);
}

// Parts of the rows are added up apart, so that there is work for the whole GPU.
void parameter_gradients(const RowNormGradient& r, NormTask task) {
  const DType sums = compute_dtype(r.dtype);
  const int64_t columns = divide_up(r.n, 32), wanted = facts_of(current_device()).multiprocessors * int64_t{4};
  task.parts = std::clamp<int64_t>(wanted / columns, 1, std::max<int64_t>(1, r.rows / 32));
  const auto bytes = static_cast<size_t>(task.parts * r.n) * size_of(sums);
  const Scratch weights(bytes), biases(bytes);
  task.weight_sums = r.weight_gradient ? weights.data() : nullptr;
  task.bias_sums = r.bias_gradient ? biases.data() : nullptr;
  text("parameter_gradients", r.dtype, 32).run({columns, task.parts}, kThreads, task);
  if (r.weight_gradient) sum_parts(sums, weights.data(), r.weight_gradient, task.parts, r.n);
  if (r.bias_gradient) sum_parts(sums, biases.data(), r.bias_gradient, task.parts, r.n);
}

}  // namespace

void norm_rows(const RowNorm& r) {
  if (r.rows == 0) return;
  const int64_t group = group_for(r.n);
  const NormTask task{r.x,     nullptr, r.weight, r.bias, r.y,   r.statistics, nullptr,
                      nullptr, r.rows,  r.n,      1,      r.eps, r.centred};
  text("value", r.dtype, group).run({divide_up(r.rows * group, kThreads)}, kThreads, task);
}

void norm_rows_gradient(const RowNormGradient& r) {
  const NormTask task{r.x,    r.g, r.weight, nullptr, r.gradient, const_cast<double*>(r.statistics), nullptr, nullptr,
                      r.rows, r.n, 1,        0,       r.centred};
  const int64_t group = group_for(r.n);
  if (r.gradient && r.rows > 0)
    text("gradient", r.dtype, group).run({divide_up(r.rows * group, kThreads)}, kThreads, task);
  if ((r.weight_gradient || r.bias_gradient) && r.n > 0) parameter_gradients(r, task);
}

}  // namespace chainrule::cuda
