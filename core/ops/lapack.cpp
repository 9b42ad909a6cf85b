// LAPACK's routines, found by name in a shared library that is opened when the first of them is wanted.
#include "ops/lapack.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "tensor/error.hpp"

namespace chainrule::lapack {
namespace {

constexpr size_t kMaxArguments = 24;  // gesvdx, the longest, has 22 with its lengths

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
  std::string symbol = symbol_prefix + routine + "_";
  void* found = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (!found) raise(PyExc_ImportError, "LAPACK's routine ", routine, " is missing: no symbol ", symbol);
  return found;
}

class UnlockedScope {
 public:
  UnlockedScope() : state_(PyEval_SaveThread()) {}
  ~UnlockedScope() { PyEval_RestoreThread(state_); }
  UnlockedScope(const UnlockedScope&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace

bool is_open() { return library; }

void open(const std::string& path, const std::string& prefix) {
  void* opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) raise(PyExc_ImportError, "LAPACK's library does not load: ", dlerror());
  library = opened;
  symbol_prefix = prefix;
}

void call(const std::string& routine, int64_t batch, std::vector<Argument> arguments, int strings) {
  size_t count = arguments.size() + strings;
  if (count > kMaxArguments) raise(PyExc_SystemError, routine, " has too many arguments: ", count);
  void* function = find(routine);
  Addresses addresses{};
  for (size_t i = arguments.size(); i < count; ++i) addresses[i] = reinterpret_cast<void*>(uintptr_t{1});
  UnlockedScope unlocked;
  for (int64_t b = 0; b < batch; ++b) {
    for (size_t i = 0; i < arguments.size(); ++i) addresses[i] = arguments[i].at + b * arguments[i].step;
    kCallers[count](function, addresses);
  }
}

}  // namespace chainrule::lapack
