#include "backends/cpu/thread_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"

using namespace chainrule::cpu;

namespace {

struct ThreadsScope {
  explicit ThreadsScope(int n) : before(num_threads()) { set_num_threads(n); }
  ~ThreadsScope() { set_num_threads(before); }
  int before;
};

// Whether each of n places is reached once, in chunks no longer than the grain.
bool covers(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> reached(static_cast<size_t>(n));
  std::atomic<bool> too_long{false};
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    if (end - begin > chunk_size(grain)) too_long = true;
    for (int64_t i = begin; i < end; ++i) ++reached[static_cast<size_t>(i)];
  });
  for (const auto& r : reached) {
    if (r != 1) return false;
  }
  return !too_long;
}

}  // namespace

TEST_THAT(every_place_is_reached_once) {
  for (int threads : {1, 2, 5}) {
    const ThreadsScope scope(threads);
    for (int64_t n : {0, 1, 7, 1000, 4096, 100'001}) {
      for (int64_t grain : {1, 3, 64, 1000, 1'000'000}) EXPECT(covers(n, grain));
    }
  }
}

TEST_THAT(an_exception_reaches_the_caller_and_the_pool_lives_on) {
  const ThreadsScope scope(3);
  for (int round = 0; round < 50; ++round) {
    EXPECT_RAISES(std::runtime_error, parallel_for(1000, 1, [&](int64_t begin, int64_t) {
                    if (begin == 10 * round) throw std::runtime_error("this one");
                  }));
    EXPECT(covers(1000, 7));
  }
}

TEST_THAT(a_loop_inside_a_loop_stays_on_its_thread) {
  const ThreadsScope scope(4);
  std::atomic<int> strayed{0}, sum{0};
  parallel_for(16, 1, [&](int64_t, int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      strayed += std::this_thread::get_id() != outer;
      sum += static_cast<int>(end - begin);
    });
  });
  EXPECT(strayed == 0);
  EXPECT(sum == 1600);
}

TEST_THAT(several_threads_may_ask_at_once) {
  const ThreadsScope scope(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) wrong += !covers(2000, 11);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT(wrong == 0);
}

TEST_THAT(a_forked_child_has_a_pool_of_its_own) {
  const ThreadsScope scope(3);
  EXPECT(covers(1000, 3));
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(covers(1000, 3) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  EXPECT(covers(1000, 3));
}
