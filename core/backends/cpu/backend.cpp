#include "backends/cpu/kernels.hpp"

namespace chainrule {

const Backend& backend() {
  static constexpr Backend cpu{
#define SUBJECT(name, Kernels) .name = &cpu::name##_kernels,
#include "backends/subjects.def"
#undef SUBJECT
  };
  return cpu;
}

}  // namespace chainrule
