// A small pool of sleeping threads that kernels share; made again after fork.
#pragma once
#include <cstdint>
#include <type_traits>

#include "tensor/thresholds.hpp"

namespace chainrule::cpu {

// A borrowed callable, (begin, end) -> void: no allocation, valid only during the call.
class RangeFunction {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, RangeFunction>)  // copies are copies
  RangeFunction(F&& f)                                                // NOLINT: implicit on purpose
      : object_((void*)&f), call_([](void* o, int64_t b, int64_t e) { (*(std::remove_reference_t<F>*)o)(b, e); }) {}
  void operator()(int64_t begin, int64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, int64_t, int64_t);
};

// Runs f over [0, n) in chunks of `grain`. Chunks are cut by size and not by the number of threads, so a result that
// combines per-chunk values in chunk order does not depend on the thread count. One chunk runs on the caller's thread.
void parallel_for(int64_t n, int64_t grain, RangeFunction f);
// What a chunk of that grain has; see Note [Thresholds]. Long grains count elements, and whoever streams them relies on
// whole lines of the caches.
inline int64_t chunk_size(int64_t grain) {
  if (thresholds.small_chunks) [[unlikely]]
    return grain >= 1024 ? 64 : 1;
  return grain > 1 ? grain : 1;
}

int num_threads();
void set_num_threads(int n);

}  // namespace chainrule::cpu
