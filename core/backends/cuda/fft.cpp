// Fourier transforms: by cuFFT, as rows; other dimensions are turned there and back.
#include "backends/fft.hpp"

#include <optional>

#include "backends/cuda/cufft.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"

namespace chainrule::cuda {
namespace {

template <class T>
struct FftTask {
  const void* from;
  void* to;
  int64_t outer, n, inner;
  T scale;
};

struct Turning {
  const void* from;
  void* to;
  int64_t outer, n, inner, parts;  // parts: numbers of an element
  double scale = 1;
};

void run(const char* entry, DType dtype, int64_t work, const Turning& t) {
  if (work == 0) return;
  KernelText text("fft.cuh", entry);
  text.type("T", storage_type(dtype)).number("kParts", t.parts).index(work);
  const Grid grid{blocks_for_loop(work)};
  if (dtype == DType::Float64)
    text.run(grid, kThreads, FftTask<double>{t.from, t.to, t.outer, t.n, t.inner, t.scale});
  else
    text.run(grid, kThreads, FftTask<float>{t.from, t.to, t.outer, t.n, t.inner, static_cast<float>(t.scale)});
}
void turn(DType dtype, const Turning& t) { run("turn", dtype, t.outer * t.n * t.inner, t); }

class Transform {
 public:
  explicit Transform(const FourierTransform& f) : f_(f), s_(f.shape) {}
  bool run();

 private:
  bool from_real() const { return f_.kind == Fft::FromReal || f_.kind == Fft::FromRealFull; }
  bool to_real() const { return f_.kind == Fft::ToReal; }
  int64_t parts_in() const { return from_real() ? 1 : 2; }
  int64_t parts_out() const { return to_real() ? 1 : 2; }
  int64_t rows_in() const { return to_real() ? s_.n / 2 + 1 : s_.n; }
  int64_t rows_out() const { return f_.kind == Fft::FromReal ? s_.n / 2 + 1 : s_.n; }
  int64_t lines() const { return s_.outer * s_.inner; }
  size_t bytes(int64_t rows, int64_t parts) const {
    return static_cast<size_t>(lines() * rows * parts) * size_of(f_.dtype);
  }
  FftDirection direction() const {
    return from_real()               ? FftDirection::FromReal
           : to_real()               ? FftDirection::ToReal
           : f_.kind == Fft::Forward ? FftDirection::Forward
                                     : FftDirection::Backward;
  }
  // The input as rows, in `room` if it has to be brought there.
  void* input(std::optional<Scratch>& room) const;

  const FourierTransform& f_;
  const FftShape& s_;
};

void* Transform::input(std::optional<Scratch>& room) const {
  if (!to_real() && s_.inner == 1) return const_cast<void*>(f_.x);
  room.emplace(bytes(rows_in(), parts_in()));
  if (to_real())  // which the transform overwrites, too
    cuda::run("take_frequencies", f_.dtype, lines() * rows_in(), {f_.x, room->data(), s_.outer, s_.n, s_.inner, 2});
  else
    turn(f_.dtype, {f_.x, room->data(), s_.outer, s_.n, s_.inner, parts_in()});
  return room->data();
}

bool Transform::run() {
  std::optional<Scratch> room, results;
  void* const x = input(room);
  void* out = f_.out;
  if (s_.inner > 1) {
    results.emplace(bytes(rows_out(), parts_out()));
    out = results->data();
  }
  if (!cufft_transform({direction(), f_.dtype, s_.n, lines(), {1, rows_in()}, {1, rows_out()}, x, out})) return false;
  if (f_.kind == Fft::FromRealFull)
    cuda::run("mirror", f_.dtype, lines() * (s_.n - s_.n / 2 - 1), {nullptr, out, lines(), s_.n, 1, 2});
  // Back again: what was the last dimension is the middle one now.
  if (s_.inner > 1 || f_.scale != 1)
    turn(f_.dtype, {out, f_.out, s_.outer, s_.inner, rows_out(), parts_out(), f_.scale});
  return true;
}

void run(const FourierTransform& f) {
  if (f.shape.outer * f.shape.n * f.shape.inner == 0) return;
  if (!Transform(f).run()) fallback<&FftKernels::run>(f);
}

}  // namespace

const FftKernels fft_kernels{.run = {run}};

}  // namespace chainrule::cuda
