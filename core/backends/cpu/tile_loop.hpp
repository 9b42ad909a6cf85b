// Runs a contiguous kernel over operands of any strides and dtypes, through tiles of 512 elements.
#pragma once
#include <cstdint>
#include <type_traits>

#include "backends/copy.hpp"

namespace chainrule::cpu {

struct TileOperand {
  char* data = nullptr;  // null: the kernel does not use it
  DType dtype{};         // as it lies in memory
  DType wanted{};        // as the kernel takes it
  Dims strides;          // in elements, one per dimension of the loop; 0 where broadcast
};

// A borrowed callable (out, inputs, n) -> void.
class TileKernel {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, TileKernel>)  // copies are copies
  TileKernel(F&& f)                                                // NOLINT: implicit on purpose
      : object_((void*)&f), call_([](void* o, void* out, const void* const* in, int64_t n) {
          (*(std::remove_reference_t<F>*)o)(out, in, n);
        }) {}
  void operator()(void* out, const void* const* in, int64_t n) const { call_(object_, out, in, n); }

 private:
  void* object_;
  void (*call_)(void*, void*, const void* const*, int64_t);
};

inline constexpr int kMaxTileOperands = 6;

// operands[0] is written, the others are read; `count` includes it. Elements are visited in the order of memory of the
// output. An input may be the output itself, element for element.
void run_tiles(Span sizes, TileOperand* operands, int count, TileKernel kernel);

// Copies with conversion between any two layouts and dtypes.
void copy_strided(const StridedCopy& copy);

}  // namespace chainrule::cpu
