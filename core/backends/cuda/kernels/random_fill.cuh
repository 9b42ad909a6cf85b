// A destination filled with numbers that each take one draw. A Draw (random_draws.cuh) says what four words give,
// a Rule what becomes of it; the elements are dealt to the threads of the grid in turns.
struct Arguments {
  S* out;
  int64_t n;
  uint64_t seed, offset;
  double a, b;
  int64_t base;
  uint64_t range, mask;
  Strided<1> at;
};

// The nearest of a floating dtype; what an integer dtype cannot hold becomes what the GPU's own conversion gives.
template <class V>
inline S nearest(V v) {
  if constexpr (std::is_same_v<S, Half> || std::is_same_v<S, BFloat16>)
    return stored<S>(v);
  else
    return S(v);
}

// From a to b, which is left out: what is rounded up to it becomes a.
struct Uniform {
  template <class W>
  static S value(W r, const Arguments& args) {
    const S from = stored<S>(W(args.a)), to = stored<S>(W(args.b));
    const W low = load<W>(from), high = load<W>(to), width = load<W>(stored<S>(high - low));
    const S s = stored<S>(fused(r, width, low));
    return load<W>(s) == high ? from : s;
  }
};
struct Normal {
  template <class W>
  static S value(W r, const Arguments& args) {
    return stored<S>(fused(r, W(args.b), W(args.a)));
  }
};
struct LogNormal {
  static float power(float x) { return __expf(x); }
  static double power(double x) { return ::exp(x); }
  template <class W>
  static S value(W r, const Arguments& args) {
    return stored<S>(power(fused(r, W(args.b), W(args.a))));
  }
};
struct Exponential {
  static float logarithm(float x) { return x >= 1.0f - 0x1p-24f ? -0x1p-24f : __logf(x); }
  static double logarithm(double x) { return x >= 1.0 - 0x1p-53 ? -0x1p-53 : ::log(x); }
  template <class W>
  static S value(W r, const Arguments& args) {
    const W scale = W(-1) / W(args.a);
    return stored<S>(scale * logarithm(r));
  }
};
struct Cauchy {
  static float tangent(float r) {
    r = r > 1.0f - 0x1p-23f ? 1.0f - 0x1p-23f : r;
    r = r < 0x1p-23f ? 0x1p-23f : r;
    return __tanf(3.14159265358979323846f * (r - 0.5f));
  }
  static double tangent(double r) { return ::tan(3.14159265358979323846 * (r - 0.5)); }
  template <class W>
  static S value(W r, const Arguments& args) {
    return stored<S>(fused(W(args.b), tangent(r), W(args.a)));
  }
};
struct Geometric {
  static float tosses(float r, float p) { return ::ceilf(__logf(r) / __logf(1.0f + (-p))); }
  static double tosses(double r, double p) { return ::ceil(::log(r) / ::log1p(-p)); }
  template <class W>
  static S value(W r, const Arguments& args) {
    return nearest(tosses(r, W(args.a)));
  }
};
// b with probability a, else zero.
struct Coin {
  template <class W>
  static S value(W r, const Arguments& args) {
    return stored<S>(r < W(args.a) ? W(args.b) : W(0));
  }
};
// Below `range`, which is 0 for all 64 bits, from `base` on. Of a key for sorting only some bits are kept.
struct Integer {
  static S value(uint64_t r, const Arguments& args) {
    const uint64_t below = args.range ? r % args.range : r;
    return stored<S>(int64_t((below + uint64_t(args.base)) & args.mask));
  }
};

KERNEL_BOUNDED(fill, Arguments, 256) {
  const int64_t thread = thread_number(), threads = thread_count();
  uint64_t block = a.offset / 4;
  for (int64_t i = thread; i < a.n; i += threads * Draw::kEach, ++block) {
    typename Draw::Raw raw[Draw::kEach];
    Draw::draw(philox(a.seed, uint64_t(thread), block), raw);
    for (int k = 0; k < Draw::kEach; ++k) {
      const int64_t element = i + threads * k;
      if (element >= a.n) continue;
      int64_t at[1] = {element};
      if constexpr (!kContiguous) a.at.places(element, at);
      a.out[at[0]] = Rule::value(raw[k], a);
    }
  }
}
