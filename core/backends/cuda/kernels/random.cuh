// Philox, and numbers made of its words as PyTorch makes them on a GPU. __sincosf, __logf, __expf and __tanf are the
// GPU's own approximations: any other function would give other last bits.
struct Words {
  uint32_t at[4];
};
// The words number 4 * block to 4 * block + 3 of a thread's stream.
inline Words philox(uint64_t seed, uint64_t thread, uint64_t block) {
  uint32_t a = uint32_t(block), b = uint32_t(block >> 32), c = uint32_t(thread), d = uint32_t(thread >> 32);
  uint32_t low_key = uint32_t(seed), high_key = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint32_t high_a = __umulhi(0xD2511F53u, a), low_a = 0xD2511F53u * a;
    const uint32_t high_c = __umulhi(0xCD9E8D57u, c), low_c = 0xCD9E8D57u * c;
    a = high_c ^ b ^ low_key;
    b = low_c;
    c = high_a ^ d ^ high_key;
    d = low_a;
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

inline float fused(float a, float b, float c) { return ::fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return ::fma(a, b, c); }

// In (0, 1].
inline float unit32(uint32_t a) { return fused(float(a), 0x1p-32f, 0x1p-33f); }
inline double unit53(uint32_t a, uint32_t b) {
  return fused(double(uint64_t(a) ^ (uint64_t(b) << 21)), 0x1p-53, 0x1p-54);
}

template <class V>
struct Pair {
  V first, second;
};
inline Pair<float> two_normals(uint32_t a, uint32_t b) {
  constexpr float turn = 0x1p-32f * 6.2831855f;
  const float radius = ::sqrtf(-2.0f * ::logf(unit32(a)));
  float sine, cosine;
  __sincosf(fused(float(b), turn, turn / 2), &sine, &cosine);
  return {sine * radius, cosine * radius};
}
inline Pair<double> two_normals(Words w) {
  const double radius = ::sqrt(-2.0 * ::log(unit53(w.at[0], w.at[1])));
  double sine, cosine;
  ::sincospi(fused(double(uint64_t(w.at[2]) ^ (uint64_t(w.at[3]) << 21)), 0x1p-52, 0x1p-53), &sine, &cosine);
  return {sine * radius, cosine * radius};
}

// The stream of one thread, a word at a time.
struct WordStream {
  uint64_t seed, thread, block;
  Words words;
  int used = 0;
  bool has_normal = false;
  float kept_normal = 0;

  WordStream(uint64_t seed, uint64_t offset, uint64_t thread)
      : seed(seed), thread(thread), block(offset / 4), words(philox(seed, thread, offset / 4)) {}
  uint32_t word() {
    const uint32_t w = words.at[used];
    if (++used == 4) {
      used = 0;
      words = philox(seed, thread, ++block);
    }
    return w;
  }
  float unit() { return unit32(word()); }
  float normal() {
    if (has_normal) {
      has_normal = false;
      return kept_normal;
    }
    const uint32_t a = word(), b = word();
    const Pair<float> two = two_normals(a, b);
    has_normal = true;
    kept_normal = two.second;
    return two.first;
  }
};
