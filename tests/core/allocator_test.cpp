#include "backends/cpu/allocator.hpp"

#include <cstring>
#include <new>
#include <random>
#include <vector>

#include "check.hpp"

using namespace chainrule::cpu;

namespace {

constexpr size_t kMegabyte = size_t{1} << 20;

// The cache is empty at first and as it was afterwards.
struct Fresh {
  Fresh() { trim_memory(); }
  ~Fresh() {
    set_memory_cache_limit(int64_t{512} << 20);
    trim_memory();
  }
};

struct Filled {
  Block block;
  size_t bytes;
  unsigned char with;
  bool is_whole() const {
    const auto* at = static_cast<const unsigned char*>(block.data);
    for (size_t i = 0; i < bytes; ++i) {
      if (at[i] != with) return false;
    }
    return true;
  }
};

#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;  // that build gives everything back at once
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

TEST_THAT(a_block_is_aligned_and_hardly_larger_than_asked_for) {
  const Fresh fresh;
  for (size_t bytes : {size_t{1}, size_t{64}, size_t{65}, size_t{129}, size_t{1000}, size_t{4097}, 3 * kMegabyte + 1}) {
    const Block b = allocate(bytes);
    EXPECT(reinterpret_cast<uintptr_t>(b.data) % 64 == 0);
    EXPECT(b.capacity >= bytes);
    EXPECT(b.capacity <= bytes + bytes / 8 + 128);
    release(b);
  }
}

TEST_THAT(what_is_counted_is_what_is_there) {
  const Fresh fresh;
  const int64_t before = memory_statistics().allocated;
  reset_peak_memory();
  const Block a = allocate(kMegabyte), b = allocate(3 * kMegabyte);
  const auto both = static_cast<int64_t>(a.capacity + b.capacity);
  EXPECT(memory_statistics().allocated == before + both);
  release(a);
  release(b);
  EXPECT(memory_statistics().allocated == before);
  EXPECT(memory_statistics().peak_allocated == before + both);
  EXPECT(memory_statistics().cached == (kKeeps ? both : 0));
  trim_memory();
  EXPECT(memory_statistics().cached == 0);
}

TEST_THAT(a_block_is_used_again) {
  if (!kKeeps) return EXPECT(memory_statistics().cached == 0);
  const Fresh fresh;
  const Block a = allocate(5 * kMegabyte);
  release(a);
  const Block again = allocate(5 * kMegabyte - 1000);  // of the same class
  EXPECT(again.data == a.data);
  EXPECT(memory_statistics().cached == 0);
  release(again);
}

TEST_THAT(no_more_is_kept_than_the_limit_allows) {
  const Fresh fresh;
  set_memory_cache_limit(2 * kMegabyte);
  std::vector<Block> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(allocate(kMegabyte / 2 + static_cast<size_t>(i) * 70'000));
  for (Block b : blocks) {
    release(b);
    EXPECT(memory_statistics().cached <= static_cast<int64_t>(2 * kMegabyte));
  }
  set_memory_cache_limit(0);
  EXPECT(memory_statistics().cached == 0);
}

TEST_THAT(more_than_there_is_raises_and_leaves_the_counts) {
  const Fresh fresh;
  const int64_t before = memory_statistics().allocated;
  EXPECT_RAISES(std::bad_alloc, allocate(size_t{1} << 62));
  EXPECT(memory_statistics().allocated == before);
}

// Sizes that share regions, where blocks are split and joined, and others.
TEST_THAT(blocks_do_not_overlap_whatever_the_order) {
  const Fresh fresh;
  const int64_t before = memory_statistics().allocated;
  std::mt19937 random(7);
  std::vector<Filled> live;
  int broken = 0;
  for (int step = 0; step < 20'000; ++step) {
    const bool grows = live.empty() || (live.size() < 200 && random() % 2);
    if (grows) {
      size_t bytes = size_t{1} << (random() % 9 + 10);
      bytes += random() % 3 ? 0 : random() % bytes;
      Filled f{allocate(bytes), bytes, static_cast<unsigned char>(step)};
      std::memset(f.block.data, f.with, bytes);
      live.push_back(f);
    } else {
      std::swap(live[random() % live.size()], live.back());
      if (step % 16 == 0) broken += !live.back().is_whole();
      release(live.back().block);
      live.pop_back();
    }
    if (step % 4000 == 3999) trim_memory();
  }
  for (const Filled& f : live) {
    broken += !f.is_whole();
    release(f.block);
  }
  EXPECT(broken == 0);
  EXPECT(memory_statistics().allocated == before);
}
