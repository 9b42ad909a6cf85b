// The few numbers of each channel, between the passes over its elements. A thread has a channel, a parameter or a group.
struct Statistics {
  const double *means, *rstds;
  int64_t step, per_group;
  double mean(int64_t channel) const { return means[channel / per_group * step]; }
  double rstd(int64_t channel) const { return rstds[channel / per_group * step]; }
};
struct Arguments {
  Statistics statistics;
  int64_t count, channels, parameters;  // count: of threads with work
  const double *weight, *bias, *g_sums, *deviation_sums;
  double number;    // eps, or the momentum
  double elements;  // that each of the statistics is of
  bool flag;        // the mean becomes part of the shift; or the values are variances
  double *to, *second;
};

// statistics.means: the variances
KERNEL_BOUNDED(deviations, Arguments, 256) {
  const int64_t i = thread_number();
  if (i < a.count) a.to[i * a.statistics.step] = 1 / sqrt(a.statistics.means[i * a.statistics.step] + a.number);
}

// weight: the values; bias: what they were before
KERNEL_BOUNDED(move_running, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.count) return;
  const double value = a.flag ? a.weight[i] * a.elements / (a.elements - 1) : a.weight[i];
  a.to[i] = (1 - a.number) * a.bias[i] + a.number * value;
}

KERNEL_BOUNDED(affine_numbers, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.count) return;
  const int64_t p = i % a.parameters;
  const double mean = a.statistics.mean(i), scale = a.statistics.rstd(i) * (a.weight ? a.weight[p] : 1.0);
  const double shift = a.bias ? a.bias[p] : 0.0;
  a.to[i] = mean;
  a.to[a.channels + i] = scale;
  a.to[2 * a.channels + i] = a.flag ? shift - mean * scale : shift;
}

inline void combination(const Arguments& a, int64_t i, double scale, double slope, double shift) {
  a.to[i] = a.statistics.mean(i);
  a.to[a.channels + i] = scale;
  a.to[2 * a.channels + i] = slope;
  a.to[3 * a.channels + i] = shift;
}
KERNEL_BOUNDED(combination_numbers, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.count) return;
  const double rstd = a.statistics.rstd(i), scale = (a.weight ? a.weight[i] : 1.0) * rstd;
  combination(a, i, scale, a.g_sums ? -scale * rstd * rstd * a.deviation_sums[i] / a.elements : 0.0,
              a.g_sums ? -scale * a.g_sums[i] / a.elements : 0.0);
}

inline double weight_of(const Arguments& a, int64_t i) { return a.weight ? a.weight[i % a.parameters] : 1.0; }
KERNEL_BOUNDED(group_combination_numbers, Arguments, 256) {
  const int64_t first = thread_number() * a.statistics.per_group, end = first + a.statistics.per_group;
  if (thread_number() >= a.count) return;
  const double rstd = a.statistics.rstd(first);
  double g = 0, deviations = 0;
  for (int64_t i = first; i < end; ++i) {
    g += weight_of(a, i) * a.g_sums[i];
    deviations += weight_of(a, i) * a.deviation_sums[i];
  }
  for (int64_t i = first; i < end; ++i)
    combination(a, i, rstd * weight_of(a, i), -rstd * rstd * rstd * deviations / a.elements, -rstd * g / a.elements);
}

KERNEL_BOUNDED(parameter_gradients, Arguments, 256) {
  const int64_t p = thread_number();
  if (p >= a.count) return;
  double weight = 0, bias = 0;
  for (int64_t i = p; i < a.channels; i += a.parameters) {
    weight += a.deviation_sums[i] * a.statistics.rstd(i);
    bias += a.g_sums[i];
  }
  a.to[p] = weight;
  a.second[p] = bias;
}
