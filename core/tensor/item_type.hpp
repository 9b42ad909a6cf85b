// Elements as so many bytes, for what only moves them.
#pragma once
#include <cstdint>

namespace chainrule {

struct Sixteen {
  char bytes[16];
};

// Calls f with a null pointer to a type of that many bytes.
template <class F>
void with_item_type(int64_t item, F f) {
  switch (item) {
    case 1:
      return f(static_cast<uint8_t*>(nullptr));
    case 2:
      return f(static_cast<uint16_t*>(nullptr));
    case 4:
      return f(static_cast<uint32_t*>(nullptr));
    case 8:
      return f(static_cast<uint64_t*>(nullptr));
    default:
      return f(static_cast<Sixteen*>(nullptr));
  }
}

}  // namespace chainrule
