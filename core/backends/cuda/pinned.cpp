#include "backends/cuda/pinned.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace chainrule::cuda {
namespace {

struct PinnedBlock {
  size_t bytes;
  std::set<Stream> streams;  // that copied since it was taken
};
struct Waiting {
  void* memory;
  size_t bytes;
  std::vector<Event> events;
};

struct Pinned {
  std::mutex mutex;
  std::map<const char*, PinnedBlock> live;
  std::multimap<size_t, void*> free;
  std::vector<Waiting> waiting;

  // Those whose copies are done are free.
  void take_back() {
    std::erase_if(waiting, [&](const Waiting& w) {
      for (Event e : w.events) {
        if (driver().query_event(e) == kNotReady) return false;
      }
      for (Event e : w.events) driver().destroy_event(e);
      free.emplace(w.bytes, w.memory);
      return true;
    });
  }
  auto around(const void* address) {
    auto next = live.upper_bound(static_cast<const char*>(address));
    if (next == live.begin()) return live.end();
    auto found = std::prev(next);
    return static_cast<const char*>(address) < found->first + found->second.bytes ? found : live.end();
  }
};
Pinned& pinned() {
  static Pinned& all = *new Pinned;
  return all;
}

thread_local bool non_blocking = false;

}  // namespace

NonBlockingScope::NonBlockingScope(bool on) : previous_(non_blocking) { non_blocking = on; }
NonBlockingScope::~NonBlockingScope() { non_blocking = previous_; }
bool NonBlockingScope::is_on() { return non_blocking; }

void* allocate_pinned(size_t bytes) {
  const size_t size = std::bit_ceil(bytes < 512 ? 512 : bytes);
  Pinned& p = pinned();
  std::lock_guard lock(p.mutex);
  use_device(current_device());
  p.take_back();
  void* memory = nullptr;
  if (const auto found = p.free.find(size); found != p.free.end()) {
    memory = found->second;
    p.free.erase(found);
  } else {
    constexpr unsigned kPortable = 1;
    CUDA_CALL(allocate_host, &memory, size, kPortable);
  }
  p.live.emplace(static_cast<const char*>(memory), PinnedBlock{size, {}});
  return memory;
}

void release_pinned(void* memory) {
  Pinned& p = pinned();
  std::lock_guard lock(p.mutex);
  const auto found = p.live.find(static_cast<const char*>(memory));
  PinnedBlock block = std::move(found->second);
  p.live.erase(found);
  if (!is_initialized()) return;  // a child that was forked leaves it to its parent
  Waiting w{memory, block.bytes, {}};
  for (Stream stream : block.streams) {
    constexpr unsigned kNoTiming = 2;
    Event event = nullptr;
    if (driver().create_event(&event, kNoTiming) || driver().record_event(event, stream)) continue;
    w.events.push_back(event);
  }
  if (w.events.empty())
    p.free.emplace(w.bytes, w.memory);
  else
    p.waiting.push_back(std::move(w));
}

bool is_pinned(const void* address) {
  Pinned& p = pinned();
  std::lock_guard lock(p.mutex);
  return p.around(address) != p.live.end();
}

void note_copy(const void* address, Stream stream) {
  Pinned& p = pinned();
  std::lock_guard lock(p.mutex);
  if (const auto found = p.around(address); found != p.live.end()) found->second.streams.insert(stream);
}

}  // namespace chainrule::cuda
