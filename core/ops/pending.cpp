// Large elementwise operations that wait; see Note [Pending operations].
#include "ops/pending.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "backends/cpu/thread_pool.hpp"
#include "ops/sweep.hpp"
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace chainrule {

int pending_count = 0;
bool may_wait = true;

namespace {

constexpr int kMost = 24;                    // operations that wait at one time
constexpr int kParameters = 8;               // as many as a line of the table can have
constexpr int64_t kTile = kFinishedColumns;  // elements
constexpr int64_t kTileBytes = kTile * 8;
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
  bool is_number() const { return !memory && earlier < 0; }
};

struct Operation {
  ElementwiseKernel kernel;  // null: the product
  int input_count;
  std::array<Source, kMaxInputs> in;
  std::array<double, kParameters> parameters;
  HeldMemory out;
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
  ElementwiseKernel kernel = kernels_of(op).forward[static_cast<int>(compute_of(like->dtype))];
  if (!kernel || bytes(like) > kMostBytes) return Tensor();
  if (pending_count && !queue.has_shape_of(like)) settle();
  Operation& waiting = queue.operations[pending_count];
  waiting.kernel = kernel;
  waiting.input_count = op.input_count;
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
  first.kernel = nullptr;
  first.input_count = 0;
  Tensor out = empty(sizes, dtype);
  queue.begin(out);
  first.out = HeldMemory(out.get());
  hide(first.out);
  pending_count = 1;
  return out;
}

namespace {

// Elements of the common shape: `lines` of `length`, each `step` elements after the one before.
struct Place {
  int64_t at, length, lines = 1, step = 0;
  bool is_contiguous() const { return lines == 1 || step == length; }
};

// One run of all that waits.
class Run : GemmFinish {
 public:
  Run(int count, Blocks& blocks)
      : count_(count),
        blocks_(blocks),
        item_(queue.item()),
        width_(blocks.width),
        streams_(queue.numel * item_ >= thresholds.stream_chain) {
    for (int i = 0; i < count; ++i) visible_[i] = is_visible(i);
    for (int i = 0; i < count; ++i) needed_[i] = visible_[i];
    for (int i = count - 1; i >= 0; --i) {
      if (needed_[i]) need_inputs(i);
    }
  }

  void all() {
    if (blocks_.make) {
      bool alone = std::find(needed_.begin() + 1, needed_.end(), true) == needed_.end();
      if (needed_[0]) blocks_.make(queue.operations[0].out.data(), alone ? nullptr : this);
      return;
    }
    cpu::parallel_for(queue.numel, kSweepGrain, [&](int64_t begin, int64_t end) {
      Memory memory(*this, {});
      for (int64_t at = begin; at < end; at += kTile) tile({at, std::min(kTile, end - at)}, nullptr, memory.data);
    });
  }

 private:
  // What one thread works in: a tile for each result, then one for each input that has to be laid out.
  struct Memory {
    Memory(const Run& run, const Place& first) : data(new (std::align_val_t(64)) char[run.tiles() * kTileBytes]) {
      run.fill_constants(first, data);
    }
    ~Memory() {
      CR_DISPATCH(stream_fence)();
      operator delete[](data, std::align_val_t(64));
    }
    Memory(const Memory&) = delete;
    char* data;
  };

  // A block of the product, on its way to where it is visible and through the operations that wait for it.
  void operator()(int64_t row, int64_t rows, int64_t column, int64_t columns, const char* block) const override {
    const int64_t most = kTile / columns;
    Place place{row * width_ + column, columns, std::min(most, rows), width_};
    Memory memory(*this, place);
    for (const int64_t end = row + rows; row < end; row += most) {
      place.at = row * width_ + column;
      place.lines = std::min(most, end - row);
      tile(place, block, memory.data);
      block += place.lines * columns * item_;
    }
  }

  // Whether anybody but this queue can see the result.
  static bool is_visible(int i) { return queue.operations[i].out.has_other_owners(); }
  std::span<const Source> sources(int i) const {
    const Operation& o = queue.operations[i];
    return {o.in.data(), static_cast<size_t>(o.input_count)};
  }
  void need_inputs(int i) {
    for (const Source& s : sources(i)) {
      if (s.earlier >= 0) needed_[s.earlier] = true;
    }
  }

  // Numbers are laid out, and tensors beside a product, of which a tile has parts of several rows.
  bool is_laid_out(const Source& s) const { return s.earlier < 0 && (s.is_number() || blocks_.make); }
  int tiles() const {
    int n = count_;
    for (int i = 0; i < count_; ++i) {
      for (const Source& s : sources(i)) n += is_laid_out(s);
    }
    return n;
  }
  // What is the same in all tiles of this length: numbers, and rows for every line.
  void fill_constants(const Place& place, char* memory) const {
    char* to = memory + count_ * kTileBytes;
    for (int i = 0; i < count_; ++i) {
      for (const Source& s : sources(i)) {
        if (!is_laid_out(s)) continue;
        if (s.is_number()) item_ == 4 ? repeated<float>(s.number, to, kTile) : repeated<double>(s.number, to, kTile);
        if (s.is_row) lay_out(s.memory.data() + place.at % width_ * item_, 0, place, to);
        to += kTileBytes;
      }
    }
  }

  // `block` holds those elements of the product.
  void tile(const Place& place, const char* block, char* memory) const {
    const char* results[kMost];
    char* laid_out = memory + count_ * kTileBytes;
    for (int i = 0; i < count_; ++i) {
      const Operation& o = queue.operations[i];
      const void* in[kMaxInputs];
      for (int k = 0; k < o.input_count; ++k) {
        const Source& s = o.in[k];
        in[k] = s.earlier >= 0 ? results[s.earlier] : input(s, place, laid_out);
        if (is_laid_out(s)) laid_out += kTileBytes;
      }
      if (!needed_[i]) continue;
      const bool direct = visible_[i] && !streams_ && place.is_contiguous() && o.kernel;
      char* to = direct ? o.out.data() + place.at * item_ : memory + i * kTileBytes;
      if (o.kernel) o.kernel(to, in, place.length * place.lines, o.parameters.data());
      results[i] = o.kernel ? to : block;
      if (visible_[i] && !direct) deliver(results[i], place, o.out.data());
    }
  }
  const char* input(const Source& s, const Place& place, char* laid_out) const {
    if (s.is_number() || s.is_row) return laid_out;
    const char* data = s.memory.data() + place.at * item_;
    if (place.is_contiguous()) {
      const int64_t n = place.length * place.lines, rest = queue.numel - place.at - n;
      cpu::fetch_ahead(data + n * item_, std::min(n, rest) * item_);
      return data;
    }
    lay_out(data, place.step, place, laid_out);
    return laid_out;
  }
  void lay_out(const char* from, int64_t step, const Place& place, char* to) const {
    const int64_t line = place.length * item_;
    CR_DISPATCH(copy_lines)(to, line, from, step * item_, place.lines, line, false);
  }
  void deliver(const char* from, const Place& place, char* out) const {
    const int64_t line = place.length * item_;
    CR_DISPATCH(copy_lines)(out + place.at * item_, place.step * item_, from, line, place.lines, line, streams_);
  }

  int count_;
  const Blocks& blocks_;
  int64_t item_, width_;
  bool streams_;  // see Note [Streaming stores]
  std::array<bool, kMost> visible_{}, needed_{};
};

}  // namespace

void run_pending() {
  const int count = std::exchange(pending_count, 0);
  for (int i = 0; i < count; ++i) uncover(queue.operations[i].out);
  try {
    Run(count, queue.blocks).all();
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
