// The pool: helpers take chunks of the one running job, as the caller itself does. See below.
#include "backends/cpu/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace chainrule::cpu {
namespace {

int default_num_threads() {
  for (const char* name : {"CHAINRULE_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = std::getenv(name);
    const int n = text ? std::atoi(text) : 0;
    if (n >= 1) return n;
  }
  return std::max(1, int(std::thread::hardware_concurrency()));
}

std::atomic<int>& thread_limit() {
  static std::atomic<int> limit{default_num_threads()};
  return limit;
}

thread_local bool inside_parallel = false;  // a nested parallel_for runs serially

class InsideParallelScope {
 public:
  InsideParallelScope() : before_(inside_parallel) { inside_parallel = true; }
  ~InsideParallelScope() { inside_parallel = before_; }

 private:
  bool before_;
};

// One parallel_for, on its caller's stack.
struct Job {
  Job(int64_t n, int64_t grain, const RangeFunction& f) : n(n), grain(grain), f(f) {}

  // Takes chunks until none is left. The first exception stops the others and waits for the caller.
  void work() {
    InsideParallelScope inside;
    try {
      for (int64_t begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < n;) {
        f(begin, std::min(n, begin + grain));
      }
    } catch (...) {
      std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next.store(n, std::memory_order_relaxed);
    }
  }

  const int64_t n, grain;
  const RangeFunction& f;
  std::atomic<int64_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;
};
// To wake a sleeping thread takes as long as many a kernel runs (on a virtual machine 50 microseconds and more), and a
// training step has dozens of parallel kernels in a row. So a helper watches for the next job for a moment before it
// sleeps, and a caller that has run out of chunks watches for its helpers' end. A program that has no parallel kernels
// never pays for it, and one that has stops paying kWatch after the last.
constexpr auto kWatch = std::chrono::microseconds(200);

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether `happened` came true within kWatch.
template <class Condition>
bool watch_for(Condition happened) {
  const auto end = std::chrono::steady_clock::now() + kWatch;
  do {
    for (int i = 0; i < 16; ++i) {
      if (happened()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

class Pool {
 public:
  // False when another thread's job has the pool.
  bool run(Job& job, int helpers) {
    std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy) return false;
    start_threads(helpers);
    post(job, std::min(helpers, thread_count_.load()));
    job.work();
    retire();
    return true;
  }

 private:
  void post(Job& job, int helpers) {
    int asleep;
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      wanted_ = helpers;
      asleep = std::min(helpers, asleep_);
    }
    for (int i = 0; i < asleep; ++i) work_arrived_.notify_one();
  }

  // Helpers that have not come by now find no job; only those at work are waited for.
  void retire() {
    std::unique_lock lock(mutex_);
    job_ = nullptr;
    wanted_ = 0;
    if (active_ == 0) return;
    lock.unlock();
    if (watches()) watch_for([&] { return active_ == 0; });
    lock.lock();
    work_done_.wait(lock, [&] { return active_ == 0; });
  }

  // With more threads than processors one that watches would take the place of one that works.
  bool watches() const { return thread_count_ < processors_; }

  void start_threads(int helpers) {
    if (thread_count_ >= helpers) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals belong to the program's own threads
    try {
      for (; thread_count_ < helpers; ++thread_count_) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {  // no more threads to be had: go on with those there are
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      await_job(lock);
      --wanted_;
      ++active_;
      Job* job = job_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--active_ == 0) work_done_.notify_one();
    }
  }

  void await_job(std::unique_lock<std::mutex>& lock) {
    if (wanted_ == 0 && watches()) {
      lock.unlock();
      watch_for([&] { return wanted_ > 0; });
      lock.lock();
    }
    ++asleep_;
    work_arrived_.wait(lock, [&] { return wanted_ > 0; });
    --asleep_;
  }

  std::mutex busy_;  // held by the thread whose job runs
  const int processors_ = std::max(1, int(std::thread::hardware_concurrency()));
  std::atomic<int> thread_count_{0};
  std::mutex mutex_;  // guards changes of all below
  std::condition_variable work_arrived_, work_done_;
  Job* job_ = nullptr;
  std::atomic<int> wanted_{0}, active_{0};
  int asleep_ = 0;
};

// Never destroyed: sleeping helpers outlive the program's static objects, and a forked child must not touch its
// parent's pool, whose threads it does not have.
std::atomic<Pool*> current_pool{nullptr};
std::mutex pool_creation;

Pool& pool() {
  if (Pool* existing = current_pool.load(std::memory_order_acquire)) return *existing;
  static const int registered = pthread_atfork([] { pool_creation.lock(); }, [] { pool_creation.unlock(); },
                                               [] {
                                                 current_pool.store(nullptr);
                                                 pool_creation.unlock();
                                               });
  (void)registered;
  std::lock_guard lock(pool_creation);
  if (!current_pool.load()) current_pool.store(new Pool, std::memory_order_release);
  return *current_pool.load();
}

}  // namespace

void parallel_for(int64_t n, int64_t grain, RangeFunction f) {
  grain = chunk_size(grain);
  if (n <= grain) {
    if (n > 0) f(0, n);
    return;
  }
  Job job(n, grain, f);
  const int64_t chunks = (n + grain - 1) / grain;
  const int helpers = int(std::min<int64_t>(num_threads(), chunks)) - 1;
  if (helpers < 1 || inside_parallel || !pool().run(job, helpers)) job.work();
  if (job.error) std::rethrow_exception(job.error);
}

int num_threads() { return thread_limit().load(std::memory_order_relaxed); }

void set_num_threads(int n) { thread_limit().store(std::max(1, n)); }

}  // namespace chainrule::cpu
