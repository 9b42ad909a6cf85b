// Large elementwise operations that wait; see Note [Pending operations].
//
// What waits is calculated without Python's lock, so other threads run meanwhile. They may let operations of their own
// wait, and these join another queue. They may not read what is not there yet, nor write what is still to be read: so
// whoever settles waits for the queues that others run, too. Only an operation that will wait itself need not do that,
// unless one of its inputs is the result of such a queue.
#include "ops/elementwise/pending.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "ops/elementwise/chain_parts.hpp"
#include "tensor/unlocked.hpp"
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
  bool is_in(const Storage* s) const { return storage_ == s; }
  bool is_memory_of(const TensorObject* t) const { return is_in(t->storage) && data_ == t->data; }
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

// What waits together; all of one shape and dtype.
struct Queue {
  std::array<Operation, kMost> operations;
  int count = 0;
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
  bool has_room() const { return count < kMost && (count + 1) * bytes() <= kMostBytes; }
  int64_t bytes() const { return numel * static_cast<int64_t>(size_of(dtype)); }
  // The operation whose result that is, or -1.
  int find(const TensorObject* t) const {
    int i = count - 1;
    while (i >= 0 && !operations[i].out.is_memory_of(t)) --i;
    return i;
  }
  // Of one that is begun. Set without Python's lock.
  enum State { Waits, Done, Failed };
  std::atomic<State> state{Waits};

  bool makes(const Storage* s) const {
    return std::any_of(operations.begin(), operations.begin() + count,
                       [s](const Operation& o) { return o.out.is_in(s); });
  }
};
// Operations join this one. Never destroyed: memory must not be released after Python has gone.
Queue* queue = new Queue;
std::vector<Queue*>& begun = *new std::vector<Queue*>;   // being calculated, by a thread each
std::vector<Queue*>& failed = *new std::vector<Queue*>;  // for want of memory; they are tried again
std::atomic<int> running{0};                             // of those begun

bool is_done(const Queue* q) { return q->state == Queue::Done; }

void count_pending() { pending_count = queue->count + static_cast<int>(begun.size() + failed.size()); }

int64_t bytes(const TensorObject* t) { return t->numel * static_cast<int64_t>(size_of(t->dtype)); }

// Whoever reads a result before it is written is found out; see Note [Who may see a waiting buffer].
void hide(const HeldMemory& waiting) {
  [[maybe_unused]] const auto length = static_cast<size_t>(queue->bytes());
  if (thresholds.small_chunks) std::memset(waiting.data(), 0xff, length);
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region(waiting.data(), length);
#endif
}
void uncover([[maybe_unused]] const Queue& q) {
#ifdef __SANITIZE_ADDRESS__
  for (int i = 0; i < q.count; ++i)
    __asan_unpoison_memory_region(q.operations[i].out.data(), static_cast<size_t>(q.bytes()));
#endif
}

bool is_private(const Storage* s) { return !s->owner && !s->exported; }
// Whether its elements are there, and are those that lie in memory: a meta tensor has none, an unresolved one shows
// others.
bool is_plain(const TensorObject* t) { return !t->bits() && t->storage->device == Device::CPU; }

// Whether `t` can be added to each row of the product that waits: a bias.
bool is_row(const TensorObject* t) {
  if (!queue->count || !queue->blocks.make || t->ndim != 1) return false;
  int64_t n = t->sizes()[0];
  return queue->sizes.size() > 1 && t->dtype == queue->dtype && n == queue->blocks.width && n == queue->sizes.back();
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
  return rows && first && !queue->has_shape_of(first) ? nullptr : first;
}

void fill_source(Source& s, const Operand& o) {
  s.is_row = o.tensor && is_row(o.tensor);
  s.earlier = o.tensor ? queue->find(o.tensor) : -1;
  s.memory = o.tensor && s.earlier < 0 ? HeldMemory(o.tensor) : HeldMemory();
  s.number = o.tensor ? 0 : o.scalar.real;
}

// Whether another thread calculates what `t` shows, or could not.
bool is_begun(const TensorObject* t) {
  auto makes = [t](const Queue* q) { return !is_done(q) && q->makes(t->storage); };
  return std::any_of(begun.begin(), begun.end(), makes) || std::any_of(failed.begin(), failed.end(), makes);
}

void run_queue();

// Whether something had to be done before the operation can wait; other threads may have run then.
bool has_made_way(std::span<const Operand> in, const TensorObject* like) {
  if (std::any_of(in.begin(), in.end(), [](const Operand& o) { return o.tensor && is_begun(o.tensor); })) {
    settle();
    return true;
  }
  if (!queue->count || (queue->has_room() && queue->has_shape_of(like))) return false;
  run_queue();
  return true;
}

bool waits(const OpRecord& op, const TensorObject* like) {
  return like && !op.is_test && op.condition < 0 && has_arithmetic(op, like->dtype) && bytes(like) <= kMostBytes;
}

// The next operation of the queue is complete but for its result.
void join(const Tensor& out) {
  if (!queue->count) queue->begin(out);
  HeldMemory& held = queue->operations[queue->count++].out;
  held = HeldMemory(out.get());
  hide(held);
  count_pending();
}

}  // namespace

Tensor defer(const OpRecord& op, std::span<const Operand> in, const double* parameters) {
  if (!may_wait || recorder || Storage::making.device != Device::CPU) return Tensor();
  const TensorObject* like = nullptr;
  do {
    like = common_shape(op, in);
    if (!waits(op, like)) return Tensor();
  } while (pending_count && has_made_way(in, like));
  Operation& waiting = queue->operations[queue->count];
  waiting.op = &op;
  for (int i = 0; i < op.input_count; ++i) fill_source(waiting.in[i], in[i]);
  for (int i = 0; i < op.parameter_count; ++i) waiting.parameters[i] = parameters[i];
  Tensor out = empty_as(like, like->dtype);
  join(out);
  return out;
}

Tensor defer_blocks(Span sizes, DType dtype, int64_t width, std::initializer_list<const Tensor*> factors,
                    MakeBlocks make) {
  int64_t numel = count(sizes);
  if (!may_wait || recorder || Storage::making.device != Device::CPU || numel < thresholds.pending) return Tensor();
  if (numel * static_cast<int64_t>(size_of(dtype)) > kMostBytes) return Tensor();
  for (const Tensor* t : factors) {
    if (*t && (!is_private((*t)->storage) || !is_plain(t->get()))) return Tensor();
  }
  Tensor out = empty(sizes, dtype);
  while (queue->count) run_queue();
  if (std::any_of(factors.begin(), factors.end(), [](const Tensor* t) { return *t && is_begun(t->get()); })) settle();
  queue->blocks = {std::move(make), width};
  queue->operations[0].op = nullptr;
  join(out);
  return out;
}

namespace {

// What waits, as a chain. Where the first operation is a product, its rows are the first input.
class QueuedChain {
 public:
  explicit QueuedChain(Queue& q)
      : queue_(q), product_(q.blocks.make ? 1 : 0), width_(product_ ? q.blocks.width : 1), all_{width_, 1} {
    if (product_) inputs_.push_back({.dtype = q.dtype});
    for (int i = product_; i < q.count; ++i) add_step(q.operations[i]);
    for (int i = 0; i < q.count; ++i) {
      const Operation& o = q.operations[i];
      if (o.is_visible()) outputs_.push_back({result_of(i), o.out.data(), q.dtype, all_});
    }
    sizes_ = {q.numel / width_, width_};
  }

  void calculate(bool locked) const {
    DeviceScope here(Device::CPU);
    ElementScope open;
    UnlockedScope unlocked(locked ? kKeepsLock : work());
    const Outcome outcome(queue_);
    run();
  }

 private:
  // Tells of the end before this thread has Python's lock again: who waits for it may have that.
  class Outcome {
   public:
    explicit Outcome(Queue& q) : queue_(q) {}
    ~Outcome() {
      queue_.state = std::uncaught_exceptions() > before_ ? Queue::Failed : Queue::Done;
      running.fetch_sub(1, std::memory_order_release);
      running.notify_all();
    }
    Outcome(const Outcome&) = delete;

   private:
    Queue& queue_;
    const int before_ = std::uncaught_exceptions();
  };

  void run() const {
    if (outputs_.empty()) return;
    char* product = queue_.operations[0].out.data();
    if (!product_ || !reads_product()) return backend().chain->run.run(chain());
    if (outputs_.size() == 1 && outputs_[0].value.is_input()) return queue_.blocks.make(product, nullptr);
    backend().chain->run_on_blocks.run(chain(),
                                       [&](const GemmFinish& finish) { queue_.blocks.make(product, &finish); });
  }

  // A product of rows is some hundred multiplications an element at least.
  double work() const { return work_on(queue_.numel, 32.0 * queue_.count + 128.0 * product_); }
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
    if (i == inputs_.size()) inputs_.push_back({s.memory.data(), queue_.dtype, strides});
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
  Chain chain() const { return {sizes_, queue_.dtype, inputs_, steps_, outputs_, false}; }

  Queue& queue_;
  int product_;  // how many of the operations are one: 0 or 1
  int64_t width_;
  Dims all_, sizes_;  // the strides of all rows
  std::vector<ChainInput> inputs_;
  std::vector<ChainStep> steps_;
  std::vector<ChainOutput> outputs_;
};

// Calculates what waits in `q`, and releases what that needed, which may run the user's code.
void run(Queue* q, bool locked) {
  failed.reserve(failed.size() + 1);
  begun.push_back(q);
  count_pending();
  uncover(*q);
  try {
    const QueuedChain chain(*q);
    q->state = Queue::Waits;
    running.fetch_add(1, std::memory_order_relaxed);
    chain.calculate(locked);
  } catch (...) {  // no memory: it waits on, with all that it needs
    std::erase(begun, q);
    failed.push_back(q);
    count_pending();
    throw;
  }
  std::erase(begun, q);
  count_pending();
  delete q;
}

void run_queue() { run(std::exchange(queue, new Queue), false); }

// Waits for what other threads calculate.
void await_others(bool locked) {
  if (begun.empty()) return;
  {
    UnlockedScope unlocked(locked ? kKeepsLock : HUGE_VAL);
    while (const int n = running.load(std::memory_order_acquire)) running.wait(n, std::memory_order_acquire);
  }
  if (std::any_of(begun.begin(), begun.end(), [](const Queue* q) { return q->state == Queue::Failed; }))
    throw std::bad_alloc();
}

bool is_settled() { return !queue->count && failed.empty() && std::all_of(begun.begin(), begun.end(), is_done); }

}  // namespace

// Where the lock was let go, others may have let operations wait. Not again: this thread has to come to an end.
void run_pending() {
  for (bool locked = false; !is_settled(); locked = true) {
    while (!failed.empty()) {
      Queue* q = failed.back();
      failed.pop_back();
      run(q, locked);
    }
    if (queue->count) run(std::exchange(queue, new Queue), locked);
    await_others(locked);
  }
}

void settle_quietly() noexcept {
  try {
    settle();
  } catch (...) {
  }
}

}  // namespace chainrule
