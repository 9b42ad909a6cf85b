// The passes of a Fourier transform: Stockham's method, which sorts as it goes, with radices 2, 3, 4, 5, 7, 8.
//
// Real and imaginary parts are kept apart, and transforms that lie side by side are lanes of one row, so that vectors
// run over the positions of a pass. A transform backward is one forward with the parts exchanged.
#include "backends/cpu/fft_plan.hpp"
#include "backends/cpu/fft_transform.hpp"

namespace chainrule::cpu::CR_ISA {
namespace {

template <class T>
struct Parts {
  T *re, *im;
  Parts exchanged() const { return {im, re}; }
};

// ---- passes

// Keeps the compiler from making a pointer for each of the places that a pass reads and writes: they would not fit in
// registers, and short loops would spend their time on advancing them.
CR_INLINE int64_t opaque(int64_t step) {
  asm("" : "+r"(step));
  return step;
}

// Calls f(i) for blocks of `width` that cover [0, n); the last one may lie over the one before.
template <class F>
CR_INLINE void in_blocks(int64_t n, int64_t width, F f) {
  int64_t i = 0;
  for (; i + width <= n; i += width) f(i);
  if (i < n) f(n - width);
}

// Vectors along the positions, of which there are at least W.
template <int R, int W, class T>
void along_positions(const FftPlan<T>& plan, const typename FftPlan<T>::Pass& pass, int64_t s, Parts<T> x, Parts<T> y) {
  using V = typename Wide<T, W>::Value;
  using M = typename Wide<T, W>::Memory;
  const int64_t m = pass.sections;
  const T *roots_re = plan.roots.re.data() + pass.first, *roots_im = plan.roots.im.data() + pass.first;
  auto section = [&](int64_t p, auto has_roots) __attribute__((always_inline)) {
    Complex<T> roots[R];
    if constexpr (has_roots) {
      const int64_t step = opaque(m);
#pragma GCC unroll 8
      for (int k = 1; k < R; ++k) roots[k] = {roots_re[(k - 1) * step + p], roots_im[(k - 1) * step + p]};
    }
    in_blocks(s, W, [&](int64_t q) __attribute__((always_inline)) {
      Complex<V> a[R];
      const int64_t from = q + s * p, to = q + s * R * p, step = opaque(s * m), out_step = opaque(s);
#pragma GCC unroll 8
      for (int k = 0; k < R; ++k) {
        a[k] = {*(const M*)(x.re + from + k * step), *(const M*)(x.im + from + k * step)};
      }
      transform<T>(a);
#pragma GCC unroll 8
      for (int k = 0; k < R; ++k) {
        if constexpr (has_roots) {
          if (k) a[k] = times(a[k], roots[k].re, roots[k].im);
        }
        *(M*)(y.re + to + k * out_step) = a[k].re;
        *(M*)(y.im + to + k * out_step) = a[k].im;
      }
    });
  };
  section(0, std::false_type());  // multiplied by ones
  for (int64_t p = 1; p < m; ++p) section(p, std::true_type());
}

template <class V, int... lane>
CR_INLINE void zip(V& a, V& b, std::integer_sequence<int, lane...>) {
  constexpr int W = sizeof...(lane);
  const V low = __builtin_shufflevector(a, b, (lane / 2 + lane % 2 * W)...);
  b = __builtin_shufflevector(a, b, (W / 2 + lane / 2 + lane % 2 * W)...);
  a = low;
}

// Writes v[0][0], v[1][0] .. v[R - 1][0], v[0][1] and so on.
template <int R, int W, class T, class V>
CR_INLINE void store_interleaved(T* to, const V* v) {
  if constexpr (R == 1) {
    *(typename Wide<T, W>::Memory*)to = v[0];
  } else {
    V low[R / 2], high[R / 2];
#pragma GCC unroll 8
    for (int k = 0; k < R / 2; ++k) {
      low[k] = v[k];
      high[k] = v[k + R / 2];
      zip(low[k], high[k], std::make_integer_sequence<int, W>());
    }
    store_interleaved<R / 2, W>(to, low);
    store_interleaved<R / 2, W>(to + W * R / 2, high);
  }
}

// The first pass of a single transform has one position: vectors along the sections, of which there are at least W.
template <int R, int W, class T>
void along_sections(const FftPlan<T>& plan, const typename FftPlan<T>::Pass& pass, Parts<T> x, Parts<T> y) {
  using V = typename Wide<T, W>::Value;
  using M = typename Wide<T, W>::Memory;
  const int64_t m = pass.sections;
  const T *roots_re = plan.roots.re.data() + pass.first, *roots_im = plan.roots.im.data() + pass.first;
  in_blocks(m, W, [&](int64_t p) __attribute__((always_inline)) {
    Complex<V> a[R];
    V re[R], im[R];
    const int64_t step = opaque(m);
#pragma GCC unroll 8
    for (int k = 0; k < R; ++k) a[k] = {*(const M*)(x.re + p + k * step), *(const M*)(x.im + p + k * step)};
    transform<T>(a);
#pragma GCC unroll 8
    for (int k = 0; k < R; ++k) {
      if (k) {
        const int64_t at = (k - 1) * step + p;
        a[k] = times<V, V>(a[k], *(const M*)(roots_re + at), *(const M*)(roots_im + at));
      }
      re[k] = a[k].re;
      im[k] = a[k].im;
    }
    store_interleaved<R, W>(y.re + R * p, re);
    store_interleaved<R, W>(y.im + R * p, im);
  });
}

// With the widest vectors that fit.
template <int R, int W, class T>
void run_pass(const FftPlan<T>& plan, const typename FftPlan<T>::Pass& pass, int64_t s, Parts<T> x, Parts<T> y) {
  if (s >= W) return along_positions<R, W>(plan, pass, s, x, y);
  if constexpr (W > 1 && R % 2 == 0) {
    if (s == 1 && pass.sections >= W) return along_sections<R, W>(plan, pass, x, y);
  }
  if constexpr (W > 1) run_pass<R, (W > 4 ? W / 2 : 1)>(plan, pass, s, x, y);
}

template <class T>
void run_pass(const FftPlan<T>& plan, const typename FftPlan<T>::Pass& pass, int64_t s, Parts<T> x, Parts<T> y) {
  constexpr int W = kLanes<T>;
  switch (pass.radix) {
    case 2:
      return run_pass<2, W>(plan, pass, s, x, y);
    case 3:
      return run_pass<3, W>(plan, pass, s, x, y);
    case 4:
      return run_pass<4, W>(plan, pass, s, x, y);
    case 5:
      return run_pass<5, W>(plan, pass, s, x, y);
    case 7:
      return run_pass<7, W>(plan, pass, s, x, y);
    case 8:
      return run_pass<8, W>(plan, pass, s, x, y);
  }
}

// Calls f(row, place) for every element: vectors run along the lanes, or along the rows of a single transform.
template <class F>
CR_INLINE void each(int64_t first, int64_t last, int64_t lanes, F f) {
  if (lanes == 1) {
#pragma GCC ivdep
    for (int64_t i = first; i < last; ++i) f(i, i);
    return;
  }
  for (int64_t i = first; i < last; ++i) {
#pragma GCC ivdep
    for (int64_t at = i * lanes; at < (i + 1) * lanes; ++at) f(i, at);
  }
}

// Multiplies rows by the numbers of a table.
template <class T>
void multiply(Parts<T> x, const ComplexTable<T>& table, int64_t rows, int64_t lanes) {
  const T *wre = table.re.data(), *wim = table.im.data();
  each(0, rows, lanes, [=](int64_t i, int64_t at) __attribute__((always_inline)) {
    Complex<T> y = times(Complex<T>{x.re[at], x.im[at]}, wre[i], wim[i]);
    x.re[at] = y.re;
    x.im[at] = y.im;
  });
}

// Transforms x, with y for scratch; the result is in x, whose arrays may have become those of y.
template <class T>
void run(const FftPlan<T>& plan, Parts<T>& x, Parts<T>& y, int64_t lanes) {
  for (const auto& pass : plan.passes) {
    run_pass(plan, pass, pass.stride * lanes, x, y);
    std::swap(x, y);
  }
  if (!plan.convolution) return;
  multiply(x, plan.chirp, plan.length, lanes);
  const int64_t size = plan.convolution->length;
  each(plan.length, size, lanes, [&](int64_t, int64_t at) __attribute__((always_inline)) { x.re[at] = x.im[at] = 0; });
  run(*plan.convolution, x, y, lanes);
  multiply(x, plan.chirp_spectrum, size, lanes);
  x = x.exchanged();
  y = y.exchanged();
  run(*plan.convolution, x, y, lanes);
  x = x.exchanged();
  y = y.exchanged();
  multiply(x, plan.chirp, plan.length, lanes);
}

// ---- reading and writing

// Calls f(place in the workspace, place outside) for every element; the inner loop runs over neighbours outside.
template <class F>
CR_INLINE void each_place(const FftPlaces& p, int64_t rows, int64_t lanes, F f) {
  const bool by_row = lanes == 1 || p.lane > p.row;
  const int64_t outer = by_row ? lanes : rows, inner = by_row ? rows : lanes;
  const int64_t far = by_row ? p.lane : p.row, near = by_row ? p.row : p.lane;
  auto loop = [&](auto step_here, auto step_there) __attribute__((always_inline)) {
    for (int64_t i = 0; i < outer; ++i) {
      const int64_t here = i * (by_row ? 1 : lanes), there = i * far;
#pragma GCC ivdep
      for (int64_t j = 0; j < inner; ++j) f(here + j * step_here, there + j * step_there);
    }
  };
  constexpr std::integral_constant<int64_t, 1> one;
  constexpr std::integral_constant<int64_t, 2> two;
  const int64_t step = by_row ? lanes : 1;
  if (step == 1 && near == 2) return loop(one, two);
  if (step == 1 && near == 1) return loop(one, one);
  loop(step, near);
}

template <class T>
void load(const FftTile<T>& t, int64_t rows, Parts<T> to) {
  const T* x = t.x;
  T *re = to.re, *im = to.im;
  if (t.from.imaginary == 1) {
    each_place(t.from, rows, t.lanes, [=](int64_t here, int64_t there) __attribute__((always_inline)) {
      re[here] = x[there];
      im[here] = x[there + 1];
    });
  } else {
    const T* imaginary = x + t.from.imaginary;
    const T factor = t.from.imaginary ? 1 : 0;
    each_place(t.from, rows, t.lanes, [=](int64_t here, int64_t there) __attribute__((always_inline)) {
      re[here] = x[there];
      im[here] = factor ? imaginary[there] : T(0);
    });
  }
}

template <class T>
void store(const FftTile<T>& t, int64_t rows, Parts<T> from) {
  T *out = t.out, *imaginary = t.out + t.to.imaginary;
  const T *re = from.re, *im = from.im, scale = t.scale;
  if (t.to.imaginary == 1) {
    each_place(t.to, rows, t.lanes, [=](int64_t here, int64_t there) __attribute__((always_inline)) {
      out[there] = re[here] * scale;
      out[there + 1] = im[here] * scale;
    });
  } else {
    each_place(t.to, rows, t.lanes,
               [=](int64_t here, int64_t there) __attribute__((always_inline)) { out[there] = re[here] * scale; });
    if (!t.to.imaginary) return;
    each_place(t.to, rows, t.lanes, [=](int64_t here, int64_t there) __attribute__((always_inline)) {
      imaginary[there] = im[here] * scale;
    });
  }
}

// ---- real numbers

// Even and odd numbers were transformed as real and imaginary parts of z: y[k] = even[k] + root^k * odd[k].
template <class T>
void unpack(const FftPlan<T>& plan, Parts<T> z, Parts<T> y, int64_t lanes) {
  const int64_t h = plan.length;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const T re = z.re[lane], im = z.im[lane];
    y.re[lane] = re + im;
    y.re[h * lanes + lane] = re - im;
    y.im[lane] = y.im[h * lanes + lane] = 0;
  }
  const T *wre = plan.unpacking.re.data(), *wim = plan.unpacking.im.data(), half = T(0.5);
  each(1, h, lanes, [=](int64_t k, int64_t at) __attribute__((always_inline)) {
    const int64_t mirrored = at + (h - 2 * k) * lanes;
    const T a = z.re[at], b = z.im[at], c = z.re[mirrored], d = z.im[mirrored];
    const Complex<T> odd = times(Complex<T>{(b + d) * half, (c - a) * half}, wre[k], wim[k]);
    y.re[at] = (a + c) * half + odd.re;
    y.im[at] = (b - d) * half + odd.im;
  });
}

// The other way, for a transform backward.
template <class T>
void pack(const FftPlan<T>& plan, Parts<T> y, Parts<T> z, int64_t lanes) {
  const int64_t h = plan.length;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const T first = y.re[lane], last = y.re[h * lanes + lane];
    z.re[lane] = first + last;
    z.im[lane] = first - last;
  }
  const T *wre = plan.unpacking.re.data(), *wim = plan.unpacking.im.data();
  each(1, h, lanes, [=](int64_t k, int64_t at) __attribute__((always_inline)) {
    const int64_t mirrored = at + (h - 2 * k) * lanes;
    const T a = y.re[at], b = y.im[at], c = y.re[mirrored], d = y.im[mirrored];
    const Complex<T> odd = times(Complex<T>{a - c, b + d}, wre[k], -wim[k]);
    z.re[at] = a + c - odd.im;
    z.im[at] = b - d + odd.re;
  });
}

// Rows n / 2 + 1 .. n - 1 from those that they are conjugates of.
template <class T>
void mirror(Parts<T> x, int64_t n, int64_t lanes) {
  each(n / 2 + 1, n, lanes, [=](int64_t k, int64_t at) __attribute__((always_inline)) {
    const int64_t mirrored = at + (n - 2 * k) * lanes;
    x.re[at] = x.re[mirrored];
    x.im[at] = -x.im[mirrored];
  });
}

template <class T>
void from_real(const FftTile<T>& t, Parts<T> x, Parts<T> y) {
  load(t, t.plan->length, x);
  run(*t.plan, x, y, t.lanes);
  const bool full = t.kind == Fft::FromRealFull;
  if (t.plan->packed) {
    unpack(*t.plan, x, y, t.lanes);
    if (full) mirror(y, t.n, t.lanes);
    x = y;
  }
  store(t, full ? t.n : t.n / 2 + 1, x);
}

template <class T>
void to_real(const FftTile<T>& t, Parts<T> x, Parts<T> y) {
  load(t, t.n / 2 + 1, x);
  for (int64_t lane = 0; lane < t.lanes; ++lane) x.im[lane] = 0;
  if (t.plan->packed) {
    pack(*t.plan, x, y, t.lanes);
    std::swap(x, y);
  } else {
    mirror(x, t.n, t.lanes);
  }
  x = x.exchanged();
  y = y.exchanged();
  run(*t.plan, x, y, t.lanes);
  store(t, t.plan->length, x.exchanged());
}

template <class T>
void run_tile(const FftTile<T>& t) {
  const int64_t size = t.plan->rows * t.lanes + kFftSpacing;
  Parts<T> x{t.workspace, t.workspace + size}, y{t.workspace + 2 * size, t.workspace + 3 * size};
  if (t.kind == Fft::ToReal) return to_real(t, x, y);
  if (t.kind == Fft::FromReal || t.kind == Fft::FromRealFull) return from_real(t, x, y);
  const bool backward = t.kind == Fft::Backward;
  load(t, t.n, x);
  if (backward) x = x.exchanged(), y = y.exchanged();
  run(*t.plan, x, y, t.lanes);
  store(t, t.n, backward ? x.exchanged() : x);
}

}  // namespace

void fft_tile_float(const FftTile<float>& tile) { run_tile(tile); }
void fft_tile_double(const FftTile<double>& tile) { run_tile(tile); }

}  // namespace chainrule::cpu::CR_ISA
