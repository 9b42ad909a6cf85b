// A step as a list of kernel calls, with the memory that they work on.
//
// Note [Recorded steps]
// Nothing but kernels touches elements (Note [The guarded device]), so a step that calls the same kernels on the same
// addresses calculates the same. While a step is recorded, each kernel call is kept with a copy of its description, and
// the step's storages come from memory of its own (RecordedMemory), which is used for nothing else afterwards. To
// replay the step is to make those calls again, in order.
//
// What may not be replayed is found on the way: whoever looks at an element outside of a kernel opens an ElementScope
// or hands memory out, and both tell the recorder (cannot_replay). A kernel that is told an address which is neither in
// the step's memory nor in a tensor that is watched, a place on the host that takes a count, say, is found when the
// recording is finished. A function that reads elements to decide what to calculate, and does so inside the core, is
// kept whole (replayed_whole) and calls its kernels anew each time.
#pragma once
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "backends/positions.hpp"
#include "backends/recording/blocks.hpp"
#include "tensor/recorder.hpp"
#include "tensor/source_line.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

class Generator;
struct StrayIndex;

class Recording {
 public:
  Recording() : blocks_(new RecordedMemory) {}
  ~Recording();
  Recording(const Recording&) = delete;

  // The user's line; the room of the graph knows it.
  static inline SourceLine (*line_now)() = nullptr;

  // ---- while it is made

  // A copy that lives as long as the recording.
  template <class T, class... Arguments>
  T* keep(Arguments&&... arguments) {
    T* kept = new (memory_.allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
    if constexpr (!std::is_trivially_destructible_v<T>)
      destructors_.emplace_back(kept, [](void* p) { static_cast<T*>(p)->~T(); });
    return kept;
  }
  template <class T>
  T* keep_array(const T* values, size_t count) {
    auto* kept = static_cast<T*>(memory_.allocate(count * sizeof(T) + 1, alignof(T)));
    std::uninitialized_copy_n(values, count, kept);
    return kept;
  }
  // A call of a kernel: run(kept).
  void add(void (*run)(const void*), const void* kept, double multiplications);
  // Something that decides for itself what to calculate, with its tensors.
  void add_whole(std::function<void()> function);
  // A tensor that such a function owns.
  void note_owned(const Tensor& t) { owned_.push_back(t->data); }
  bool owns(const RecordedBlock& block) const;
  // Bytes that came from Python.
  void add_bytes(char* to, const char* from, size_t bytes);
  void note_address(const void* address);
  void note_generator(const Generator& generator);
  // A place for what a kernel finds out; something in it ends the replay with an IndexError.
  StrayIndex* keep_stray();
  Bad* keep_bad();
  void refuse(const std::string& why) { refuse(why, line_now()); }
  void refuse(const std::string& why, SourceLine line);
  bool is_refused() const { return !reason_.empty(); }

  RecordedMemory& blocks() { return *blocks_; }

  PyObject* options = nullptr;  // of the optimizer that is at work
  size_t rates_looked_up = 0;   // by calls that take the learning rate from there

  // ---- when it is made

  // Why it cannot be replayed, or "", and the line where that was found.
  const std::string& reason() const { return reason_; }
  const SourceLine& reason_line() const { return reason_line_; }
  // Whether all addresses outside of the step's memory are in these storages; else says where one was used.
  void check_addresses(const std::vector<Storage*>& watched);
  bool uses(const Storage* storage) const;  // one that was there before
  size_t calls() const { return calls_.size(); }

  void replay();

 private:
  struct Call {
    void (*run)(const void*);
    const void* kept;
    double multiplications;
  };
  struct Outside {
    const char* address;
    size_t call;
  };
  void check_findings(size_t call);

  RecordedMemory* blocks_;
  std::pmr::monotonic_buffer_resource memory_{4096};
  std::vector<std::pair<void*, void (*)(void*)>> destructors_;
  std::vector<Call> calls_;
  std::vector<SourceLine> lines_;  // of the calls
  std::vector<Outside> outside_;
  std::vector<const char*> owned_;
  std::vector<std::pair<StrayIndex*, size_t>> strays_;
  std::vector<std::pair<Bad*, size_t>> bads_;
  std::string reason_;
  SourceLine reason_line_;
};

// While one lives, this thread records nothing.
class RecorderPause {
 public:
  RecorderPause();
  ~RecorderPause();
  RecorderPause(const RecorderPause&) = delete;

 private:
  Recording* previous_;
};

// Calls f now, and `again` whenever the step is replayed. They own the tensors that they work on. (What they write is
// counted with the step's other writes.)
template <class F, class G>
void replayed_as(const F& f, const G& again) {
  if (!recorder) [[likely]]
    return f();
  Recording* to = recorder;
  {
    RecorderPause pause;
    f();
  }
  to->add_whole(again);
}
template <class F>
void replayed_whole(const F& f) {
  replayed_as(f, f);
}

}  // namespace chainrule
