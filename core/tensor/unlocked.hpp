// Letting Python's lock go while a kernel runs.
#pragma once
#include "tensor/python_call.hpp"
#include "tensor/storage.hpp"

namespace chainrule {

class UnlockedScope {
 public:
  UnlockedScope() : state_(PyEval_SaveThread()) {}
  ~UnlockedScope() { PyEval_RestoreThread(state_); }
  UnlockedScope(const UnlockedScope&) = delete;

 private:
  PyThreadState* state_;
};

// Runs a kernel of so many multiplications; other threads may run beside it if it takes long. Only for a kernel whose
// result is fresh, so that nobody else can see it, and which allocates no tensors. What a GPU is told takes microseconds.
template <class F>
void run_unlocked(double multiplications, F kernel) {
  constexpr double kLong = 3e6;  // some 50 microseconds
  if (multiplications < kLong || !is_host_memory(Storage::making.device)) return kernel();
  {
    UnlockedScope unlocked;
    kernel();
  }
  settle();  // what another thread has left waiting
}

}  // namespace chainrule
