// LAPACK's routines, found by name in a shared library that is opened when the first of them is wanted.
#include "backends/lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "backends/cpu/kernels.hpp"
#include "backends/cpu/thread_pool.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/error.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule::lapack {
namespace {

void* library = nullptr;
std::string symbol_prefix;

using Addresses = std::array<void*, kMaxArguments>;
using Caller = void (*)(void*, const Addresses&);

template <size_t... I>
void call_with(void* routine, const Addresses& a, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(decltype(static_cast<void*>(a[I]))...)>(routine)(a[I]...);
}
template <size_t N>
void call_with_count(void* routine, const Addresses& a) {
  call_with(routine, a, std::make_index_sequence<N>());
}
template <size_t... N>
constexpr std::array<Caller, sizeof...(N)> callers(std::index_sequence<N...>) {
  return {call_with_count<N>...};
}
// By the number of arguments.
constexpr auto kCallers = callers(std::make_index_sequence<kMaxArguments + 1>());

void* find(const std::string& routine) {
  static std::unordered_map<std::string, void*> known;
  if (auto found = known.find(routine); found != known.end()) return found->second;
  std::string symbol = symbol_prefix + routine + "_";
  void* found = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (!found) raise(PyExc_ImportError, "LAPACK's routine ", routine, " is missing: no symbol ", symbol);
  return known[routine] = found;
}

// What is written at `at` is a number of elements.
double number_at(const char* at, DType kind) {
  switch (kind) {
    case DType::Float64:
    case DType::Complex128:
      return *reinterpret_cast<const double*>(at);
    case DType::Int32:
      return *reinterpret_cast<const int*>(at);
    default:
      return *reinterpret_cast<const float*>(at);
  }
}

// The memory that a call asked for, while it runs.
class Workspaces {
 public:
  template <class RunOne>
  Workspaces(Call& call, RunOne run_one) {
    if (call.workspaces.empty()) return;
    alignas(16) char asked[kMaxArguments][16] = {};
    for (const Room& room : call.workspaces) {
      call.arguments[room.place].at = asked[room.place];
      if (room.length) *room.length = -1;
    }
    run_one(0);
    for (const Room& room : call.workspaces) {
      CheckedSize wanted = std::max(int64_t{1}, static_cast<int64_t>(number_at(asked[room.place], room.kind)));
      wanted += wanted.value() / 1000;  // one that float32 cannot hold was rounded to the nearest
      CheckedSize bytes = wanted * static_cast<int64_t>(size_of(room.kind));
      held_.emplace_back(new char[static_cast<size_t>(bytes.value())]);
      call.arguments[room.place].at = held_.back().get();
      if (room.length) *room.length = static_cast<int>(wanted.value());
    }
  }

 private:
  std::vector<std::unique_ptr<char[]>> held_;
};

void is_open(bool* result) { *result = library; }

void open(const std::string& path, const std::string& prefix) {
  void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) raise(PyExc_ImportError, "LAPACK's library does not load: ", dlerror());
  library = opened;
  symbol_prefix = prefix;
}

// As many threads as chainrule may use, or one for a small matrix: waking others would take longer than the work.
int wanted_threads(int64_t elements) {
  constexpr int64_t kLarge = 160 * 160;
  return elements >= kLarge ? cpu::num_threads() : 1;
}

// The library has one number of threads for all that call it, and rounds by it. So calls run at once while they want
// the same number. Who wants another one waits until they have ended, and nobody passes who waits: each has a ticket.
class ThreadCountScope {
 public:
  ThreadCountScope(int count, void* set_count) {
    std::unique_lock lock(mutex);
    const uint64_t ticket = next_ticket++;
    changed.wait(lock, [&] { return ticket == admitted && (count == told || !calls); });
    if (count != std::exchange(told, count)) kCallers[1](set_count, {&count});
    ++admitted;
    ++calls;
    changed.notify_all();
  }
  ~ThreadCountScope() {
    const std::lock_guard lock(mutex);
    --calls;
    changed.notify_all();
  }
  ThreadCountScope(const ThreadCountScope&) = delete;

 private:
  static inline std::mutex mutex;
  static inline std::condition_variable& changed = *new std::condition_variable;  // threads may wait when all ends
  static inline uint64_t next_ticket = 0, admitted = 0;
  static inline int told = 0, calls = 0;
};

void run(Call& call) {
  const int threads = wanted_threads(call.elements);
  const size_t count = call.arguments.size() + call.strings;
  if (count > kMaxArguments) raise(PyExc_SystemError, call.routine, " has too many arguments: ", count);
  void *function = find(call.routine), *set_count = find("openblas_set_num_threads");
  Addresses addresses{};
  for (size_t i = call.arguments.size(); i < count; ++i) addresses[i] = reinterpret_cast<void*>(uintptr_t{1});
  const auto run_one = [&](int64_t b) {
    for (size_t i = 0; i < call.arguments.size(); ++i) addresses[i] = call.arguments[i].at + b * call.arguments[i].step;
    kCallers[count](function, addresses);
  };
  UnlockedScope unlocked;
  const ThreadCountScope counted(threads, set_count);
  const Workspaces workspaces(call, run_one);
  for (int64_t b = 0; b < call.batch; ++b) run_one(b);
}

}  // namespace
}  // namespace chainrule::lapack

namespace chainrule::cpu {

constinit const LapackKernels lapack_kernels{{lapack::is_open}, {lapack::open}, {lapack::run}};

}  // namespace chainrule::cpu
