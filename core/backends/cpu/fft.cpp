// Plans of Fourier transforms, and how the work is cut into tiles.
#include "backends/fft.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <new>

#include "backends/cpu/fft_plan.hpp"
#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"

namespace chainrule::cpu {
namespace {

// exp(-2 pi i k / n), right to the last bit or nearly: a product of two numbers from short tables, in long double.
class Roots {
 public:
  explicit Roots(int64_t n) : n_(n) {
    block_ = n <= 4096 ? n : static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
    for (int64_t k = 0; k < block_; ++k) fine_.push_back(root(k));
    for (int64_t k = 0; k < n; k += block_) coarse_.push_back(root(k));
  }

  template <class T>
  void append(ComplexTable<T>& table, int64_t k, long double sign = 1) const {
    const auto &a = coarse_[static_cast<size_t>(k / block_)], &b = fine_[static_cast<size_t>(k % block_)];
    table.push_back(static_cast<T>(a.re * b.re - a.im * b.im), static_cast<T>(sign * (a.re * b.im + a.im * b.re)));
  }

 private:
  struct Root {
    long double re, im;
  };
  // As quarter turns, which are exact, and the rest.
  Root root(int64_t k) const {
    const int64_t quarters = (4 * k + n_ / 2) / n_;
    const long double turn = static_cast<long double>(4 * k - quarters * n_) / static_cast<long double>(n_);
    const long double angle = turn * 1.57079632679489661923132169163975144L, c = std::cos(angle), s = std::sin(angle);
    switch (quarters % 4) {
      case 0:
        return {c, -s};
      case 1:
        return {-s, -c};
      case 2:
        return {-c, s};
      default:
        return {s, c};
    }
  }

  int64_t n_, block_;
  std::vector<Root> fine_, coarse_;
};

// The radices of a length, the fastest first; empty if it has a large prime factor.
std::vector<int> radices_of(int64_t n) {
  std::vector<int> result;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  if (twos == 1) result = {2};
  for (; twos >= 3 && twos != 4; twos -= 3) result.push_back(8);
  for (; twos >= 2; twos -= 2) result.push_back(4);
  for (int prime : {7, 5, 3}) {
    for (; n % prime == 0; n /= prime) result.push_back(prime);
  }
  return n == 1 ? result : std::vector<int>();
}

template <class T>
void add_passes(FftPlan<T>& plan, const std::vector<int>& radices) {
  const Roots roots(plan.length);
  int64_t stride = 1;
  for (int radix : radices) {
    const int64_t sections = plan.length / stride / radix;
    plan.passes.push_back({radix, sections, stride, static_cast<int64_t>(plan.roots.re.size())});
    for (int k = 1; k < radix; ++k) {
      for (int64_t p = 0; p < sections; ++p) roots.append(plan.roots, k * p * stride);
    }
    stride *= radix;
  }
}

// The smallest length that is at least n and made of twos and one more small factor.
int64_t quick_length(int64_t n) {
  int64_t best = 8;
  while (best < n) best *= 2;
  for (int64_t factor : {3, 5, 9, 15}) {
    int64_t size = 8 * factor;
    while (size < n) size *= 2;
    best = std::min(best, size);
  }
  return best;
}

template <class T>
std::shared_ptr<const FftPlan<T>> make_plan(int64_t n, bool real);

// From the system, not from the allocator of tensors: that has no lock, and the threads of the pool come here.
class Workspace {
 public:
  template <class T>
  explicit Workspace(const FftPlan<T>& plan, int64_t lanes)
      : data_(::operator new(static_cast<size_t>(fft_workspace(plan, lanes)) * sizeof(T), kAligned)) {}
  ~Workspace() { ::operator delete(data_, kAligned); }
  Workspace(const Workspace&) = delete;
  void* data() const { return data_; }

 private:
  static constexpr std::align_val_t kAligned{64};
  void* data_;
};

// exp(-i pi j^2 / n), and the transform of its conjugate, which it is convolved with.
template <class T>
void add_chirp(FftPlan<T>& plan) {
  const int64_t n = plan.length, size = quick_length(2 * n - 1);
  const Roots roots(2 * n);
  ComplexTable<double> conjugate;
  for (int64_t j = 0, square = 0; j < n; square = (square + 2 * j + 1) % (2 * n), ++j) {
    roots.append(plan.chirp, square);
    roots.append(conjugate, square, -1);
  }
  std::vector<double> line(static_cast<size_t>(2 * size));
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t at : {j, (size - j) % size}) {
      line[static_cast<size_t>(2 * at)] = conjugate.re[static_cast<size_t>(j)];
      line[static_cast<size_t>(2 * at + 1)] = conjugate.im[static_cast<size_t>(j)];
    }
  }
  auto exact = make_plan<double>(size, false);
  Workspace workspace(*exact, 1);
  const FftPlaces places{2, 0, 1};
  fft_tile(FftTile<double>{exact.get(), Fft::Forward, size, 1, line.data(), line.data(), places, places,
                           1.0 / static_cast<double>(size), static_cast<double*>(workspace.data())});
  for (size_t k = 0; k < line.size(); k += 2) {
    plan.chirp_spectrum.push_back(static_cast<T>(line[k]), static_cast<T>(line[k + 1]));
  }
  plan.convolution = make_plan<T>(size, false);
  plan.rows = std::max(plan.rows, size);
}

template <class T>
std::shared_ptr<const FftPlan<T>> make_plan(int64_t n, bool real) {
  auto plan = std::make_shared<FftPlan<T>>();
  plan->packed = real && n % 2 == 0;
  plan->length = plan->packed ? n / 2 : n;
  plan->rows = n + 1;
  const std::vector<int> radices = radices_of(plan->length);
  if (plan->length > 1) radices.empty() ? add_chirp(*plan) : add_passes(*plan, radices);
  if (plan->packed) {
    const Roots roots(n);
    for (int64_t k = 0; k <= plan->length; ++k) roots.append(plan->unpacking, k);
  }
  return plan;
}

// The plans used last are kept.
template <class T>
std::shared_ptr<const FftPlan<T>> find_plan(int64_t n, bool real) {
  struct Entry {
    int64_t n;
    bool real;
    std::shared_ptr<const FftPlan<T>> plan;
  };
  constexpr size_t kKept = 16;
  static std::mutex mutex;
  static auto& kept = *new std::list<Entry>;  // never destroyed: threads may outlive the module
  std::lock_guard lock(mutex);
  auto found = std::find_if(kept.begin(), kept.end(), [&](const Entry& e) { return e.n == n && e.real == real; });
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
  } else {
    kept.push_front({n, real, make_plan<T>(n, real)});
    if (kept.size() > kKept) kept.pop_back();
  }
  return kept.front().plan;
}

template <class T>
struct Batch {
  FftShape shape;
  FftTile<T> tile;           // of the first transforms
  int64_t lanes;             // of a full tile
  int64_t x_rows, out_rows;  // the length of a transform's input and output, in T

  int64_t tiles_inside() const { return (shape.inner + lanes - 1) / lanes; }
  int64_t tiles() const { return shape.inner > 1 ? shape.outer * tiles_inside() : (shape.outer + lanes - 1) / lanes; }

  void run(int64_t begin, int64_t end) const {
    Workspace workspace(*tile.plan, lanes);
    for (int64_t i = begin; i < end; ++i) {
      FftTile<T> t = tile;
      t.workspace = static_cast<T*>(workspace.data());
      const bool rows = shape.inner == 1;
      const int64_t outer = rows ? i * lanes : i / tiles_inside(), inner = rows ? 0 : i % tiles_inside() * lanes;
      t.lanes = std::min(lanes, rows ? shape.outer - outer : shape.inner - inner);
      t.x += outer * x_rows * shape.inner + inner * t.from.lane;
      t.out += outer * out_rows * shape.inner + inner * t.to.lane;
      fft_tile(t);
    }
  }
};

// Steps between complex numbers, between pairs of real ones, or between single ones.
FftPlaces places(bool complex, bool packed, const FftShape& s, int64_t row_length) {
  const int64_t width = complex ? 2 : 1, inner = s.inner;
  FftPlaces p{width * inner, inner > 1 ? width : row_length, complex ? 1 : 0};
  if (!complex && packed) p = {2 * inner, p.lane, inner};
  return p;
}

// How many transforms run side by side. Along the last dimension it is one if they are long, since vectors can run
// along the transform; along others neighbours come in whole cache lines, as many as the second cache holds.
template <class T>
int64_t lanes_of(const FftPlan<T>& plan, const FftShape& s) {
  constexpr int64_t kVector = 64 / sizeof(T), kCached = (int64_t{1} << 19) / (4 * sizeof(T));
  if (s.inner > 1) return std::clamp(kCached / plan.rows / kVector * kVector, kVector, 4 * kVector);
  const bool is_long = plan.length >= 128 && (plan.convolution || plan.length % 4 == 0);
  return is_long || s.outer < kVector ? 1 : kVector;
}

template <class T>
void run_batch(Fft kind, const T* x, T* out, const FftShape& s, double scale) {
  const bool from_real = kind == Fft::FromReal || kind == Fft::FromRealFull, to_real = kind == Fft::ToReal;
  auto plan = find_plan<T>(s.n, from_real || to_real);
  const int64_t half = 2 * (s.n / 2 + 1);
  Batch<T> b{s, {plan.get(), kind, s.n}};
  b.x_rows = from_real ? s.n : to_real ? half : 2 * s.n;
  b.out_rows = to_real ? s.n : kind == Fft::FromReal ? half : 2 * s.n;
  b.lanes = lanes_of(*plan, s);
  b.tile.x = x;
  b.tile.out = out;
  b.tile.from = places(!from_real, plan->packed, s, b.x_rows);
  b.tile.to = places(!to_real, plan->packed, s, b.out_rows);
  b.tile.scale = static_cast<T>(scale);
  constexpr int64_t kGrain = 16 * 1024;  // elements worth a thread
  parallel_for(b.tiles(), std::max<int64_t>(1, kGrain / (s.n * b.lanes)),
               [&](int64_t begin, int64_t end) { b.run(begin, end); });
}

void run(const FourierTransform& f) {
  if (f.shape.outer * f.shape.n * f.shape.inner == 0) return;
  if (f.dtype == DType::Float64)
    run_batch(f.kind, static_cast<const double*>(f.x), static_cast<double*>(f.out), f.shape, f.scale);
  else
    run_batch(f.kind, static_cast<const float*>(f.x), static_cast<float*>(f.out), f.shape, f.scale);
}

}  // namespace

constinit const FftKernels fft_kernels{{run}};

}  // namespace chainrule::cpu
