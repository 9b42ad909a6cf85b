// Two sums over each channel of (outer, channels, inner). A block adds up a part of kAcross channels side by side: one
// where the elements of a channel lie in pieces of some length, else 32, so that neighbours read neighbours.
struct Statistics {
  const double *means, *rstds;
  int64_t step, per_group;
  double mean(int64_t channel) const { return means[channel / per_group * step]; }
};
struct Arguments {
  const S *x, *g;  // g: of a gradient's sums; null: of moments
  Statistics statistics;
  double *first, *second;
  int64_t step;  // between the results of two channels
  double* partial;  // (parts, channels, 2); null: there is one part
  int64_t outer, channels, inner, parts;
};
struct Pair {
  double a, b;
};
struct Add {
  Pair operator()(Pair p, Pair q) const { return {p.a + q.a, p.b + q.b}; }
};
// Of a channel its first element, from which distances are small: squares of large numbers would leave no digits for
// the variance.
inline double shift_of(const Arguments& a, int64_t channel) {
  if (a.outer * a.inner == 0) return 0.0;
  const double first = double(load<T>(a.x[channel * a.inner]));
  return first - first == 0 ? first : 0.0;  // neither NaN nor infinite
}
inline void finish(const Arguments& a, int64_t channel, Pair sums) {
  if (a.g) {
    a.first[channel * a.step] = sums.a;
    a.second[channel * a.step] = sums.b;
    return;
  }
  const double n = double(a.outer * a.inner), distance = sums.a / n, variance = sums.b / n - distance * distance;
  a.first[channel * a.step] = shift_of(a, channel) + distance;
  a.second[channel * a.step] = variance < 0 ? 0.0 : variance;
}

KERNEL_BOUNDED(channel_sums, Arguments, 256) {
  constexpr int kAlong = 256 / kAcross;
  __shared__ double of_threads[kAcross == 1 ? 1 : 512];
  const int across = threadIdx.x % kAcross, along = threadIdx.x / kAcross;
  const int64_t channel = int64_t(blockIdx.x) * kAcross + across, part = blockIdx.y;
  Pair sums{0.0, 0.0};
  if (channel < a.channels) {
    const double from = a.g ? a.statistics.mean(channel) : shift_of(a, channel);
    const int64_t next = (a.channels - 1) * a.inner, count = a.outer * a.inner;
    for (int64_t i = part * kAlong + along; i < count; i += a.parts * kAlong) {
      const int64_t outer = I(i) / I(a.inner), at = i + channel * a.inner + outer * next;
      if (a.g) {
        const T g = load<T>(a.g[at]);
        sums.a += double(g);
        sums.b += double(g * (load<T>(a.x[at]) - T(from)));
      } else {
        const double distance = double(load<T>(a.x[at])) - from;
        sums.a += distance;
        sums.b += distance * distance;
      }
    }
  }
  if constexpr (kAcross == 1) {
    sums = over_block(sums, Add());
  } else {
    of_threads[2 * threadIdx.x] = sums.a;
    of_threads[2 * threadIdx.x + 1] = sums.b;
    __syncthreads();
    for (int i = 1; along == 0 && i < kAlong; ++i) {
      sums.a += of_threads[2 * (threadIdx.x + i * kAcross)];
      sums.b += of_threads[2 * (threadIdx.x + i * kAcross) + 1];
    }
  }
  if (along != 0 || channel >= a.channels) return;
  if (a.partial) {
    a.partial[2 * (part * a.channels + channel)] = sums.a;
    a.partial[2 * (part * a.channels + channel) + 1] = sums.b;
  } else {
    finish(a, channel, sums);
  }
}

KERNEL_BOUNDED(join_parts, Arguments, 256) {
  const int64_t channel = thread_number();
  if (channel >= a.channels) return;
  Pair sums{0.0, 0.0};
  for (int64_t part = 0; part < a.parts; ++part) {
    const double* const from = a.partial + 2 * (part * a.channels + channel);
    sums = Add()(sums, {from[0], from[1]});
  }
  finish(a, channel, sums);
}
