#include "backends/cuda/driver.hpp"

#include <pthread.h>

#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/cuda/errors.hpp"
#include "backends/cuda/libraries.hpp"
#include "tensor/error.hpp"
#include "tensor/storage.hpp"

namespace chainrule::cuda {
namespace {

constexpr int kMostDevices = 64;
constexpr int kOldestDriver = 12000;  // CUDA 12.0
constexpr int kOldestMajor = 7, kOldestMinor = 5;

struct Opened {
  Driver functions{};
  int devices = 0;
  std::string missing;  // why there is none
};

std::string text_of(const Driver& d, int code) {
  const char *name = nullptr, *text = nullptr;
  if (d.error_name) d.error_name(code, &name);
  if (d.error_text) d.error_text(code, &text);
  return std::string(text ? text : "unknown error") + " (" + (name ? name : std::to_string(code).c_str()) + ")";
}

Opened open() {
  Opened o;
  const Library library = open_library({"libcuda.so.1"});
  if (!library.handle) {
    o.missing =
        "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver: " +
        library.error;
    return o;
  }
#define CUDA_FIND(member, function, ...) \
  o.functions.member = reinterpret_cast<Pointer<__VA_ARGS__>>(find_function(library, #function));
  CUDA_DRIVER_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
  int version = 0;
  if (int code = o.functions.init(0)) {
    o.missing = "The NVIDIA driver could not be started: " + text_of(o.functions, code);
  } else if (o.functions.version(&version); version < kOldestDriver) {
    o.missing = "The NVIDIA driver on your system is too old (found version " + std::to_string(version) +
                "). Please update your GPU driver; chainrule needs one of CUDA 12.0 or later";
  } else if (code = o.functions.device_count(&o.devices); code || o.devices == 0) {
    o.devices = 0;
    o.missing = "No CUDA GPUs are available";
  }
  return o;
}

const Opened& opened() {
  library_folders();
  static const Opened once = open();
  return once;
}

// A GPU's context does not survive fork().
bool in_forked_child = false, was_used = false;
void note_use() {
  was_used = true;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { in_forked_child = true; });
  (void)registered;
}

thread_local int used_device = -1;   // whose context is this thread's
thread_local int chosen_device = 0;  // by set_device
thread_local std::array<Stream, kMostDevices> streams{};

DeviceFacts read_facts(int index) {
  const Driver& d = driver();
  int device = 0;
  check_driver(d.device_get(&device, index), "device_get");
  auto attribute = [&](int which) {
    int value = 0;
    check_driver(d.device_attribute(&value, which, device), "device_attribute");
    return value;
  };
  DeviceFacts f{};
  char name[256] = "";
  check_driver(d.device_name(name, sizeof name, device), "device_name");
  f.name = name;
  f.major = attribute(75), f.minor = attribute(76);
  f.multiprocessors = attribute(16), f.warp = attribute(10), f.threads_per_multiprocessor = attribute(39);
  f.shared_per_block = attribute(97), f.cache_bytes = attribute(38);
  check_driver(d.device_memory(&f.memory, device), "device_memory");
  check_driver(d.device_uuid(f.uuid, device), "device_uuid");
  check(f.major > kOldestMajor || (f.major == kOldestMajor && f.minor >= kOldestMinor), "Found GPU", index, " ", f.name,
        " which is of compute capability ", f.major, ".", f.minor,
        ". The minimum compute capability supported by chainrule is ", kOldestMajor, ".", kOldestMinor, ".");
  return f;
}

Context context_of(int index) {
  static std::array<Context, kMostDevices> contexts{};
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  Context& context = contexts[static_cast<size_t>(index)];
  if (!context) {
    facts_of(index);
    int device = 0;
    CUDA_CALL(device_get, &device, index);
    CUDA_CALL(primary_context, &context, device);
  }
  return context;
}

}  // namespace

const Driver& driver() {
  const Opened& o = opened();
  if (!o.devices) [[unlikely]]
    raise(PyExc_RuntimeError, o.missing);
  if (in_forked_child) [[unlikely]]
    raise(PyExc_RuntimeError,
          "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use ",
          "the 'spawn' start method");
  return o.functions;
}

int device_count(std::string* why) {
  const Opened& o = opened();
  if (why) *why = o.missing;
  return o.devices;
}

bool is_initialized() { return was_used && !in_forked_child; }

void raise_driver_error(int code, const char* what) {
  raise(accelerator_error(), "CUDA error: ", text_of(opened().functions, code), "\n  in the driver's function for ",
        what,
        ". Kernels run after the call that started them: with torch.autograd.set_detect_anomaly(True) each is waited "
        "for, and the ",
        "line is the right one.");
}

const DeviceFacts& facts_of(int index) {
  static std::array<std::optional<DeviceFacts>, kMostDevices> all;
  auto& facts = all[static_cast<size_t>(index)];
  if (!facts) facts = read_facts(index);
  return *facts;
}

void use_device(int index) {
  if (used_device == index) [[likely]]
    return;
  const int count = device_count();
  if (count)
    check(index < count, "CUDA error: invalid device ordinal: there ", count == 1 ? "is 1 GPU" : "are ",
          count == 1 ? "" : std::to_string(count) + " GPUs", ", but cuda:", index, " was asked for");
  note_use();
  CUDA_CALL(set_context, context_of(index));
  used_device = index;
}

int current_device() {
  const Device making = Storage::making.device;
  return making.kind == DeviceKind::Cuda ? making.index : chosen_device;
}
void set_current_device(int index) {
  use_device(index);
  chosen_device = index;
}

Stream current_stream() { return streams[static_cast<size_t>(current_device())]; }
Stream stream_of_device(int device) { return streams[static_cast<size_t>(device)]; }
void set_current_stream(int device, Stream stream) { streams[static_cast<size_t>(device)] = stream; }

void synchronize_stream() {
  use_device(current_device());
  CUDA_CALL(synchronize_stream, current_stream());
  raise_met_errors();
}

}  // namespace chainrule::cuda
