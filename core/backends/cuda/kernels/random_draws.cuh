// What the elements of a destination are made of: kEach values out of four words.
struct Units32 {
  static constexpr int kEach = 4;
  using Raw = float;
  static void draw(Words w, Raw (&r)[4]) {
    for (int i = 0; i < 4; ++i) r[i] = unit32(w.at[i]);
  }
};
struct Units53 {
  static constexpr int kEach = 2;
  using Raw = double;
  static void draw(Words w, Raw (&r)[2]) {
    for (int i = 0; i < 2; ++i) r[i] = unit53(w.at[2 * i], w.at[2 * i + 1]);
  }
};
struct Normals32 {
  static constexpr int kEach = 4;
  using Raw = float;
  static void draw(Words w, Raw (&r)[4]) {
    for (int i = 0; i < 2; ++i) {
      const Pair<float> two = two_normals(w.at[2 * i], w.at[2 * i + 1]);
      r[2 * i] = two.first;
      r[2 * i + 1] = two.second;
    }
  }
};
struct Normals53 {
  static constexpr int kEach = 2;
  using Raw = double;
  static void draw(Words w, Raw (&r)[2]) {
    const Pair<double> two = two_normals(w);
    r[0] = two.first;
    r[1] = two.second;
  }
};
struct Words32 {
  static constexpr int kEach = 4;
  using Raw = uint64_t;
  static void draw(Words w, Raw (&r)[4]) {
    for (int i = 0; i < 4; ++i) r[i] = w.at[i];
  }
};
struct Words64 {
  static constexpr int kEach = 2;
  using Raw = uint64_t;
  static void draw(Words w, Raw (&r)[2]) {
    for (int i = 0; i < 2; ++i) r[i] = uint64_t(w.at[2 * i]) << 32 | w.at[2 * i + 1];
  }
};

// What becomes of them: random_fill.cuh.
struct Uniform;
struct Normal;
struct LogNormal;
struct Exponential;
struct Cauchy;
struct Geometric;
struct Coin;
struct Integer;
