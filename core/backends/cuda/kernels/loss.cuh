// Losses over classes. Scores are (samples, classes, positions); a target that is out of range is told later.
struct Arguments {
  const int64_t* target;
  const T *weight, *x, *g, *log_totals;
  T *out, *kept;  // `kept`: the logarithm of each row's sum of exponentials
  double* sums;   // of losses and of weights
  int64_t samples, classes, positions, ignored, reduction;
};
enum Reduction { kNone, kMean, kSum };

// The target's class; -1 if it counts for nothing.
inline int64_t class_of(const Arguments& a, int64_t i) {
  const int64_t c = a.target[i];
  if (c == a.ignored) return -1;
  if (uint64_t(c) < uint64_t(a.classes)) return c;
  report_index(c, a.classes);
  return -1;
}
inline int64_t place_of(const Arguments& a, int64_t i, int64_t c) {
  return (i / a.positions * a.classes + c) * a.positions + i % a.positions;
}

KERNEL_BOUNDED(nll, Arguments, 256) {
  const int64_t count = a.samples * a.positions;
  double loss = 0, weight = 0;
  for (int64_t i = threadIdx.x; i < count; i += 256) {
    const int64_t c = class_of(a, i);
    const T w = c < 0 ? T(0) : a.weight ? a.weight[c] : T(1), one = c < 0 ? T(0) : -w * a.x[place_of(a, i, c)];
    if (a.reduction == kNone) a.out[i] = one;
    loss += one;
    weight += w;
  }
  if (a.reduction == kNone) return;
  loss = over_block(loss, Sum());
  weight = over_block(weight, Sum());
  if (threadIdx.x == 0) *a.out = T(a.reduction == kMean ? loss / weight : loss);
}

// The weights of all targets that count.
KERNEL_BOUNDED(weights, Arguments, 256) {
  double weight = 0;
  for (int64_t i = threadIdx.x; i < a.samples * a.positions; i += 256) {
    const int64_t c = class_of(a, i);
    weight += c < 0 ? 0 : a.weight ? double(a.weight[c]) : 1;
  }
  weight = over_block(weight, Sum());
  if (threadIdx.x == 0) a.sums[1] = weight;
}

// Into zeros.
KERNEL_BOUNDED(nll_gradient, Arguments, 256) {
  const int64_t i = thread_number();
  if (i >= a.samples * a.positions) return;
  const int64_t c = class_of(a, i);
  if (c < 0) return;
  const T g = a.reduction == kNone ? a.g[i] : a.reduction == kMean ? T(*a.g / a.sums[1]) : *a.g;
  a.out[place_of(a, i, c)] = -(a.weight ? a.weight[c] : T(1)) * g;
}

// ---- cross-entropy: a block for each row

KERNEL_BOUNDED(row_totals, Arguments, 256) {
  const int64_t row = blockIdx.x;
  const T* const x = a.x + row * a.classes;
  T top = -Format<T>::infinity, sum = T(0);
  for (int64_t i = threadIdx.x; i < a.classes; i += 256) {
    const T v = x[i];
    if (v > top || v != v) {
      sum = (sum == T(0) ? T(0) : sum * exp(top - v)) + (v != v ? v : T(1));
      top = v;
    } else {
      sum += v == top ? T(1) : exp(v - top);
    }
  }
  const T highest = over_block(top, Largest());
  sum = over_block(top == highest ? sum : sum == T(0) ? T(0) : sum * exp(top - highest), Sum());
  if (threadIdx.x != 0) return;
  const T log_total = highest + log(sum);
  a.kept[row] = log_total;
  const int64_t c = class_of(a, row);
  if (a.reduction == kNone) a.out[row] = c < 0 ? T(0) : T((a.weight ? a.weight[c] : T(1)) * (log_total - x[c]));
}

KERNEL_BOUNDED(row_losses, Arguments, 256) {
  double loss = 0, weight = 0;
  for (int64_t i = threadIdx.x; i < a.samples; i += 256) {
    const int64_t c = class_of(a, i);
    if (c < 0) continue;
    const double w = a.weight ? double(a.weight[c]) : 1;
    loss += w * (a.kept[i] - a.x[i * a.classes + c]);
    weight += w;
  }
  loss = over_block(loss, Sum());
  weight = over_block(weight, Sum());
  if (threadIdx.x == 0) *a.out = T(a.reduction == kMean ? loss / weight : loss);
}

KERNEL_BOUNDED(row_gradients, Arguments, 256) {
  const int64_t row = blockIdx.x, c = class_of(a, row);
  const T *const x = a.x + row * a.classes, log_total = a.log_totals[row];
  T* const out = a.out + row * a.classes;
  double scale = 0;
  if (c >= 0) {
    scale = double(a.reduction == kNone ? a.g[row] : *a.g) * (a.weight ? double(a.weight[c]) : 1);
    if (a.reduction == kMean) scale /= a.sums[1];
  }
  const T s = T(scale);
  for (int64_t i = threadIdx.x; i < a.classes; i += 256) {
    const T p = c < 0 || s == T(0) ? T(0) : exp(x[i] - log_total) * s;
    out[i] = i == c ? p - s : p;
  }
}
