// Note [Errors of kernels]
inline void report_index(int64_t index, int64_t size) {
  if (met_error->what) return;
  met_error->value = index;
  met_error->limit = size;
  met_error->what = 2;
}
// A probability, a rate or the like that no distribution has.
inline void report_parameter() {
  if (!met_error->what) met_error->what = 3;
}
