// Large elementwise operations that wait; see Note [Pending operations].
#include "ops/elementwise/pending.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "ops/elementwise/chain_parts.hpp"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace chainrule {

int pending_count = 0;
bool may_wait = true;

namespace {

constexpr int kMost = 24;                         // operations that wait at one time
constexpr int64_t kMostBytes = int64_t{1} << 28;  // of results that wait

// Memory that is kept, without the tensor that shows it: how long a tensor lives is not to depend on what waits.
class HeldMemory {
 public:
  HeldMemory() = default;
  explicit HeldMemory(const TensorObject* t) : storage_(t->storage), data_(t->data) { storage_->retain(); }
  HeldMemory(HeldMemory&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)), data_(other.data_) {}
  HeldMemory& operator=(HeldMemory&& other) noexcept {
    std::swap(storage_, other.storage_);
    data_ = other.data_;
    return *this;
  }
  ~HeldMemory() {
    if (storage_) storage_->release();
  }
  explicit operator bool() const { return storage_; }
  char* data() const { return data_; }
  bool is_memory_of(const TensorObject* t) const { return storage_ == t->storage && data_ == t->data; }
  bool has_other_owners() const { return storage_->references > 1; }

 private:
  Storage* storage_ = nullptr;
  char* data_ = nullptr;
};

// Where an input's elements are: in memory, in the result of an operation that waits too, or one number.
struct Source {
  HeldMemory memory;
  bool is_row = false;  // one row, for every row of the product
  int earlier = -1;
  double number = 0;
};

struct Operation {
  const OpRecord* op;  // null: the product
  std::array<Source, kMaxInputs> in;
  std::array<double, kMaxParameters> parameters;
  HeldMemory out;
  // Whether anybody but this queue can see the result.
  bool is_visible() const { return out.has_other_owners(); }
};

// What comes block by block; the function holds what it needs.
struct Blocks {
  MakeBlocks make;
  int64_t width = 0;
};

// What waits; all of one shape and dtype. Never destroyed: memory must not be released after Python has gone.
struct Queue {
  std::array<Operation, kMost> operations;
  Blocks blocks;  // of the first operation, if that is a product
  Dims sizes;
  DType dtype = DType::Float32;
  int64_t numel = 0;

  void begin(const Tensor& first) {
    sizes = Dims(first.sizes());
    dtype = first.dtype();
    numel = first.numel();
  }
  bool has_shape_of(const TensorObject* t) const {
    return t->has(kContiguous) && t->dtype == dtype && equal({t->sizes(), t->ndim}, sizes);
  }
  int64_t item() const { return static_cast<int64_t>(size_of(dtype)); }
};
Queue& queue = *new Queue;

int find_pending(const TensorObject* t) {
  for (int i = pending_count - 1; i >= 0; --i) {
    if (queue.operations[i].out.is_memory_of(t)) return i;
  }
  return -1;
}

int64_t bytes(const TensorObject* t) { return t->numel * static_cast<int64_t>(size_of(t->dtype)); }

// Whoever reads a result before it is written is found out; see Note [Who may see a waiting buffer].
void hide(const HeldMemory& waiting) {
  [[maybe_unused]] const auto length = static_cast<size_t>(queue.numel * queue.item());
  if (thresholds.small_chunks) std::memset(waiting.data(), 0xff, length);
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(waiting.data(), length);
#endif
}
void uncover([[maybe_unused]] const HeldMemory& waiting) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(waiting.data(), static_cast<size_t>(queue.numel * queue.item()));
#endif
}

bool is_private(const Storage* s) { return !s->owner && !s->exported; }
// Whether its elements are there, and are those that lie in memory: a meta tensor has none, an unresolved one shows
// others.
bool is_plain(const TensorObject* t) { return !t->bits() && t->storage->device == Device::CPU; }

// Whether `t` can be added to each row of the product that waits: a bias.
bool is_row(const TensorObject* t) {
  if (!pending_count || !queue.blocks.make || t->ndim != 1) return false;
  int64_t n = t->sizes()[0];
  return queue.sizes.size() > 1 && t->dtype == queue.dtype && n == queue.blocks.width && n == queue.sizes.back();
}

// The tensor whose shape and dtype the operation has, if all of its inputs are contiguous and alike, or rows of what
// waits.
const TensorObject* common_shape(const OpRecord& op, std::span<const Operand> in) {
  const TensorObject* first = nullptr;
  bool rows = false;
  for (int i = 0; i < op.input_count; ++i) {
    const TensorObject* t = in[i].tensor;
    if (!t && (in[i].scalar.kind == Scalar::kComplex || in[i].scalar.kind == Scalar::kBool)) return nullptr;
    if (!t) continue;
    bool is_float = t->dtype == DType::Float32 || t->dtype == DType::Float64;
    if (!is_float || !is_private(t->storage) || !t->has(kContiguous) || !is_plain(t)) return nullptr;
    if (is_row(t)) {
      rows = true;
      continue;
    }
    if (first && !matches(t, first)) return nullptr;
    first = t;
  }
  return rows && first && !queue.has_shape_of(first) ? nullptr : first;
}

void fill_source(Source& s, const Operand& o) {
  s.is_row = o.tensor && is_row(o.tensor);
  s.earlier = o.tensor ? find_pending(o.tensor) : -1;
  s.memory = o.tensor && s.earlier < 0 ? HeldMemory(o.tensor) : HeldMemory();
  s.number = o.tensor ? 0 : o.scalar.real;
}

}  // namespace

Tensor defer(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  if (pending_count == kMost || (pending_count && (pending_count + 1) * queue.numel * queue.item() > kMostBytes))
    settle();
  const bool waits = may_wait && Storage::making.device == Device::CPU;
  const TensorObject* like = waits ? common_shape(op, in) : nullptr;
  if (!like || op.is_test || op.condition >= 0) return Tensor();
  if (!has_arithmetic(op, like->dtype) || bytes(like) > kMostBytes) return Tensor();
  if (pending_count && !queue.has_shape_of(like)) settle();
  Operation& waiting = queue.operations[pending_count];
  waiting.op = &op;
  for (int i = 0; i < op.input_count; ++i) fill_source(waiting.in[i], in[i]);
  for (int i = 0; i < op.parameter_count; ++i) waiting.parameters[i] = parameters[i];
  Tensor out = empty_as(like, like->dtype);
  if (!pending_count) queue.begin(out);
  waiting.out = HeldMemory(out.get());
  hide(waiting.out);
  ++pending_count;
  return out;
}

Tensor defer_blocks(Span sizes, DType dtype, int64_t width, std::initializer_list<const Tensor*> factors,
                    MakeBlocks make) {
  int64_t numel = count(sizes);
  if (!may_wait || Storage::making.device != Device::CPU || numel < thresholds.pending) return Tensor();
  if (numel * static_cast<int64_t>(size_of(dtype)) > kMostBytes) return Tensor();
  for (const Tensor* t : factors) {
    if (*t && (!is_private((*t)->storage) || !is_plain(t->get()))) return Tensor();
  }
  settle();
  queue.blocks = {std::move(make), width};
  Operation& first = queue.operations[0];
  first.op = nullptr;
  Tensor out = empty(sizes, dtype);
  queue.begin(out);
  first.out = HeldMemory(out.get());
  hide(first.out);
  pending_count = 1;
  return out;
}

namespace {

// What waits, as a chain. Where the first operation is a product, its rows are the first input.
class QueuedChain {
 public:
  explicit QueuedChain(int count)
      : product_(queue.blocks.make ? 1 : 0), width_(product_ ? queue.blocks.width : 1), all_{width_, 1} {
    if (product_) inputs_.push_back({.dtype = queue.dtype});
    for (int i = product_; i < count; ++i) add_step(queue.operations[i]);
    for (int i = 0; i < count; ++i) {
      const Operation& o = queue.operations[i];
      if (o.is_visible()) outputs_.push_back({result_of(i), o.out.data(), queue.dtype, all_});
    }
    sizes_ = {queue.numel / width_, width_};
  }

  void run() const {
    const HeldMemory& product = queue.operations[0].out;
    if (outputs_.empty()) return;
    if (!product_ || !reads_product()) return backend().chain->run(chain());
    if (outputs_.size() == 1 && outputs_[0].value.is_input()) return queue.blocks.make(product.data(), nullptr);
    backend().chain->run_on_blocks(chain(),
                                   [&](const GemmFinish& finish) { queue.blocks.make(product.data(), &finish); });
  }

 private:
  ChainOperand result_of(int i) const {
    return product_ && i == 0 ? ChainOperand::input(0) : ChainOperand::step(i - product_);
  }
  void add_step(const Operation& o) {
    ChainStep step{.op = o.op->id, .parameters = o.parameters.data()};
    for (int k = 0; k < o.op->input_count; ++k) {
      const Source& s = o.in[k];
      if (s.earlier >= 0) {
        step.operands[k] = result_of(s.earlier);
        continue;
      }
      step.operands[k] = s.memory ? input(s) : ChainOperand::input(static_cast<int>(inputs_.size()));
      if (!s.memory) inputs_.push_back({.number = Scalar(s.number)});
    }
    steps_.push_back(step);
  }
  // Memory that several steps read is one input.
  ChainOperand input(const Source& s) {
    const Dims strides = s.is_row ? Dims{0, 1} : all_;
    size_t i = 0;
    while (i < inputs_.size() && !(inputs_[i].data == s.memory.data() && equal(inputs_[i].strides, strides))) ++i;
    if (i == inputs_.size()) inputs_.push_back({s.memory.data(), queue.dtype, strides});
    return ChainOperand::input(static_cast<int>(i));
  }
  // Whether anything that is visible is made from the product.
  bool reads_product() const {
    std::array<bool, kMost> made{};
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (ChainOperand o : steps_[i].operands)
        made[i] |= o == ChainOperand::input(0) || (o.is_read() && !o.is_input() && made[o.index()]);
    }
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [&](const ChainOutput& o) { return o.value.is_input() || made[o.value.index()]; });
  }
  Chain chain() const { return {sizes_, queue.dtype, inputs_, steps_, outputs_, false}; }

  int product_;  // how many of the operations are one: 0 or 1
  int64_t width_;
  Dims all_, sizes_;  // the strides of all rows
  std::vector<ChainInput> inputs_;
  std::vector<ChainStep> steps_;
  std::vector<ChainOutput> outputs_;
};

}  // namespace

void run_pending() {
  const int count = std::exchange(pending_count, 0);
  for (int i = 0; i < count; ++i) uncover(queue.operations[i].out);
  try {
    QueuedChain(count).run();
  } catch (...) {  // no memory: it waits on, with all that it needs
    pending_count = count;
    throw;
  }
  const Blocks blocks = std::exchange(queue.blocks, {});
  // Letting go of memory may run the user's code (that of its owner), which may fill the queue again.
  std::array<HeldMemory, kMost*(kMaxInputs + 1)> done;
  size_t n = 0;
  for (int i = 0; i < count; ++i) {
    Operation& o = queue.operations[i];
    done[n++] = std::move(o.out);
    for (Source& source : o.in) done[n++] = std::move(source.memory);
  }
}

void settle_quietly() noexcept {
  try {
    settle();
  } catch (...) {
  }
}

}  // namespace chainrule
