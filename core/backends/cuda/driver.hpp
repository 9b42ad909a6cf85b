// The CUDA driver as far as it is used, declared by hand: nothing of CUDA is needed to build or to install.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace chainrule::cuda {

using Address = unsigned long long;  // in a GPU's memory
using Context = struct ContextHandle*;
using Module = struct ModuleHandle*;
using Function = struct FunctionHandle*;
using Stream = struct StreamHandle*;  // null: the default one, which waits for all others
using Event = struct EventHandle*;

// DRIVER(member, function, result and arguments); all give a code, 0 if all went well.
#define CUDA_DRIVER_FUNCTIONS(DRIVER)                                                                               \
  DRIVER(init, cuInit, int(unsigned flags))                                                                         \
  DRIVER(version, cuDriverGetVersion, int(int*))                                                                    \
  DRIVER(error_name, cuGetErrorName, int(int, const char**))                                                        \
  DRIVER(error_text, cuGetErrorString, int(int, const char**))                                                      \
  DRIVER(device_count, cuDeviceGetCount, int(int*))                                                                 \
  DRIVER(device_get, cuDeviceGet, int(int*, int index))                                                             \
  DRIVER(device_name, cuDeviceGetName, int(char*, int length, int device))                                          \
  DRIVER(device_attribute, cuDeviceGetAttribute, int(int*, int attribute, int device))                              \
  DRIVER(device_memory, cuDeviceTotalMem_v2, int(size_t*, int device))                                              \
  DRIVER(device_uuid, cuDeviceGetUuid, int(void* sixteen_bytes, int device))                                        \
  DRIVER(can_access_peer, cuDeviceCanAccessPeer, int(int*, int device, int other))                                  \
  DRIVER(primary_context, cuDevicePrimaryCtxRetain, int(Context*, int device))                                      \
  DRIVER(set_context, cuCtxSetCurrent, int(Context))                                                                \
  DRIVER(synchronize, cuCtxSynchronize, int())                                                                      \
  DRIVER(memory_info, cuMemGetInfo_v2, int(size_t* free, size_t* total))                                            \
  DRIVER(allocate, cuMemAlloc_v2, int(Address*, size_t))                                                            \
  DRIVER(release, cuMemFree_v2, int(Address))                                                                       \
  DRIVER(device_of_pointer, cuPointerGetAttribute, int(int*, int attribute, Address))                               \
  DRIVER(allocate_host, cuMemHostAlloc, int(void**, size_t, unsigned flags))                                        \
  DRIVER(release_host, cuMemFreeHost, int(void*))                                                                   \
  DRIVER(copy, cuMemcpyAsync, int(Address to, Address from, size_t, Stream))                                        \
  DRIVER(copy_to_device, cuMemcpyHtoDAsync_v2, int(Address to, const void*, size_t, Stream))                        \
  DRIVER(copy_to_host, cuMemcpyDtoHAsync_v2, int(void*, Address from, size_t, Stream))                              \
  DRIVER(copy_on_device, cuMemcpyDtoDAsync_v2, int(Address to, Address from, size_t, Stream))                       \
  DRIVER(set_bytes, cuMemsetD8Async, int(Address, unsigned char, size_t, Stream))                                   \
  DRIVER(load_module, cuModuleLoadData, int(Module*, const void* image))                                            \
  DRIVER(find_function, cuModuleGetFunction, int(Function*, Module, const char*))                                   \
  DRIVER(find_variable, cuModuleGetGlobal_v2, int(Address*, size_t* bytes, Module, const char*))                    \
  DRIVER(set_attribute, cuFuncSetAttribute, int(Function, int attribute, int))                                      \
  DRIVER(launch, cuLaunchKernel,                                                                                    \
         int(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared, Stream, void**, \
             void**))                                                                                               \
  DRIVER(create_stream, cuStreamCreateWithPriority, int(Stream*, unsigned flags, int priority))                     \
  DRIVER(priority_range, cuCtxGetStreamPriorityRange, int(int* least, int* greatest))                               \
  DRIVER(destroy_stream, cuStreamDestroy_v2, int(Stream))                                                           \
  DRIVER(synchronize_stream, cuStreamSynchronize, int(Stream))                                                      \
  DRIVER(query_stream, cuStreamQuery, int(Stream))                                                                  \
  DRIVER(wait_event, cuStreamWaitEvent, int(Stream, Event, unsigned flags))                                         \
  DRIVER(create_event, cuEventCreate, int(Event*, unsigned flags))                                                  \
  DRIVER(destroy_event, cuEventDestroy_v2, int(Event))                                                              \
  DRIVER(record_event, cuEventRecord, int(Event, Stream))                                                           \
  DRIVER(query_event, cuEventQuery, int(Event))                                                                     \
  DRIVER(synchronize_event, cuEventSynchronize, int(Event))                                                         \
  DRIVER(elapsed, cuEventElapsedTime, int(float* milliseconds, Event, Event))

template <class Signature>
using Pointer = Signature*;

struct Driver {
#define CUDA_MEMBER(member, function, ...) Pointer<__VA_ARGS__> member;
  CUDA_DRIVER_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
};

constexpr int kOutOfMemory = 2, kNotReady = 600;

// Opened by whoever asks first. Raises RuntimeError, in PyTorch's words, where there is no driver or no GPU.
const Driver& driver();
// How many GPUs there are; 0, and never an error, where there is no driver. `why` says what is missing.
int device_count(std::string* why = nullptr);

// Whether this process has begun to work on a GPU, and may go on: a child that was forked may not.
bool is_initialized();

// Raises where the code tells of an error.
[[noreturn]] void raise_driver_error(int code, const char* what);
inline void check_driver(int code, const char* what) {
  if (code != 0) [[unlikely]]
    raise_driver_error(code, what);
}
// CUDA_CALL(copy, to, from, bytes, stream)
#define CUDA_CALL(member, ...) ::chainrule::cuda::check_driver(::chainrule::cuda::driver().member(__VA_ARGS__), #member)

// What a GPU is.
struct DeviceFacts {
  std::string name;
  int major, minor, multiprocessors, warp, threads_per_multiprocessor, shared_per_block, cache_bytes;
  size_t memory;
  unsigned char uuid[16];
};
const DeviceFacts& facts_of(int index);

// Makes that GPU the one that this thread's calls of the driver are about.
void use_device(int index);
// The one that this thread works on: that of new tensors if they are on a GPU, else the one that was chosen.
int current_device();
void set_current_device(int index);

// The stream of this thread on the current device.
Stream current_stream();
Stream stream_of_device(int device);
void set_current_stream(int device, Stream stream);

// Waits for what this thread has put off, and raises what kernels met meanwhile.
void synchronize_stream();

}  // namespace chainrule::cuda
