#include "backends/transfer.hpp"

#include "backends/cuda/kernels.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/pinned.hpp"

namespace chainrule::cuda {
namespace {

// What another GPU was asked for comes first: it may be what is copied.
void wait_for(int other) {
  const int own = current_device();
  constexpr unsigned kNoTiming = 2;
  Event event = nullptr;
  use_device(other);
  CUDA_CALL(create_event, &event, kNoTiming);
  CUDA_CALL(record_event, event, stream_of_device(other));
  use_device(own);
  CUDA_CALL(wait_event, stream_of_device(own), event, 0);
  CUDA_CALL(destroy_event, event);  // when it has come
}

// Between the host and a GPU, or two GPUs. The driver knows which address is whose. What lies in the host's ordinary
// memory has been read when its function returns; pinned memory is read later.
void copy(const Transfer& t) {
  if (t.bytes == 0) return;
  const int from = device_of(t.from);
  if (from >= 0 && from != current_device()) {
    wait_for(from);
    record_stream(t.from, from, current_stream());
  }
  CUDA_CALL(copy, address(t.to), address(t.from), static_cast<size_t>(t.bytes), current_stream());
  if (!block_around(t.to)) return synchronize_stream();
  if (!is_pinned(t.from)) return;
  if (NonBlockingScope::is_on())
    note_copy(t.from, current_stream());
  else
    synchronize_stream();
}

}  // namespace

void read(void* to, const void* from, size_t bytes) {
  CUDA_CALL(copy_to_host, to, address(from), bytes, current_stream());
  synchronize_stream();
}
void write(void* to, const void* from, size_t bytes) {
  if (bytes) CUDA_CALL(copy, address(to), address(from), bytes, current_stream());
}

const TransferKernels transfer_kernels{.copy = {copy}};

}  // namespace chainrule::cuda
