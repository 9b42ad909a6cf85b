// One function of a backend, as operations call it.
#pragma once
#include "tensor/device.hpp"

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
    if (storages_elsewhere > 0 && works_on_meta()) [[unlikely]]
      return;
    ElementScope open;
    run(arguments...);
  }
};

}  // namespace chainrule
