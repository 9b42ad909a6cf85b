// Large elementwise operations that wait; see Note [Pending operations].
#include "ops/pending.hpp"

#include <array>

#include "backends/cpu/thread_pool.hpp"
#include "ops/sweep.hpp"

namespace chainrule {

int pending_count = 0;

namespace {

constexpr int kMost = 24;        // operations that wait at one time
constexpr int kParameters = 8;   // as many as a line of the table can have
constexpr int64_t kTile = 1024;  // elements
constexpr int64_t kTileBytes = kTile * 8;
constexpr int64_t kMostBytes = int64_t{1} << 28;  // of results that wait

// Where an input's elements are: in a tensor, in the result of an operation that waits too, or one number.
struct Source {
  Tensor tensor;
  int earlier = -1;
  double number = 0;
};

struct Operation {
  ElementwiseKernel kernel;
  int input_count;
  std::array<Source, kMaxInputs> in;
  std::array<double, kParameters> parameters;
  Tensor out;
};

// What waits; all of one shape and dtype. Never destroyed: tensors must not be released after Python has gone.
struct Queue {
  std::array<Operation, kMost> operations;
  const TensorObject* shape() const { return operations[0].out.get(); }
};
Queue& queue = *new Queue;

int find_pending(const TensorObject* t) {
  for (int i = pending_count - 1; i >= 0; --i) {
    if (queue.operations[i].out.get() == t) return i;
  }
  return -1;
}

bool is_private(const Storage* s) { return !s->owner && !s->exported; }

// The tensor whose shape and dtype the operation has, if all of its inputs are contiguous and alike.
const TensorObject* common_shape(const OpRecord& op, std::span<const Operand> in) {
  const TensorObject* first = nullptr;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    if (!t && (in[i].scalar.kind == Scalar::kComplex || in[i].scalar.kind == Scalar::kBool)) return nullptr;
    if (!t) continue;
    bool is_float = t->dtype == DType::Float32 || t->dtype == DType::Float64;
    if (!is_float || !is_private(t->storage) || !t->has(kContiguous) || (first && !matches(t, first))) return nullptr;
    first = t;
  }
  return first;
}

void fill_source(Source& s, const Operand& o) {
  s.tensor = o.tensor ? Tensor::borrow(o.tensor) : Tensor();
  s.earlier = o.tensor ? find_pending(o.tensor) : -1;
  s.number = o.tensor ? 0 : o.scalar.real;
}

}  // namespace

Tensor defer(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  const TensorObject* like = common_shape(op, in);
  if (!like || op.is_test || op.condition >= 0) return Tensor();
  int64_t bytes = like->numel * static_cast<int64_t>(size_of(like->dtype));
  ElementwiseKernel kernel = kernels_of(op).forward[static_cast<int>(compute_of(like->dtype))];
  if (!kernel || bytes > kMostBytes) return Tensor();
  if (pending_count == kMost || (pending_count + 1) * bytes > kMostBytes) settle();
  if (pending_count && !matches(like, queue.shape())) settle();
  Operation& waiting = queue.operations[pending_count];
  waiting.kernel = kernel;
  waiting.input_count = op.input_count;
  for (int i = 0; i < op.input_count; ++i) fill_source(waiting.in[i], in[i]);
  for (int i = 0; i < op.parameter_count; ++i) waiting.parameters[i] = parameters[i];
  waiting.out = empty_as(like, like->dtype);
  ++pending_count;
  return waiting.out;
}

namespace {

// One run of all that waits.
class Run {
 public:
  explicit Run(int count)
      : count_(count),
        item_(static_cast<int64_t>(size_of(queue.shape()->dtype))),
        streams_(queue.shape()->numel * item_ >= cpu::kStreamBytes) {
    for (int i = 0; i < count; ++i) visible_[i] = is_visible(i);
    for (int i = 0; i < count; ++i) needed_[i] = visible_[i];
    for (int i = count - 1; i >= 0; --i) {
      if (needed_[i]) need_inputs(i);
    }
  }

  void all() {
    cpu::parallel_for(queue.shape()->numel, kSweepGrain, [&](int64_t begin, int64_t end) {
      auto* memory = new (std::align_val_t(64)) char[(count_ + numbers()) * kTileBytes];
      range(begin, end, memory);
      operator delete[](memory, std::align_val_t(64));
    });
  }

 private:
  // Whether anybody but this queue can see the result.
  bool is_visible(int i) const {
    const Tensor& out = queue.operations[i].out;
    Py_ssize_t ours = 1;
    for (int k = i + 1; k < count_; ++k) {
      for (const Source& s : sources(k)) ours += s.earlier == i;
    }
    return Py_REFCNT(out.py()) > ours || out->storage->references > 1;
  }
  std::span<const Source> sources(int i) const {
    const Operation& o = queue.operations[i];
    return {o.in.data(), static_cast<size_t>(o.input_count)};
  }
  void need_inputs(int i) {
    for (const Source& s : sources(i)) {
      if (s.earlier >= 0) needed_[s.earlier] = true;
    }
  }
  int numbers() const {
    int n = 0;
    for (int i = 0; i < count_; ++i) {
      for (const Source& s : sources(i)) n += !s.tensor;
    }
    return n;
  }

  void range(int64_t begin, int64_t end, char* memory) const {
    fill_numbers(memory + count_ * kTileBytes);
    for (int64_t at = begin; at < end; at += kTile) tile(at, std::min(kTile, end - at), memory);
    CR_DISPATCH(stream_fence)();
  }
  void fill_numbers(char* to) const {
    for (int i = 0; i < count_; ++i) {
      for (const Source& s : sources(i)) {
        if (s.tensor) continue;
        item_ == 4 ? repeated<float>(s.number, to, kTile) : repeated<double>(s.number, to, kTile);
        to += kTileBytes;
      }
    }
  }
  void tile(int64_t at, int64_t n, char* memory) const {
    const char* results[kMost];
    const char* number = memory + count_ * kTileBytes;
    for (int i = 0; i < count_; ++i) {
      const Operation& o = queue.operations[i];
      const void* in[kMaxInputs];
      for (int k = 0; k < o.input_count; ++k) {
        const Source& s = o.in[k];
        in[k] = s.earlier >= 0 ? results[s.earlier] : s.tensor ? s.tensor->data + at * item_ : number;
        if (!s.tensor) number += kTileBytes;
      }
      if (!needed_[i]) continue;
      char* to = visible_[i] && !streams_ ? o.out->data + at * item_ : memory + i * kTileBytes;
      o.kernel(to, in, n, o.parameters.data());
      if (visible_[i] && streams_) CR_DISPATCH(stream_copy)(o.out->data + at * item_, to, n * item_);
      results[i] = to;
    }
  }

  int count_;
  int64_t item_;
  bool streams_;  // see Note [Streaming stores]
  std::array<bool, kMost> visible_{}, needed_{};
};

}  // namespace

void run_pending() {
  int count = pending_count;
  pending_count = 0;
  Run(count).all();
  // Letting go of a tensor may run the user's code (a weak reference's callback), which may fill the queue again.
  std::array<Tensor, kMost*(kMaxInputs + 1)> done;
  size_t n = 0;
  for (int i = 0; i < count; ++i) {
    Operation& o = queue.operations[i];
    done[n++] = std::move(o.out);
    for (Source& s : o.in) done[n++] = std::move(s.tensor);
  }
}

}  // namespace chainrule
