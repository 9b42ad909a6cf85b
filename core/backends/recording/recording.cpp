#include "backends/recording/recording.hpp"

#include <algorithm>

#include "backends/bounds.hpp"
#include "backends/generator.hpp"
#include "tensor/python_call.hpp"
#include "tensor/scalar.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {

thread_local Recording* recorder = nullptr;

void cannot_replay(const std::string& why) {
  if (recorder) recorder->refuse(why);
}

void open_elements() {
  cannot_replay("reads or writes an element");
  guarded_device::open();
}

RecorderPause::RecorderPause() : previous_(std::exchange(recorder, nullptr)) { Storage::making.recorded = false; }
RecorderPause::~RecorderPause() {
  recorder = previous_;
  Storage::making.recorded = previous_ != nullptr;
}

Recording::~Recording() {
  for (auto& [object, destroy] : destructors_) destroy(object);
  blocks_->release();
}

void Recording::refuse(const std::string& why, SourceLine line) {
  if (is_refused()) return;
  reason_ = why;
  reason_line_ = std::move(line);
}

void Recording::add(void (*run)(const void*), const void* kept, double multiplications) {
  calls_.push_back({run, kept, multiplications});
  lines_.push_back(line_now());
}

void Recording::add_whole(std::function<void()> function) {
  const auto* kept = keep<std::function<void()>>(std::move(function));
  add([](const void* f) { (*static_cast<const std::function<void()>*>(f))(); }, kept, kKeepsLock);
}

namespace {

struct Bytes {
  char* to;
  const char* from;
  size_t count;
};

}  // namespace

void Recording::add_bytes(char* to, const char* from, size_t bytes) {
  note_address(to);
  const auto* kept = keep<Bytes>(to, keep_array(from, bytes), bytes);
  add(
      [](const void* p) {
        const auto* b = static_cast<const Bytes*>(p);
        std::memcpy(b->to, b->from, b->count);
      },
      kept, kKeepsLock);
}

void set_recorded(char* to, DType dtype, const Scalar& value) {
  store(value, dtype, to);
  recorder->add_bytes(to, to, size_of(dtype));
}

void Recording::note_address(const void* address) {
  if (!address || blocks_->contains(address)) return;
  const auto* at = static_cast<const char*>(address);
  if (outside_.empty() || outside_.back().address != at) outside_.push_back({at, calls_.size()});
}

void Recording::note_generator(const Generator& generator) {
  if (&generator != &default_generator(Device::CPU)) refuse("draws from a generator of its own");
}

StrayIndex* Recording::keep_stray() {
  auto* stray = keep<StrayIndex>();
  strays_.emplace_back(stray, calls_.size());
  return stray;
}

Bad* Recording::keep_bad() {
  auto* bad = keep<Bad>();
  bads_.emplace_back(bad, calls_.size());
  return bad;
}

bool Recording::owns(const RecordedBlock& block) const {
  return std::ranges::any_of(owned_, [&](const char* p) { return p >= block.data && p < block.data + block.bytes; });
}

bool Recording::uses(const Storage* storage) const {
  return std::ranges::any_of(outside_, [&](const Outside& o) {
    return o.address >= storage->data && o.address < storage->data + std::max<int64_t>(storage->bytes, 1);
  });
}

void Recording::check_addresses(const std::vector<Storage*>& watched) {
  std::vector<std::pair<const char*, const char*>> ranges;
  for (const Storage* s : watched) ranges.emplace_back(s->data, s->data + std::max<int64_t>(s->bytes, 1));
  std::ranges::sort(ranges);
  for (const Outside& o : outside_) {
    auto next = std::ranges::upper_bound(ranges, o.address, {}, [](const auto& r) { return r.first; });
    if (next != ranges.begin() && o.address < std::prev(next)->second) continue;
    return refuse("uses a tensor, or a place for a number, that is not among what the step is made of",
                  o.call < lines_.size() ? lines_[o.call] : SourceLine());
  }
}

void Recording::check_findings(size_t call) {
  int64_t index = 0;
  bool found = false;
  for (auto& [stray, at] : strays_) {
    if (at != call || stray->position < 0) continue;
    index = std::exchange(*stray, {}).value;
    found = true;
  }
  for (auto& [bad, at] : bads_) {
    if (at != call || !*bad) continue;
    index = *std::exchange(*bad, {});
    found = true;
  }
  if (found) raise(PyExc_IndexError, "index ", index, " is out of bounds, in a recorded step");
}

void Recording::replay() {
  const bool finds = !strays_.empty() || !bads_.empty();
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call& c = calls_[i];
    if (takes_long(c.multiplications)) {
      {
        UnlockedScope unlocked(c.multiplications);
        c.run(c.kept);
      }
      settle();
    } else {
      c.run(c.kept);
    }
    if (finds) check_findings(i);
  }
}

}  // namespace chainrule
