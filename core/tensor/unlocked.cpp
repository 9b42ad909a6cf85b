#include "tensor/unlocked.hpp"

#include <Python.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

#include "tensor/storage.hpp"

namespace chainrule {
namespace {

std::atomic<int> running{0};  // kernels without the lock

void count_end() {
  running.fetch_sub(1, std::memory_order_release);
  running.notify_all();
}

// Python ends a thread that asks for the lock after the interpreter has ended, by unwinding its stack, and C++ ends the
// process when that meets a destructor. So such a thread sleeps instead, as in later versions of Python.
struct SleepsForever {
  bool armed = true;
  ~SleepsForever() {
    while (armed) pause();
  }
};

}  // namespace

void* UnlockedScope::let_go() {
  [[maybe_unused]] static const int registered = pthread_atfork(await_kernels, nullptr, [] { running = 0; });
  running.fetch_add(1, std::memory_order_relaxed);
  inside_ = true;
  return PyEval_SaveThread();
}

void UnlockedScope::take_back(void* state) {
  inside_ = false;
  count_end();
  SleepsForever unless_alive;
  PyEval_RestoreThread(static_cast<PyThreadState*>(state));
  unless_alive.armed = false;
}

bool works_on_host() { return is_host_memory(Storage::making.device); }

bool has_other_threads() { return PyThreadState_Next(PyInterpreterState_ThreadHead(PyInterpreterState_Get())); }

void await_kernels() {
  while (const int n = running.load(std::memory_order_acquire)) running.wait(n, std::memory_order_acquire);
}

}  // namespace chainrule
