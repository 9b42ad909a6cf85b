// One function of a backend, as operations call it.
#pragma once
#include "tensor/device.hpp"
#include "tensor/recorder.hpp"
#include "tensor/settle.hpp"
#include "tensor/unlocked.hpp"

namespace chainrule {

// Operations describe what is to be calculated, and call the function of the backend that does it. A description is a
// plain struct of sizes, strides, numbers and addresses. Nothing else reads or writes elements. On the device "meta"
// there are none, so nothing is done: what such a tensor shows are zeros.
template <class Signature>
struct Kernel;

template <class... Arguments>
struct Kernel<void(Arguments...)> {
  void (*run)(Arguments...);
  void operator()(Arguments... arguments) const {
    if (storages_elsewhere > 0) [[unlikely]] {
      if (works_on_meta()) return;
      if (recorder) return record(kKeepsLock, arguments...);
    }
    ElementScope open;
    run(arguments...);
  }
  // The same; Python's lock is let go if it takes as long as that many multiplications. tensor/unlocked.hpp says what
  // may run so.
  void unlocked(double multiplications, Arguments... arguments) const {
    if (!takes_long(multiplications) || !works_on_host()) return (*this)(arguments...);
    if (storages_elsewhere > 0) {
      if (works_on_meta()) return;
      if (recorder) return record(multiplications, arguments...);
    }
    ElementScope open;
    {
      UnlockedScope unlocked(multiplications);
      run(arguments...);
    }
    settle();
  }
  // Runs it and keeps the call; see Note [Recorded steps].
  void record(double multiplications, Arguments... arguments) const;
};

}  // namespace chainrule
