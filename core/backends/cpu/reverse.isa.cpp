// Rows in reverse order, a vector at a time.
#include "backends/cpu/reverse.hpp"

namespace chainrule::cpu::CR_ISA {

struct Sixteen {
  int64_t low, high;
};

template <class T>
void reverse_kernel(char* to, const char* from, int64_t n) {
  auto* __restrict out = reinterpret_cast<T*>(to);
  auto* __restrict in = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) out[i] = in[n - 1 - i];
}

constinit const ReverseKernel reverse_kernels[5] = {&reverse_kernel<uint8_t>, &reverse_kernel<uint16_t>,
                                                    &reverse_kernel<uint32_t>, &reverse_kernel<uint64_t>,
                                                    &reverse_kernel<Sixteen>};

}  // namespace chainrule::cpu::CR_ISA
