// Reductions: how many threads share an output, and whether the elements of one are cut into parts.
#include "backends/reduce.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "backends/cuda/hand.hpp"
#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/strided.hpp"

namespace chainrule::cuda {
namespace {

struct ReduceTask {
  const char* x;
  char *out, *second;
  void* partial;
  int64_t outputs, folded, parts;
  double divisor;
  Strided<1> kept, reduced;
};

bool finds_index(ReduceOp fold) { return fold == ReduceOp::ArgMax || fold == ReduceOp::ArgMin; }

// The dimensions that are reduced, or those that are kept.
Layout some_dimensions(const Reduction& r, bool reduced) {
  Dims sizes, strides;
  for (size_t i = 0; i < r.sizes.size(); ++i) {
    if ((r.reduced >> i & 1) != reduced) continue;
    sizes.push_back(r.sizes[i]);
    strides.push_back(r.strides[i]);
  }
  const Span of[] = {strides};
  return Layout(sizes, of, !reduced || finds_index(r.fold));
}

struct Ends {
  int64_t low, high;
};
Ends ends_of(DType t) {
  const int bits = static_cast<int>(size_of(t)) * 8;
  if (t == DType::Bool) return {0, 1};
  const bool is_unsigned = t == DType::UInt8 || t == DType::UInt16 || t == DType::UInt32;
  if (is_unsigned) return {0, (int64_t{1} << bits) - 1};
  if (bits == 64) return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

size_t accumulator_bytes(const Reduction& r) {
  const size_t item = size_of(compute_dtype(r.as));
  if (r.fold == ReduceOp::Variance) return 3 * item;
  return finds_index(r.fold) ? 16 : item;
}

class ReduceRun {
 public:
  explicit ReduceRun(const Reduction& r)
      : r_(r), kept_(some_dimensions(r, false)), reduced_(some_dimensions(r, true)) {}

  void start() {
    choose_group();
    choose_parts();
    std::optional<Scratch> partial;
    if (parts_ > 1) partial.emplace(static_cast<size_t>(outputs() * parts_) * accumulator_bytes(r_));
    const ReduceTask task{r_.x,
                          r_.out,
                          r_.second,
                          partial ? partial->data() : nullptr,
                          outputs(),
                          reduced_.numel(),
                          parts_,
                          r_.divisor,
                          Strided<1>(kept_),
                          Strided<1>(reduced_)};
    text(group_ ? "reduce_rows" : "reduce_columns", std::max<int64_t>(group_, 1))
        .run({blocks_, parts_}, kThreads, task);
    if (parts_ > 1) text("join_parts", 32).run({divide_up(outputs(), 8)}, kThreads, task);
  }

 private:
  int64_t outputs() const { return kept_.numel(); }
  void choose_group();
  void choose_parts();
  KernelText text(const char* entry, int64_t group) const;

  const Reduction& r_;
  const Layout kept_, reduced_;
  int64_t group_ = 0, blocks_ = 1, parts_ = 1;
};

// Neighbouring threads are to read neighbouring elements.
void ReduceRun::choose_group() {
  const auto nearness = [](const Layout& l) {
    const int64_t stride = std::abs(l.stride(0, l.dimensions() - 1));
    return l.numel() == 1 || stride == 0 ? std::numeric_limits<int64_t>::max() : stride;
  };
  const bool by_columns = outputs() >= 32 && nearness(kept_) < nearness(reduced_);
  const int64_t n = reduced_.numel();
  group_ = by_columns ? 0 : n <= 4 ? 1 : n <= 1024 && outputs() > 64 ? 32 : 256;
  blocks_ = divide_up(outputs(), group_ ? kThreads / group_ : 32);
}

void ReduceRun::choose_parts() {
  const int64_t wanted = facts_of(current_device()).multiprocessors * int64_t{8};
  if (blocks_ * 2 > wanted) return;
  const int64_t per_round = group_ ? group_ : 8;  // of an output's elements, how many its threads take at a time
  const int64_t most = std::max<int64_t>(1, reduced_.numel() / (per_round * 16));
  parts_ = std::clamp<int64_t>(wanted / blocks_, 1, std::min<int64_t>(most, 1024));
}

KernelText ReduceRun::text(const char* entry, int64_t group) const {
  KernelText t("reduce.cuh", entry);
  t.type("S", storage_type(r_.dtype)).type("T", compute_type(r_.as)).type("As", storage_type(r_.as));
  t.type("From", compute_type(r_.dtype));
  t.type("Out", storage_type(r_.out_dtype)).number("kFold", static_cast<int64_t>(r_.fold)).number("kGroup", group);
  if (is_floating(r_.as) || is_complex(r_.as)) {
    t.real("kLow", "-Format<double>::infinity").real("kHigh", "Format<double>::infinity");
  } else {
    const Ends ends = ends_of(r_.as);
    t.number("kLow", ends.low).number("kHigh", ends.high);
  }
  return t;
}

void reduce(const Reduction& r) {
  int64_t outputs = 1;
  for (size_t i = 0; i < r.sizes.size(); ++i) outputs *= r.reduced >> i & 1 ? 1 : r.sizes[i];
  if (outputs > 0) ReduceRun(r).start();
}

struct StridedSumTask {
  char* to;
  const char* from;
  Strided<2> at;
};

void accumulate(const StridedSum& s) {
  const Strided<2> at(s.sizes, {s.to_strides, s.from_strides});
  if (at.numel == 0) return;
  KernelText("accumulate.cuh", "accumulate")
      .with("atomic.cuh")
      .element(s.dtype)
      .run({blocks_for_loop(at.numel)}, kThreads, StridedSumTask{s.to, s.from, at});
}

}  // namespace

const ReduceKernels reduce_kernels{.reduce = {reduce}, .accumulate = {accumulate}};

}  // namespace chainrule::cuda
