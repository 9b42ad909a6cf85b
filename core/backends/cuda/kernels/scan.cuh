// Running totals along n of (outer, n, inner). kKind says which; A is what they are kept in. Long rows are cut into
// parts: their totals come first, and each part starts with those before it.
struct Arguments {
  const S *x, *factors;
  S* to;
  int64_t* indices;
  void* of_parts;
  int64_t outer, n, inner, parts, each;  // `each`: elements of a part
  bool reverse;
};
enum Kind { kSum, kProd, kLogSumExp, kRecurrence, kMax, kMin };

// How states of elements, or of runs of them, follow each other.
template <int kind, class V>
struct Way {
  using State = V;
  static State start() { return V(kind == kProd ? 1 : 0); }
  static State of(const Arguments& a, int64_t at, int64_t) { return load<V>(a.x[at]); }
  State operator()(State before, State next) const {
    if constexpr (kind == kProd)
      return before * next;
    else
      return before + next;
  }
  static void put(const Arguments& a, int64_t at, State s) { a.to[at] = stored<S>(s); }
};
template <class V>
struct Way<kLogSumExp, V> {
  using State = V;
  static State start() {
    if constexpr (requires(V v) { v.re; })
      return V(-Format<double>::infinity, 0);
    else
      return -Format<double>::infinity;
  }
  static State of(const Arguments& a, int64_t at, int64_t) { return load<V>(a.x[at]); }
  State operator()(State before, State next) const {
    if constexpr (requires(V v) { v.re; }) {
      if (before != before || next != next) return V(Format<double>::nan, Format<double>::nan);
      return logaddexp(before, next);
    } else {
      if (before != before || next != next) return before + next;
      const V high = before > next ? before : next, low = before > next ? next : before;
      return high == low && abs(high) == Format<double>::infinity ? high : high + log1p(exp(low - high));
    }
  }
  static void put(const Arguments& a, int64_t at, State s) { a.to[at] = stored<S>(s); }
};
template <class V>
struct Line {
  V factor, rest;  // of what came before
};
template <class V>
struct Way<kRecurrence, V> {
  using State = Line<V>;
  static State start() { return {V(1), V(0)}; }
  static State of(const Arguments& a, int64_t at, int64_t) { return {load<V>(a.factors[at]), load<V>(a.x[at])}; }
  // Nothing before stays nothing, though a product of many factors overflows.
  State operator()(State before, State next) const {
    return {next.factor * before.factor, before.rest == V(0) ? next.rest : next.rest + next.factor * before.rest};
  }
  static void put(const Arguments& a, int64_t at, State s) { a.to[at] = stored<S>(s.rest); }
};
template <class V>
struct Best {
  V value;
  int64_t index;  // -1: none yet
};
// The last of equals; NaN wins.
template <int kind, class V>
struct Extreme {
  using State = Best<V>;
  static State start() { return {V(0), -1}; }
  static State of(const Arguments& a, int64_t at, int64_t i) { return {load<V>(a.x[at]), i}; }
  State operator()(State before, State next) const {
    if (next.index < 0) return before;
    const bool beats = kind == kMax ? next.value >= before.value : next.value <= before.value;
    const bool wins = before.index < 0 || next.value != next.value || (before.value == before.value && beats);
    return wins ? next : before;
  }
  static void put(const Arguments& a, int64_t at, State s) {
    a.to[at] = stored<S>(s.value);
    a.indices[at] = s.index;
  }
};
template <class V>
struct Way<kMax, V> : Extreme<kMax, V> {};
template <class V>
struct Way<kMin, V> : Extreme<kMin, V> {};
using W = Way<kKind, A>;
using State = W::State;

inline int64_t index_of(const Arguments& a, int64_t k) { return a.reverse ? a.n - 1 - k : k; }
inline int64_t end_of(const Arguments& a, int64_t part) {
  const int64_t end = (part + 1) * a.each;
  return end < a.n ? end : a.n;
}

// A block goes along a part of a row.
constexpr int kEach = 4;
template <bool writes>
inline State scan_row(const Arguments& a, int64_t row, int64_t part, State carried) {
  for (int64_t begin = part * a.each; begin < end_of(a, part); begin += blockDim.x * kEach) {
    State mine[kEach];
    State all = W::start();
    for (int j = 0; j < kEach; ++j) {
      const int64_t k = begin + threadIdx.x * kEach + j, i = index_of(a, k);
      if (k < end_of(a, part)) all = W()(all, W::of(a, row * a.n + i, i));
      mine[j] = all;
    }
    State total;
    const State before = W()(carried, before_in_block(all, W::start(), W(), total));
    for (int j = 0; writes && j < kEach; ++j) {
      const int64_t k = begin + threadIdx.x * kEach + j;
      if (k < end_of(a, part)) W::put(a, row * a.n + index_of(a, k), W()(before, mine[j]));
    }
    carried = W()(carried, total);
  }
  return carried;
}
KERNEL_BOUNDED(row_totals, Arguments, 256) {
  const State total = scan_row<false>(a, blockIdx.x / a.parts, blockIdx.x % a.parts, W::start());
  if (threadIdx.x == 0) ((State*)a.of_parts)[blockIdx.x] = total;
}
KERNEL_BOUNDED(rows, Arguments, 256) {
  const int64_t row = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
  State carried = W::start();
  for (int64_t begin = 0; begin < part; begin += blockDim.x) {
    State total;
    const int64_t p = begin + threadIdx.x;
    before_in_block(p < part ? ((State*)a.of_parts)[row * a.parts + p] : W::start(), W::start(), W(), total);
    carried = W()(carried, total);
  }
  scan_row<true>(a, row, part, carried);
}

// A thread goes along a part of a column; its neighbours have the columns beside.
struct Column {
  int64_t column, part, first;  // first: the place of its first element
  Column(const Arguments& a)
      : column(thread_number() % (a.outer * a.inner)),
        part(thread_number() / (a.outer * a.inner)),
        first(column / a.inner * a.n * a.inner + column % a.inner) {}
};
KERNEL_BOUNDED(column_totals, Arguments, 256) {
  const Column c(a);
  if (c.part >= a.parts) return;
  State total = W::start();
  for (int64_t k = c.part * a.each; k < end_of(a, c.part); ++k) {
    const int64_t i = index_of(a, k);
    total = W()(total, W::of(a, c.first + i * a.inner, i));
  }
  ((State*)a.of_parts)[thread_number()] = total;
}
KERNEL_BOUNDED(columns, Arguments, 256) {
  const Column c(a);
  if (c.part >= a.parts) return;
  State total = W::start();
  for (int64_t p = 0; p < c.part; ++p) total = W()(total, ((State*)a.of_parts)[p * a.outer * a.inner + c.column]);
  for (int64_t k = c.part * a.each; k < end_of(a, c.part); ++k) {
    const int64_t i = index_of(a, k), at = c.first + i * a.inner;
    total = W()(total, W::of(a, at, i));
    W::put(a, at, total);
  }
}
