// Triangles of matrices: see Triangle in backends/triangle.hpp.
struct Triangle {
  bool lower;
  int64_t columns, offset;
};
struct Arguments {
  Triangle triangle;
  const S* from;
  S* to;
  int64_t elements, rows;
  int64_t first, last, count;  // of the indices
};
inline int64_t limited(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }
inline int64_t begin_of(const Triangle& t, int64_t i) { return t.lower ? 0 : limited(i + t.offset, t.columns); }
inline int64_t end_of(const Triangle& t, int64_t i) { return t.lower ? limited(i + t.offset + 1, t.columns) : t.columns; }

KERNEL_BOUNDED(copy, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.elements; i += thread_count()) {
    const int64_t line = i / a.triangle.columns, column = i - line * a.triangle.columns, row = line % a.rows;
    const bool inside = column >= begin_of(a.triangle, row) && column < end_of(a.triangle, row);
    a.to[i] = inside ? a.from[i] : S{};
  }
}

// The sum of limited(u, most) over all u below x.
inline int64_t sum_below(int64_t x, int64_t most) {
  if (x <= 0) return 0;
  return x <= most + 1 ? x * (x - 1) / 2 : most * (most + 1) / 2 + (x - most - 1) * most;
}
// How many elements the rows from the first up to row i have.
inline int64_t elements_before(const Arguments& a, int64_t i) {
  const Triangle& t = a.triangle;
  const int64_t shift = t.lower ? t.offset + 1 : t.offset;
  const int64_t ends = sum_below(i + shift, t.columns) - sum_below(a.first + shift, t.columns);
  return t.lower ? ends : (i - a.first) * t.columns - ends;
}
KERNEL_BOUNDED(indices, Arguments, 256) {
  for (int64_t k = thread_number(); k < a.count; k += thread_count()) {
    int64_t low = a.first, high = a.last;  // the last row that does not begin beyond k
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (elements_before(a, middle) <= k ? low : high) = middle;
    }
    a.to[k] = S(low);
    a.to[a.count + k] = S(begin_of(a.triangle, low) + k - elements_before(a, low));
  }
}
