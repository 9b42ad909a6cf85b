// The negative log-likelihood of classes: picking out one number per sample, and its transpose.
#include "ops/loss.hpp"

#include <cmath>
#include <cstring>

#include "backends/cpu/thread_pool.hpp"
#include "ops/kernel_input.hpp"
#include "ops/view.hpp"

namespace chainrule {
namespace {

OpInfo kNll{"nll_loss_nd", "NllLossBackward0", "-weight * g at the target classes, zeros elsewhere"};
OpInfo kNll2d{"nll_loss_nd", "NllLoss2DBackward0", "-weight * g at the target classes, zeros elsewhere"};
OpInfo kNllGradient{"nll_loss_backward", "NllLossBackwardBackward0", "-weight * g at the target classes"};

constexpr int64_t kGrain = 4096;  // samples for one thread

// x as (samples, classes, positions), one target for each sample and position.
struct Samples {
  int64_t n = 1, classes, positions = 1;
  int64_t reduction, ignored;

  Samples(Span sizes, int64_t reduction, int64_t ignored) : reduction(reduction), ignored(ignored) {
    size_t dim = sizes.size() == 1 ? 0 : 1;
    for (size_t i = 0; i < dim; ++i) n *= sizes[i];
    for (size_t i = dim + 1; i < sizes.size(); ++i) positions *= sizes[i];
    classes = sizes[dim];
  }
  int64_t count() const { return n * positions; }
  // Where the number for target i stands, of class c.
  int64_t at(int64_t i, int64_t c) const { return (i / positions * classes + c) * positions + i % positions; }
};

void check_target_dtype(const Tensor& target) {
  if (target.dtype() == DType::Int64 || target.dtype() == DType::UInt8) return;
  raise(PyExc_RuntimeError, "expected target dtype to be Long or Byte, but got ", facts(target.dtype()).tensor_name);
}

void check_shapes(const Tensor& x, const Tensor& target, const Tensor& weight) {
  if (x.ndim() == 0) raise(PyExc_ValueError, "Expected 1 or more dimensions (got 0)");
  int64_t classes = x.size(x.ndim() == 1 ? 0 : 1);
  if (x.ndim() == 1) {
    check(target.ndim() == 0 || target.numel() == 1, "size mismatch (got input: ", x.sizes(),
          ", target: ", target.sizes(), ")");
  } else if (target.ndim() == 0 || target.size(0) != x.size(0)) {
    raise(PyExc_ValueError, "Expected input batch_size (", x.size(0), ") to match target batch_size (",
          target.ndim() ? target.size(0) : 1, ").");
  } else {
    Dims wanted(x.sizes());
    wanted.erase(1);
    check(target.ndim() + 1 == x.ndim(),
          x.ndim() == 4 ? "only batches of spatial targets supported (3D tensors) but "
                          "got targets of dimension: "
                        : "0D or 1D target tensor expected, multi-target not supported; "
                          "dimension: ",
          target.ndim());
    check(equal(wanted, target.sizes()), "size mismatch (got input: ", x.sizes(), " , target: ", target.sizes(), ")");
  }
  if (!weight) return;
  check(weight.ndim() == 1 && weight.numel() == classes, "weight tensor should be defined either for all ", classes,
        " classes or no classes but got weight tensor of shape: ", weight.sizes());
}

struct Total {
  double loss = 0, weight = 0;
};

// `each`, when not null, is given the loss of every target.
template <class T>
Total pick(const Samples& s, const T* x, const int64_t* target, const T* weight, T* each) {
  Total total;
  for (int64_t i = 0; i < s.count(); ++i) {
    bool counts = target[i] != s.ignored;
    T w = !counts ? T(0) : weight ? weight[target[i]] : T(1);
    T loss = counts ? -w * x[s.at(i, target[i])] : T(0);
    if (each) each[i] = loss;
    total.loss += loss;
    total.weight += w;
  }
  return total;
}

template <class T>
double weight_of_all(const Samples& s, const int64_t* target, const T* weight) {
  double total = 0;
  for (int64_t i = 0; i < s.count(); ++i) {
    if (target[i] != s.ignored) total += weight ? static_cast<double>(weight[target[i]]) : 1;
  }
  return total;
}

// The transpose of pick: zeros but for the target classes.
template <class T>
void spread(const Samples& s, const T* g, const int64_t* target, const T* weight, T* out) {
  T one = s.reduction == kNone ? T(0) : *g;
  if (s.reduction == kMean) one = static_cast<T>(one / weight_of_all(s, target, weight));
  cpu::parallel_for(s.n, kGrain / std::clamp<int64_t>(s.positions, 1, kGrain), [&](int64_t begin, int64_t end) {
    int64_t row = s.classes * s.positions;
    std::memset(out + begin * row, 0, static_cast<size_t>((end - begin) * row) * sizeof(T));
    for (int64_t i = begin * s.positions; i < end * s.positions; ++i) {
      if (target[i] == s.ignored) continue;
      T w = weight ? weight[target[i]] : T(1);
      out[s.at(i, target[i])] = -w * (s.reduction == kNone ? g[i] : one);
    }
  });
}

Tensor nll_value(const Samples& s, const Tensor& x, const Tensor& target, const Tensor& weight) {
  GradModeScope off(false);
  Tensor from = prepared(x), at = contiguous(to_dtype(target, DType::Int64)), w = prepared(weight);
  check_targets(at.data<int64_t>(), s.count(), s.classes, s.ignored);
  bool each = s.reduction == kNone;
  Tensor out = each ? empty(target.sizes(), from.dtype()) : empty({}, from.dtype());
  with_kernel_type(from.dtype(), [&]<class T>(T) {
    T* result = out.data<T>();
    Total total = pick<T>(s, from.data<T>(), at.data<int64_t>(), w ? w.data<T>() : nullptr, each ? result : nullptr);
    if (!each) *result = static_cast<T>(s.reduction == kMean ? total.loss / total.weight : total.loss);
  });
  return to_dtype(out, x.dtype());
}

Tensor gradient_of_nll(const Tensor& g, const Tensor& target, const Tensor& weight, Span sizes, int64_t reduction,
                       int64_t ignored) {
  Samples s(sizes, reduction, ignored);
  Tensor out;
  {
    GradModeScope off(false);
    Tensor from = prepared(g), at = contiguous(to_dtype(target, DType::Int64)), w = prepared(weight);
    check_targets(at.data<int64_t>(), s.count(), s.classes, ignored);  // they may have been overwritten since
    Tensor to = empty(sizes, from.dtype());
    with_kernel_type(to.dtype(), [&]<class T>(T) {
      spread<T>(s, from.data<T>(), at.data<int64_t>(), w ? w.data<T>() : nullptr, to.data<T>());
    });
    out = to_dtype(to, g.dtype());
  }
  return record(kNllGradient, out, {&g}, {&target, &weight},
                [reduction, ignored, weighted = static_cast<bool>(weight)](Backward& b) {
                  b.give(0, nll_loss(b.g(), b.saved(0), saved_if(b, 1, weighted), reduction, ignored));
                });
}

}  // namespace

void check_targets(const int64_t* target, int64_t count, int64_t classes, int64_t ignored) {
  for (int64_t i = 0; i < count; ++i) {
    if (target[i] != ignored && (target[i] < 0 || target[i] >= classes)) [[unlikely]] {
      raise(PyExc_IndexError, "Target ", target[i], " is out of bounds. There are ", classes, " classes");
    }
  }
}

Tensor nll_loss(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignored) {
  check_shapes(x, target, weight);
  check_target_dtype(target);
  require_floating(x, "nll_loss_out_frame");
  check(!weight || weight.dtype() == x.dtype(), "expected scalar type ", facts(x.dtype()).tensor_name, " but found ",
        weight ? facts(weight.dtype()).tensor_name : "");
  Samples s(x.sizes(), reduction, ignored);
  return record(
      x.ndim() <= 2 ? kNll : kNll2d, nll_value(s, x, target, weight), {&x}, {&target, &weight},
      [sizes = Dims(x.sizes()), reduction, ignored, weighted = static_cast<bool>(weight)](Backward& b, Kept* kept) {
        if (kept)
          return kept->add("ignore_index", ignored, "reduction", reduction, "target", Slot{0}, "weight", Slot{1});
        b.give(0, gradient_of_nll(b.g(), b.saved(0), saved_if(b, 1, weighted), sizes, reduction, ignored));
      });
}

}  // namespace chainrule
