#include "backends/backend.hpp"

#include "backends/cpu/kernels.hpp"
#include "backends/cuda/kernels.hpp"
#include "tensor/storage.hpp"

namespace chainrule {
namespace {

constexpr Backend cpu_backend{
#define SUBJECT(name, Kernels) .name = &cpu::name##_kernels,
#include "backends/subjects.def"
#undef SUBJECT
};
constexpr Backend cuda_backend{
#define SUBJECT(name, Kernels) .name = &cuda::name##_kernels,
#include "backends/subjects.def"
#undef SUBJECT
};

}  // namespace

// The guarded device has the CPU's.
const Backend& backend() {
  if (storages_elsewhere > 0 && Storage::making.device.kind == DeviceKind::Cuda) [[unlikely]]
    return cuda_backend;
  return cpu_backend;
}

}  // namespace chainrule
