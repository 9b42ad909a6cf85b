// Letting Python's lock go while a kernel runs.
#pragma once
#include <cmath>
#include <cstdint>

#include "tensor/thresholds.hpp"

namespace chainrule {

// A kernel that runs without the lock meets other threads. So
//  - it touches no Python object and takes no memory from the tensors' allocator;
//  - its results are fresh: nobody else can see them. What is written in place is calculated with the lock, for two
//    threads may add to the same gradient;
//  - it reads what others may write, so nothing that it reads may lead it astray: no positions, and nothing counted in
//    one pass and moved in the next;
//  - the operation owns the tensors that it reads, and whoever would take their memory from them, which is only a
//    tensor's laying out anew, waits first (await_kernels). A fork waits as well, for the child has no other threads.
// When it has the lock again, the operation settles, as after every call of Python.

// How many multiplications so many elements' worth of work is as long as.
inline double work_on(int64_t elements, double each = 32) { return static_cast<double>(elements) * each; }

inline constexpr double kKeepsLock = -1;  // however long it takes

inline bool takes_long(double multiplications) { return multiplications >= thresholds.unlocked; }

// While one lives, this thread keeps the lock: in the middle of a change that no other thread may see.
class LockKeptScope {
 public:
  explicit LockKeptScope(bool keeps = true) : keeps_(keeps) { depth_ += keeps_; }
  ~LockKeptScope() { depth_ -= keeps_; }
  LockKeptScope(const LockKeptScope&) = delete;
  static bool lives() { return depth_ > 0; }

 private:
  static inline thread_local int depth_ __attribute__((tls_model("initial-exec"))) = 0;
  const bool keeps_;
};

class UnlockedScope {
 public:
  // Lets it go, if the work takes so many multiplications that this pays, and nothing speaks against it.
  UnlockedScope() : UnlockedScope(HUGE_VAL) {}
  explicit UnlockedScope(double multiplications)
      : state_(takes_long(multiplications) && !inside_ && !LockKeptScope::lives() ? let_go() : nullptr) {}
  ~UnlockedScope() {
    if (state_) take_back(state_);
  }
  UnlockedScope(const UnlockedScope&) = delete;

  // Whether this thread has let the lock go.
  static bool lives() { return inside_; }

 private:
  static void* let_go();
  static void take_back(void* state);

  static inline thread_local bool inside_ __attribute__((tls_model("initial-exec"))) = false;
  void* state_;  // Python's, of the thread
};

// Whether this thread's kernels are the CPU's. What a GPU is told takes microseconds.
bool works_on_host();

// Whether anybody could use the lock.
bool has_other_threads();

// Waits until no kernel of another thread runs without the lock; this thread keeps it meanwhile.
void await_kernels();

}  // namespace chainrule
