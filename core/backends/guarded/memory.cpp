#include "backends/guarded/memory.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "tensor/device.hpp"

namespace chainrule::guarded_device {
namespace {

constexpr size_t kArena = size_t{16} << 30;  // addresses; memory is taken as it is touched
constexpr int kClasses = 48;                 // blocks have powers of two, 64 bytes at least

char* arena = nullptr;
size_t used = 0;
std::vector<void*> free_blocks[kClasses];
int depth = 0;
volatile sig_atomic_t faulted = 0;
std::vector<std::string> faults;
struct sigaction before;

void protect(int how) {
  if (used) mprotect(arena, used, how);
}

// The touch is let pass, or we could not go on; the door that the call came through tells of it.
void on_fault(int number, siginfo_t* info, void*) {
  auto* at = static_cast<char*>(info->si_addr);
  if (at >= arena && at < arena + used && !faulted && depth == 0) {
    faulted = 1;
    protect(PROT_READ | PROT_WRITE);
    return;
  }
  sigaction(number, &before, nullptr);  // it comes again, and finds who was there before
}

void reserve() {
  void* memory = mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  arena = static_cast<char*>(memory);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
}

int class_of(size_t bytes) { return std::bit_width(std::max<size_t>(bytes, 64) - 1); }

}  // namespace

bool available() {
  static const bool on = [] {
    const char* setting = std::getenv("CHAINRULE_GUARDED");
    return setting && std::strcmp(setting, "1") == 0;
  }();
  return on;
}

void* allocate(size_t bytes) {
  if (!arena) reserve();
  const int size_class = class_of(bytes);
  std::vector<void*>& free = free_blocks[size_class];
  if (!free.empty()) {
    void* memory = free.back();
    free.pop_back();
    return memory;
  }
  const size_t size = size_t{1} << size_class;
  if (used + size > kArena) throw std::bad_alloc();
  void* memory = arena + std::exchange(used, used + size);
  if (depth || faulted) protect(PROT_READ | PROT_WRITE);
  return memory;
}

void release(void* memory, size_t bytes) { free_blocks[class_of(bytes)].push_back(memory); }

void open() {
  if (depth++ == 0 && !faulted) protect(PROT_READ | PROT_WRITE);
}
void close() {
  if (--depth == 0 && !faulted) protect(PROT_NONE);
}

void end_of_call(const char* name) {
  if (!faulted) return;
  faulted = 0;
  if (depth == 0) protect(PROT_NONE);
  faults.emplace_back(name);
}

std::vector<std::string> take_faults() { return std::exchange(faults, {}); }

}  // namespace chainrule::guarded_device
