// Softmax, its logarithm and their gradients along n of (outer, n, inner). kGroup threads share a row: 1, a warp, or 256.
// Where rows do not lie in one piece, neighbouring threads have neighbouring rows.
struct Arguments {
  const S *x, *g;  // of a gradient x is what came out
  S* to;
  int64_t rows, n, inner;
  bool logarithm;
};
// The largest so far, and the sum of exponentials of what is less than it.
template <class V>
struct Total {
  V top, sum;
};
template <class V>
inline V shrunk(V sum, V from, V to) {
  return from == to ? sum : sum * exp(from - to);
}
struct Join {
  Total<T> operator()(Total<T> a, Total<T> b) const {
    const T top = a.top > b.top || a.top != a.top ? a.top : b.top;
    return {top, shrunk(a.sum, a.top, top) + shrunk(b.sum, b.top, top)};
  }
};
template <class V, class F>
inline V over_row(V v, F join) {
  if constexpr (kGroup == 1)
    return v;
  else if constexpr (kGroup == 32)
    return over_warp(v, join);
  else
    return over_block(v, join);
}
struct Row {
  int64_t number, lane, at, step;
  Row(const Arguments& a)
      : number(thread_number() / kGroup),
        lane(thread_number() % kGroup),
        at(number / a.inner * a.n * a.inner + number % a.inner),
        step(a.inner) {}
};

KERNEL_BOUNDED(value, Arguments, 256) {
  const Row row(a);
  const bool exists = row.number < a.rows;
  Total<T> total{-Format<T>::infinity, T(0)};
  for (int64_t i = row.lane; exists && i < a.n; i += kGroup) {
    const T x = load<T>(a.x[row.at + i * row.step]);
    if (x > total.top || x != x) {
      total.sum = shrunk(total.sum, total.top, x) + (x != x ? x : T(1));
      total.top = x;
    } else {
      total.sum += x == total.top ? T(1) : exp(x - total.top);
    }
  }
  total = over_row(total, Join());
  const T log_sum = a.logarithm ? log(total.sum) : T(0), share = T(1) / total.sum;
  for (int64_t i = row.lane; exists && i < a.n; i += kGroup) {
    const int64_t at = row.at + i * row.step;
    const T below = load<T>(a.x[at]) - total.top;
    a.to[at] = stored<S>(a.logarithm ? below - log_sum : exp(below) * share);
  }
}

KERNEL_BOUNDED(gradient, Arguments, 256) {
  const Row row(a);
  const bool exists = row.number < a.rows;
  T total = T(0);
  for (int64_t i = row.lane; exists && i < a.n; i += kGroup) {
    const int64_t at = row.at + i * row.step;
    const T g = load<T>(a.g[at]);
    total += a.logarithm ? g : g * load<T>(a.x[at]);
  }
  total = over_row(total, Sum());
  for (int64_t i = row.lane; exists && i < a.n; i += kGroup) {
    const int64_t at = row.at + i * row.step;
    const T g = load<T>(a.g[at]), y = load<T>(a.x[at]);
    a.to[at] = stored<S>(a.logarithm ? g - exp(y) * total : y * (g - total));
  }
}
