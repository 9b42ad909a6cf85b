// Rows of halves for kernels of floats: a stretch at a time, so that what is converted never leaves the caches.
#pragma once
#include <vector>

#include "backends/cpu/convert.hpp"

namespace chainrule::cpu {

// Of any other dtype, rows are read and written where they are.
class HalfRows {
 public:
  // `n`: elements of a stretch; `count`: stretches that are held at one time.
  HalfRows(DType dtype, int64_t n, int count)
      : dtype_(dtype), n_(n), is_half_(size_of(dtype) == 2), floats_(is_half_ ? static_cast<size_t>(n * count) : 0) {}

  bool is_half() const { return is_half_; }
  // The first m elements of `from` as the kernel takes them, in place k.
  const void* read(int k, const char* from, int64_t m) {
    if (!is_half_) return from;
    convert_kernel(dtype_, DType::Float32)(place(k), from, m);
    return place(k);
  }
  // Where the kernel writes what `write` then brings to `to`.
  void* target(int k, char* to) { return is_half_ && to ? place(k) : to; }
  void write(int k, char* to, int64_t m) {
    if (!is_half_ || !to) return;
    convert_kernel(DType::Float32, dtype_)(to, place(k), m);
  }

 private:
  void* place(int k) { return floats_.data() + k * n_; }
  DType dtype_;
  int64_t n_;
  bool is_half_;
  std::vector<float> floats_;
};

}  // namespace chainrule::cpu
