// Dropout in one pass. Where the elements lie one after another a thread takes kVector neighbours with the words of one
// group, or of two; else the elements are dealt out in turns, in the order of their indices.
struct Arguments {
  const S* input;
  S* out;
  uint8_t* mask;
  int64_t n;
  uint64_t seed, offset;
  double keep;
  Strided<2> at;
};

// A uniform number has 24 bits in every dtype.
inline bool is_kept(uint32_t word, T keep) { return T(unit32(word)) < keep; }
inline T scale_of(T keep) { return T(1.0 / double(keep)); }
inline S scaled(S x, bool kept, T scale) { return stored<S>(load<T>(x) * T(kept) * scale); }

KERNEL_BOUNDED(drop_vectors, Arguments, 256) {
  const int64_t thread = thread_number(), step = thread_count() * kVector;
  const T keep = T(a.keep), scale = scale_of(keep);
  constexpr int kGroups = kVector == 8 ? 2 : 1;
  uint64_t block = a.offset / 4;
  for (int64_t i = thread * kVector; i < a.n; i += step, block += kGroups) {
    Words words[kGroups];
    for (int k = 0; k < kGroups; ++k) words[k] = philox(a.seed, uint64_t(thread), block + k);
    Cell<S, kVector> x = *reinterpret_cast<const Cell<S, kVector>*>(a.input + i);
    Cell<uint8_t, kVector> mask;
    for (int k = 0; k < kVector; ++k) {
      const bool kept = is_kept(words[k / 4].at[k % 4], keep);
      x.at[k] = scaled(x.at[k], kept, scale);
      mask.at[k] = kept;
    }
    *reinterpret_cast<Cell<S, kVector>*>(a.out + i) = x;
    *reinterpret_cast<Cell<uint8_t, kVector>*>(a.mask + i) = mask;
  }
}

KERNEL_BOUNDED(drop_elements, Arguments, 256) {
  const int64_t thread = thread_number(), threads = thread_count();
  const T keep = T(a.keep), scale = scale_of(keep);
  uint64_t block = a.offset / 4;
  for (int64_t i = thread; i < a.n; i += threads * 4, ++block) {
    const Words words = philox(a.seed, uint64_t(thread), block);
    for (int k = 0; k < 4; ++k) {
      const int64_t element = i + threads * k;
      if (element >= a.n) continue;
      int64_t at[2];
      a.at.places(element, at);
      const bool kept = is_kept(words.at[k], keep);
      a.out[at[1]] = scaled(a.input[at[0]], kept, scale);
      a.mask[at[1]] = kept;
    }
  }
}
