// Groups of equal rows: see EqualNeighbours and GroupRows.
struct Arguments {
  const S* rows;
  int64_t count, length;
  const int64_t *order, *places;  // the order of the rows, and where each was; either may be null
  int64_t *groups, *firsts, *inverse;
  S* to;
  int64_t* counts;
  const int64_t* before;  // an order that another one follows
  int64_t* after;
  int64_t column;
};
inline const S* row_at(const Arguments& a, int64_t i) { return a.rows + (a.order ? a.order[i] : i) * a.length; }

// Whether a group begins at each row, and 0 behind the last.
KERNEL_BOUNDED(begins, Arguments, 256) {
  for (int64_t i = thread_number(); i <= a.count; i += thread_count()) {
    bool differs = i == 0 && a.count > 0;
    if (i > 0 && i < a.count) {
      const S *now = row_at(a, i), *before = row_at(a, i - 1);
      for (int64_t j = 0; j < a.length && !differs; ++j) differs = !(load<T>(now[j]) == load<T>(before[j]));
    }
    a.groups[i] = differs;
  }
}
// What was counted up is the number of groups before each row.
KERNEL_BOUNDED(number, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const int64_t group = a.groups[i + 1] - 1;
    if (a.groups[i] <= group) a.firsts[group] = i;
    if (i == 0) a.firsts[a.groups[a.count]] = a.count;
    if (a.inverse) a.inverse[a.places ? a.places[i] : i] = group;
  }
}
KERNEL_BOUNDED(take, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count * a.length; i += thread_count()) {
    const int64_t group = i / a.length, j = i - group * a.length, first = a.firsts[group];
    a.to[i] = row_at(a, first)[j];
    if (j == 0) a.counts[group] = a.firsts[group + 1] - first;
  }
}
// One column, in an order.
KERNEL_BOUNDED(column, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) a.to[i] = row_at(a, i)[a.column];
}
KERNEL_BOUNDED(follow, Arguments, 256) {
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) a.after[i] = a.before ? a.before[a.order[i]] : a.order[i];
}
