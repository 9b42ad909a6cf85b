// Running over rows on all threads, with scratch memory for each that works.
#include "backends/cpu/row_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "backends/cpu/allocator.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule::cpu {
namespace {

constexpr int64_t kGrain = 16 * 1024;  // elements that are worth a thread

// As many blocks as can be in use at once. The allocator's cache has no lock of its own, so all are taken beforehand,
// and from the system where Python's lock was let go.
class Blocks {
 public:
  Blocks(int64_t count, size_t bytes) : Blocks() {
    all_.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) all_.push_back(unlocked_ ? from_system(bytes) : allocate(bytes));
    free_ = all_;
  }
  ~Blocks() {
    for (Block b : all_) unlocked_ ? std::free(b.data) : release(b);
  }
  Blocks(const Blocks&) = delete;

  Block take() {
    std::lock_guard lock(mutex_);
    Block b = free_.back();
    free_.pop_back();
    return b;
  }
  void give_back(Block b) {
    std::lock_guard lock(mutex_);
    free_.push_back(b);
  }

 private:
  static Block from_system(size_t bytes) {
    void* data = std::malloc(bytes);
    if (!data) throw std::bad_alloc();
    return {data, bytes};
  }

  Blocks() = default;

  const bool unlocked_ = UnlockedScope::lives();
  std::mutex mutex_;
  std::vector<Block> all_, free_;
};

class BlockScope {
 public:
  explicit BlockScope(Blocks& blocks) : blocks_(blocks), block_(blocks.take()) {}
  ~BlockScope() { blocks_.give_back(block_); }
  BlockScope(const BlockScope&) = delete;
  void* data() const { return block_.data; }

 private:
  Blocks& blocks_;
  Block block_;
};

}  // namespace

void for_rows(int64_t count, int64_t length, size_t bytes, const std::function<void(int64_t, int64_t, void*)>& f) {
  const int64_t grain = kGrain / std::max<int64_t>(length, 1), chunk = chunk_size(grain);
  const int64_t ranges = (count + chunk - 1) / chunk;
  Blocks blocks(std::min<int64_t>(ranges, num_threads()), bytes);
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    BlockScope block(blocks);
    f(begin, end, block.data());
  });
}

}  // namespace chainrule::cpu
