// The CUDA driver, as far as chainrule uses it, on the host: kernels are shared libraries that g++ has made of their
// text (compiler.cpp), and run one thread at a time. Memory of the "GPU" can be touched only by kernels and copies: a
// stray read of the host's ends the process. So all of the GPU's logic is tested where there is none.
#include <dlfcn.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "image.hpp"
#include "memory.hpp"
#include "state.hpp"

namespace {

constexpr int kInvalid = 1, kOutOfMemory = 2, kNotFound = 500;

// ---- memory

constexpr size_t kArena = size_t{24} << 30, kPage = 4096;
size_t capacity() {
  const char* text = std::getenv("EMULATED_GPU_MEMORY");
  return text ? std::strtoull(text, nullptr, 10) : size_t{4} << 30;
}

struct Memory {
  char* base = static_cast<char*>(mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  std::map<char*, size_t> live;
  std::map<char*, size_t> pinned;
  size_t used = 0, top = 0;

  char* take(size_t bytes) {
    bytes = (bytes + kPage - 1) / kPage * kPage;
    if (used + bytes > capacity()) return nullptr;
    char* at = base;
    for (auto& [begin, size] : live) {
      if (static_cast<size_t>(begin - at) >= bytes) break;
      at = begin + size;
    }
    if (static_cast<size_t>(at - base) + bytes > kArena) return nullptr;
    live[at] = bytes;
    used += bytes;
    top = std::max(top, static_cast<size_t>(at - base) + bytes);
    mprotect(at, bytes, PROT_READ | PROT_WRITE);
    std::memset(at, 0xff, bytes);  // what nobody has written is NaN
    mprotect(at, bytes, PROT_NONE);
    return at;
  }
  bool give(char* at) {
    const auto found = live.find(at);
    if (found == live.end()) return false;
    used -= found->second;
    madvise(at, found->second, MADV_DONTNEED);
    live.erase(found);
    return true;
  }
  bool has(const void* p) const { return p >= base && p < base + kArena; }
  void open() const { mprotect(base, top, PROT_READ | PROT_WRITE); }
  void close() const { mprotect(base, top, PROT_NONE); }
};
Memory& memory() {
  static Memory& all = *new Memory;
  return all;
}

// ---- threads of a block, one fibre each

#if defined(__x86_64__)
asm(R"(
.text
.globl emulated_switch
.hidden emulated_switch
emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
extern "C" void emulated_switch(void** from, void* to);
#else
#error "the emulated GPU switches between threads in the code of x86-64"
#endif

constexpr size_t kStack = 64 * 1024;

struct Block {
  Block(EmulatedState* state, void (*body)(const void*), const void* arguments, unsigned threads)
      : state(state), body(body), arguments(arguments), threads(threads) {}

  EmulatedState* state;
  void (*body)(const void*);
  const void* arguments;
  unsigned threads;
  std::vector<void*> stacks;  // where each fibre stands; null: it is done
  void* main_stack = nullptr;
  unsigned current = 0;
  // Barriers: how many have come, and how often it has opened; those of warps after that of the block.
  struct Barrier {
    unsigned come = 0, opened = 0, members = 0;
  };
  std::vector<Barrier> barriers;

  void run();
  void next();
  void wait(bool warp_only);
  void leave(unsigned thread);
};
Block* running = nullptr;

char* stack_memory() {
  static char* const all = static_cast<char*>(
      mmap(nullptr, kStack * 1024, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return all;
}

void begin_thread() {
  Block* b = running;
  b->body(b->arguments);
  b->leave(b->current);
  __builtin_unreachable();
}

void Block::leave(unsigned thread) {
  stacks[thread] = nullptr;
  for (Barrier* barrier : {&barriers[0], &barriers[1 + thread / 32]}) {
    if (--barrier->members > 0 && barrier->come == barrier->members) {
      barrier->come = 0;
      ++barrier->opened;
    }
  }
  void* unused;
  for (unsigned i = 1; i <= threads; ++i) {
    const unsigned other = (thread + i) % threads;
    if (!stacks[other]) continue;
    current = other;
    state->thread = {other, 0, 0};
    emulated_switch(&unused, stacks[other]);
  }
  emulated_switch(&unused, main_stack);
}

// The next fibre that is not done.
void Block::next() {
  const unsigned me = current;
  unsigned other = me;
  do other = (other + 1) % threads;
  while (!stacks[other]);
  if (other == me) return;
  current = other;
  state->thread = {other, 0, 0};
  emulated_switch(&stacks[me], stacks[other]);
}

void Block::wait(bool warp_only) {
  Barrier& barrier = barriers[warp_only ? 1 + current / 32 : 0];
  const unsigned before = barrier.opened;
  if (++barrier.come == barrier.members) {
    barrier.come = 0;
    ++barrier.opened;
    return;
  }
  while (barrier.opened == before) next();
}

void Block::run() {
  stacks.assign(threads, nullptr);
  barriers.assign(1 + (threads + 31) / 32, {});
  barriers[0].members = threads;
  for (unsigned i = 0; i < threads; ++i) {
    ++barriers[1 + i / 32].members;
    char* top = stack_memory() + kStack * (i + 1);
    auto** frame = reinterpret_cast<void**>(top) - 10;  // six registers and where to begin, as a call leaves the stack
    std::memset(frame, 0, 10 * sizeof(void*));
    frame[6] = reinterpret_cast<void*>(begin_thread);
    stacks[i] = frame;
  }
  running = this;
  current = 0;
  state->thread = {0, 0, 0};
  emulated_switch(&main_stack, stacks[0]);
}

void wait_here(bool warp_only) { running->wait(warp_only); }

// A real GPU could not follow an address of the host's. Numbers are seldom taken for one: it has to be mapped, too.
void check_arguments(const void* arguments, unsigned long bytes) {
  for (unsigned long i = 0; i + 8 <= bytes; i += 8) {
    uintptr_t word;
    std::memcpy(&word, static_cast<const char*>(arguments) + i, 8);
    auto* const at = reinterpret_cast<char*>(word);
    const auto pinned = memory().pinned.upper_bound(at);
    const bool is_pinned =
        pinned != memory().pinned.begin() && at < std::prev(pinned)->first + std::prev(pinned)->second;
    unsigned char resident;
    if (word < 0x100000000 || word >> 47 || memory().has(at) || is_pinned) continue;
    if (mincore(reinterpret_cast<void*>(word / kPage * kPage), 1, &resident) != 0) continue;
    std::fprintf(stderr, "a kernel was given an address of the host's, %p, %lu bytes into its arguments\n", at, i);
    std::abort();
  }
}

struct LoadedModule {
  void* library;
  EmulatedState* state;
  bool waits;  // has barriers
};
struct LoadedFunction {
  LoadedModule* module;
  void (*body)(const void*);
};

template <class F>
auto* found(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

}  // namespace

void open_memory() { memory().open(); }
void close_memory() { memory().close(); }

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorName(int code, const char** name) {
  return *name = code == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_INVALID_VALUE", 0;
}
int cuGetErrorString(int code, const char** text) {
  return *text = code == kOutOfMemory ? "out of memory" : "invalid argument", 0;
}
int cuDeviceGetCount(int* count) {
  const char* text = std::getenv("EMULATED_GPUS");
  return *count = text ? std::atoi(text) : 1, 0;
}
int cuDeviceGet(int* device, int index) { return *device = index, 0; }
int cuDeviceGetName(char* name, int length, int) {
  return std::snprintf(name, static_cast<size_t>(length), "emulated GPU"), 0;
}
static int multiprocessors() {
  const char* text = std::getenv("EMULATED_GPU_MULTIPROCESSORS");
  return text ? std::atoi(text) : 4;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 75:
      return *value = 9, 0;  // compute capability
    case 76:
      return *value = 0, 0;
    case 16:
      return *value = multiprocessors(), 0;
    case 10:
      return *value = 32, 0;  // threads of a warp
    case 39:
      return *value = 2048, 0;  // threads of a multiprocessor
    case 97:
      return *value = 227 * 1024, 0;  // shared memory of a block
    case 38:
      return *value = 1 << 20, 0;  // cache
    default:
      return *value = 0, 0;
  }
}
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = capacity(), 0; }
int cuDeviceGetUuid(void* uuid, int device) { return std::memset(uuid, device, 16), 0; }
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = 1, 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) {
  return *context = reinterpret_cast<void*>(static_cast<intptr_t>(device + 1)), 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuMemGetInfo_v2(size_t* free, size_t* total) { return *free = capacity() - memory().used, *total = capacity(), 0; }
int cuMemAlloc_v2(unsigned long long* at, size_t bytes) {
  char* taken = memory().take(bytes);
  *at = reinterpret_cast<unsigned long long>(taken);
  return taken ? 0 : kOutOfMemory;
}
int cuMemFree_v2(unsigned long long at) { return memory().give(reinterpret_cast<char*>(at)) ? 0 : kInvalid; }
int cuPointerGetAttribute(int* device, int, unsigned long long at) {
  return *device = 0, memory().has(reinterpret_cast<void*>(at)) ? 0 : kInvalid;
}
int cuMemHostAlloc(void** at, size_t bytes, unsigned) {
  *at = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (*at) memory().pinned[static_cast<char*>(*at)] = bytes;
  return *at ? 0 : kOutOfMemory;
}
int cuMemFreeHost(void* at) {
  memory().pinned.erase(static_cast<char*>(at));
  return std::free(at), 0;
}

int cuMemcpyAsync(unsigned long long to, unsigned long long from, size_t bytes, void*) {
  Opened open;
  return std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void* stream) {
  if (!memory().has(reinterpret_cast<void*>(to)) && !from) return kInvalid;
  return cuMemcpyAsync(to, reinterpret_cast<unsigned long long>(from), bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void* stream) {
  if (!memory().has(reinterpret_cast<void*>(from))) return kInvalid;
  return cuMemcpyAsync(reinterpret_cast<unsigned long long>(to), from, bytes, stream);
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void* stream) {
  return cuMemcpyAsync(to, from, bytes, stream);
}
int cuMemsetD8Async(unsigned long long at, unsigned char value, size_t bytes, void*) {
  if (!memory().has(reinterpret_cast<void*>(at))) return kInvalid;
  Opened open;
  return std::memset(reinterpret_cast<void*>(at), value, bytes), 0;
}

int cuModuleLoadData(LoadedModule** module, const void* bytes) {
  const auto* image = static_cast<const EmulatedImage*>(bytes);
  if (std::memcmp(image->magic, kImageMagic, sizeof image->magic) != 0) return kInvalid;
  std::string path = std::filesystem::temp_directory_path() / "emulated-kernel-XXXXXX";
  const int file = mkstemp(path.data());
  const ssize_t written = write(file, image + 1, image->bytes);
  close(file);
  void* library = written == static_cast<ssize_t>(image->bytes) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) std::fprintf(stderr, "%s\n", dlerror());
  unlink(path.c_str());
  if (!library) return kInvalid;
  *module = new LoadedModule{library, found<EmulatedState>(library, "emulated"), image->waits != 0};
  (*module)->state->wait = wait_here;
  (*module)->state->check = check_arguments;
  return 0;
}
int cuModuleGetFunction(LoadedFunction** function, LoadedModule* module, const char* name) {
  auto* body = found<void(const void*)>(module->library, name);
  if (!body) return kNotFound;
  *function = new LoadedFunction{module, body};
  return 0;
}
int cuModuleGetGlobal_v2(unsigned long long* at, size_t* bytes, LoadedModule* module, const char* name) {
  void* variable = dlsym(module->library, name);
  if (!variable) return kNotFound;
  return *at = reinterpret_cast<unsigned long long>(variable), *bytes = sizeof(void*), 0;
}
int cuFuncSetAttribute(LoadedFunction*, int, int) { return 0; }

int cuLaunchKernel(LoadedFunction* f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz,
                   unsigned shared, void*, void** parameters, void**) {
  if (!x || !y || !z || !threads || threads > 1024 || ty != 1 || tz != 1) return kInvalid;
  if (y > 65535 || z > 65535) return kInvalid;
  if (shared > 227 * 1024) return kInvalid;
  Opened open;
  EmulatedState& state = *f->module->state;
  std::vector<char> room(shared + 16);
  state.shared = room.data() + (16 - reinterpret_cast<uintptr_t>(room.data()) % 16) % 16;
  state.threads = {threads, 1, 1};
  state.blocks = {x, y, z};
  Block block(&state, f->body, parameters[0], threads);
  for (unsigned k = 0; k < z; ++k) {
    for (unsigned j = 0; j < y; ++j) {
      for (unsigned i = 0; i < x; ++i) {
        state.block = {i, j, k};
        std::memset(room.data(), 0xff, room.size());
        if (f->module->waits) {
          block.run();
          continue;
        }
        for (state.thread = {}; state.thread.x < threads; ++state.thread.x) f->body(parameters[0]);
      }
    }
  }
  return 0;
}

// ---- streams and events: all work is done when it is asked for

int cuStreamCreateWithPriority(void** stream, unsigned, int) { return *stream = new char, 0; }
int cuCtxGetStreamPriorityRange(int* least, int* greatest) { return *least = 0, *greatest = -5, 0; }
int cuStreamDestroy_v2(void* stream) { return delete static_cast<char*>(stream), 0; }
int cuStreamSynchronize(void*) { return 0; }
int cuStreamQuery(void*) { return 0; }
int cuStreamWaitEvent(void*, void*, unsigned) { return 0; }
int cuEventCreate(double** event, unsigned) { return *event = new double(0), 0; }
int cuEventDestroy_v2(double* event) { return delete event, 0; }
int cuEventRecord(double* event, void*) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return *event = static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6, 0;
}
int cuEventQuery(double*) { return 0; }
int cuEventSynchronize(double*) { return 0; }
int cuEventElapsedTime(float* milliseconds, double* from, double* to) {
  return *milliseconds = static_cast<float>(*to - *from), 0;
}
}
