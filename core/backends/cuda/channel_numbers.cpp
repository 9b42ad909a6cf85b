// The numbers of channels, which stay on the GPU: nothing waits for them.
#include "backends/cuda/channel_norm.hpp"
#include "backends/cuda/hand.hpp"

namespace chainrule::cuda {
namespace {

struct NumbersTask {
  ChannelStatistics statistics{};
  int64_t count = 0, channels = 0, parameters = 1;
  const double *weight = nullptr, *bias = nullptr, *g_sums = nullptr, *deviation_sums = nullptr;
  double number = 0, elements = 0;
  bool flag = false;
  double *to = nullptr, *second = nullptr;
};

void run(const char* entry, const NumbersTask& task) {
  if (task.count > 0) KernelText("channel_numbers.cuh", entry).run({blocks_for(task.count)}, kThreads, task);
}

void run_combination(const char* entry, int64_t count, const CombinationNumbers& m) {
  run(entry, {.statistics = m.statistics,
              .count = count,
              .channels = m.channels,
              .parameters = m.parameters,
              .weight = m.weight,
              .g_sums = m.g_sums,
              .deviation_sums = m.deviation_sums,
              .elements = m.size,
              .to = m.to});
}

}  // namespace

void channel_deviations(const ChannelDeviations& d) {
  run("deviations", {.statistics = {d.variances, nullptr, d.step}, .count = d.count, .number = d.eps, .to = d.rstds});
}
void channel_move_running(const RunningStatistics& r) {
  run("move_running", {.count = r.channels,
                       .weight = r.values,
                       .bias = r.before,
                       .number = r.momentum,
                       .elements = r.count,
                       .flag = r.of_variances,
                       .to = r.after});
}
void channel_affine_numbers(const AffineNumbers& a) {
  run("affine_numbers", {.statistics = a.statistics,
                         .count = a.channels,
                         .channels = a.channels,
                         .parameters = a.parameters,
                         .weight = a.weight,
                         .bias = a.bias,
                         .flag = a.folds,
                         .to = a.to});
}
void channel_combination_numbers(const CombinationNumbers& m) { run_combination("combination_numbers", m.channels, m); }
void channel_group_combination_numbers(const CombinationNumbers& m) {
  run_combination("group_combination_numbers", divide_up(m.channels, m.statistics.per_group), m);
}
void channel_parameter_gradients(const ParameterGradients& p) {
  run("parameter_gradients", {.statistics = p.statistics,
                              .count = p.parameters,
                              .channels = p.channels,
                              .parameters = p.parameters,
                              .g_sums = p.g_sums,
                              .deviation_sums = p.deviation_sums,
                              .to = p.weight,
                              .second = p.bias});
}

}  // namespace chainrule::cuda
