// The positions of an image's elements, the last dimension's first, and a 1 for the translation.
struct Arguments {
  int64_t dims, size[3], points;
  bool align_corners;
  double* to;
};
KERNEL_BOUNDED(affine_points, Arguments, 256) {
  const int64_t point = thread_number();
  if (point >= a.points) return;
  double* const row = a.to + point * (a.dims + 1);
  int64_t left = point;
  for (int64_t d = a.dims - 1; d >= 0; left /= a.size[d], --d) {
    const double n = double(a.size[d]), i = double(left % a.size[d]);
    row[a.dims - 1 - d] = a.align_corners ? (n > 1 ? 2 * i / (n - 1) - 1 : 0.0) : (2 * i + 1) / n - 1;
  }
  row[a.dims] = 1;
}
