// Pooling: a thread has one output, or one input of a gradient. Elements are counted as (planes, places, lanes).
struct Window {
  int64_t begin, end, step, counted;
};
struct Reach {
  int64_t first, last;  // windows that may hold an element
};
struct Arguments {
  const S* x;
  S* y;
  int64_t* index;
  int64_t planes, lanes, divisor, in[3], out[3];
  const Window* along[3];
  const Reach* reach[3];
  // of windows at random places
  const double* samples;
  int64_t dims, kernel[3];
};
struct Place {
  int64_t plane, lane;
  int at[3];
  Place(int64_t element, int64_t lanes, const int64_t (&sizes)[3]) {
    I rest = I(element);
    lane = rest % I(lanes);
    rest /= I(lanes);
    for (int d = 2; d >= 0; --d) {
      at[d] = int(rest % I(sizes[d]));
      rest /= I(sizes[d]);
    }
    plane = rest;
  }
};
inline int64_t product(const int64_t (&sizes)[3]) { return sizes[0] * sizes[1] * sizes[2]; }
inline int64_t place_in(const Arguments& a, int64_t z, int64_t y, int64_t x) { return (z * a.in[1] + y) * a.in[2] + x; }

// NaN wins.
inline void largest(const Arguments& a, int64_t element, const Place& p, const Window& wz, const Window& wy, const Window& wx) {
  const S* const plane = a.x + p.plane * product(a.in) * a.lanes + p.lane;
  T best = T(kLowest);
  int64_t found = place_in(a, wz.begin, wy.begin, wx.begin);
  for (int64_t z = wz.begin; z < wz.end; z += wz.step) {
    for (int64_t y = wy.begin; y < wy.end; y += wy.step) {
      for (int64_t x = wx.begin; x < wx.end; x += wx.step) {
        const int64_t at = place_in(a, z, y, x);
        const T value = load<T>(plane[at * a.lanes]);
        if (value > best || value != value) {
          best = value;
          found = at;
        }
      }
    }
  }
  a.y[element] = stored<S>(best);
  a.index[element] = found;
}
KERNEL_BOUNDED(maximum, Arguments, 256) {
  const int64_t count = a.planes * product(a.out) * a.lanes;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, a.lanes, a.out);
    largest(a, i, p, a.along[0][p.at[0]], a.along[1][p.at[1]], a.along[2][p.at[2]]);
  }
}

// Along one dimension the windows of a plane begin a random part of a step behind where they would.
inline Window random_window(const Arguments& a, const Place& p, int d) {
  const int place = d - (3 - int(a.dims));
  const double* const samples = a.samples + p.plane * a.dims;
  const float sample = place < 0 ? 0.0f : float(samples[a.dims == 2 ? 1 - place : place]);  // the width's is first
  const int64_t last = a.in[d] - a.kernel[d], out = a.out[d], i = p.at[d];
  const float alpha = out > 1 ? float(last) / float(out - 1) : 0.0f;
  const int64_t begin = i + 1 == out ? last : int64_t((float(i) + sample) * alpha) - int64_t(sample * alpha);
  return {begin, begin + a.kernel[d], 1, 0};
}
KERNEL_BOUNDED(fractional_maximum, Arguments, 256) {
  const int64_t count = a.planes * product(a.out);
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, 1, a.out);
    largest(a, i, p, random_window(a, p, 0), random_window(a, p, 1), random_window(a, p, 2));
  }
}

inline int64_t divisor_of(const Arguments& a, const Window& z, const Window& y, const Window& x) {
  return a.divisor ? a.divisor : z.counted * y.counted * x.counted;
}
KERNEL_BOUNDED(average, Arguments, 256) {
  const int64_t count = a.planes * product(a.out) * a.lanes;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, a.lanes, a.out);
    const Window wz = a.along[0][p.at[0]], wy = a.along[1][p.at[1]], wx = a.along[2][p.at[2]];
    const S* const plane = a.x + p.plane * product(a.in) * a.lanes + p.lane;
    T sum = T(0);
    for (int64_t z = wz.begin; z < wz.end; ++z) {
      for (int64_t y = wy.begin; y < wy.end; ++y) {
        for (int64_t x = wx.begin; x < wx.end; ++x) sum += load<T>(plane[place_in(a, z, y, x) * a.lanes]);
      }
    }
    const bool seen = wz.begin < wz.end && wy.begin < wy.end && wx.begin < wx.end;
    a.y[i] = stored<S>(seen ? T(sum / T(divisor_of(a, wz, wy, wx))) : T(0));
  }
}

inline bool holds(const Window& w, int64_t place) { return w.begin <= place && place < w.end; }
// x: the gradient of what came out; y: of what went in.
KERNEL_BOUNDED(average_gradient, Arguments, 256) {
  const int64_t count = a.planes * product(a.in) * a.lanes;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, a.lanes, a.in);
    const S* const plane = a.x + p.plane * product(a.out) * a.lanes + p.lane;
    const Reach rz = a.reach[0][p.at[0]], ry = a.reach[1][p.at[1]], rx = a.reach[2][p.at[2]];
    T sum = T(0);
    for (int64_t z = rz.first; z < rz.last; ++z) {
      for (int64_t y = ry.first; y < ry.last; ++y) {
        for (int64_t x = rx.first; x < rx.last; ++x) {
          const Window wz = a.along[0][z], wy = a.along[1][y], wx = a.along[2][x];
          const int64_t divisor = divisor_of(a, wz, wy, wx);
          if (divisor == 0 || !holds(wz, p.at[0]) || !holds(wy, p.at[1]) || !holds(wx, p.at[2])) continue;
          sum += load<T>(plane[((z * a.out[1] + y) * a.out[2] + x) * a.lanes]) / T(divisor);
        }
      }
    }
    a.y[i] = stored<S>(sum);
  }
}
