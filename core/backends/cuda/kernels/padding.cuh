// What fills the places around a tensor, and its transpose. A thread has one place.
struct Dimension {
  int64_t size, before, after;
  bool reflects;
  int64_t first, last;
  int64_t padded() const { return size + before + after; }
  int64_t source(int64_t place) const {
    const int64_t i = place - before, mirrored = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return reflects ? mirrored : i < 0 ? 0 : i >= size ? size - 1 : i;
  }
  // Calls f(place) for all places that hold element i, in order.
  template <class F>
  void places(int64_t i, F f) const {
    const int64_t own = i + before, mirrored = before - i, beyond = own + 2 * (size - 1 - i);
    const bool is_first = i == 0, is_last = i == size - 1;
    const auto offer = [&](int64_t place) {
      if (place >= 0 && place < padded()) f(place);
    };
    if (reflects) {
      if (!is_first) offer(mirrored);
      offer(own);
      if (!is_last) offer(beyond);
    } else {
      for (int64_t place = is_first ? 0 : own; place < own; ++place) offer(place);
      offer(own);
      for (int64_t place = own + 1 > 0 ? own + 1 : 0; is_last && place < padded(); ++place) offer(place);
    }
  }
};
struct Arguments {
  Dimension along[3];
  int64_t planes, lanes;
  const S* from;
  S* to;
};
struct Place {
  int64_t plane, lane, at[3];
  Place(int64_t element, int64_t lanes, int64_t depth, int64_t height, int64_t width) {
    I rest = I(element);
    lane = rest % I(lanes), rest /= I(lanes);
    at[2] = rest % I(width), rest /= I(width);
    at[1] = rest % I(height), rest /= I(height);
    at[0] = rest % I(depth);
    plane = rest / I(depth);
  }
};

KERNEL_BOUNDED(repeat, Arguments, 256) {
  const Dimension &z = a.along[0], &y = a.along[1], &x = a.along[2];
  const int64_t count = a.planes * z.padded() * y.padded() * x.padded() * a.lanes;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, a.lanes, z.padded(), y.padded(), x.padded());
    const int64_t row = (p.plane * z.size + z.source(p.at[0])) * y.size + y.source(p.at[1]);
    a.to[i] = a.from[(row * x.size + x.source(p.at[2])) * a.lanes + p.lane];
  }
}

KERNEL_BOUNDED(repeat_gradient, Arguments, 256) {
  const Dimension &z = a.along[0], &y = a.along[1], &x = a.along[2];
  const int64_t count = a.planes * z.size * y.size * x.size * a.lanes;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place p(i, a.lanes, z.size, y.size, x.size);
    T sum = T(0);
    z.places(p.at[0], [&](int64_t at_z) {
      y.places(p.at[1], [&](int64_t at_y) {
        x.places(p.at[2], [&](int64_t at_x) {
          const int64_t row = (p.plane * z.padded() + at_z) * y.padded() + at_y;
          sum = sum + load<T>(a.from[(row * x.padded() + at_x) * a.lanes + p.lane]);
        });
      });
    });
    a.to[i] = stored<S>(sum);
  }
}
