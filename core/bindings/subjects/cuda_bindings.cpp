// What chainrule.cuda is written with: devices, memory, streams, events, the compiler of kernels. Streams and events
// are numbers here, and classes in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "autograd/source_line.hpp"
#include "backends/cuda/blas.hpp"
#include "backends/cuda/compiler.hpp"
#include "backends/cuda/cudnn.hpp"
#include "backends/cuda/determinism.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/errors.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/pinned.hpp"
#include "backends/cuda/random_order.hpp"
#include "backends/cuda/texts.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/conversions.hpp"
#include "tensor/owned.hpp"
#include "tensor/python_call.hpp"
#include "tensor/tensor.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

using Number = uintptr_t;
constexpr int kDeviceOfPointer = 9;  // an attribute

cuda::Stream stream_of(Number n) { return reinterpret_cast<cuda::Stream>(n); }
cuda::Event event_of(Number n) { return reinterpret_cast<cuda::Event>(n); }
template <class T>
Number number_of(T* handle) {
  return reinterpret_cast<Number>(handle);
}

// Calls the driver with the context of that device, and then goes back to the current one.
template <class F>
auto on_device(int device, F f) {
  struct Back {
    ~Back() { cuda::use_device(cuda::current_device()); }
  } back;
  cuda::use_device(device);
  return f();
}

nb::dict facts_of(int device) {
  const cuda::DeviceFacts& f = cuda::facts_of(device);
  nb::dict d;
  d["name"] = f.name;
  d["major"] = f.major;
  d["minor"] = f.minor;
  d["total_memory"] = f.memory;
  d["multi_processor_count"] = f.multiprocessors;
  d["warp_size"] = f.warp;
  d["max_threads_per_multi_processor"] = f.threads_per_multiprocessor;
  d["shared_memory_per_block_optin"] = f.shared_per_block;
  d["L2_cache_size"] = f.cache_bytes;
  d["uuid"] = nb::bytes(reinterpret_cast<const char*>(f.uuid), sizeof f.uuid);
  return d;
}

// By PyTorch's names: {"allocated_bytes.all.current": 512, ...}.
nb::dict memory_of(int device) {
  settle();
  constexpr const char *kNames[] = {"allocation",      "segment",        "active",       "inactive_split",
                                    "allocated_bytes", "reserved_bytes", "active_bytes", "inactive_split_bytes",
                                    "requested_bytes"},
                       *kPoolNames[] = {"all", "large_pool", "small_pool"};
  const cuda::MemoryCounts m = cuda::memory_counts(device);
  nb::dict d;
  for (int what = 0; what < cuda::kCounted; ++what) {
    for (int pool = 0; pool < cuda::kPools; ++pool) {
      const cuda::Count& c = m.counts[what][pool];
      const std::string name = std::string(kNames[what]) + "." + kPoolNames[pool] + ".";
      d[nb::str((name + "current").c_str())] = c.current;
      d[nb::str((name + "peak").c_str())] = c.peak;
      d[nb::str((name + "allocated").c_str())] = c.added;
      d[nb::str((name + "freed").c_str())] = c.removed;
    }
  }
  d["num_alloc_retries"] = m.retries;
  d["num_ooms"] = m.failures;
  return d;
}

void bind_devices(nb::module_& m) {
  m.def("device_count", [] {
    std::string why;
    const int count = cuda::device_count(&why);
    return nb::make_tuple(count, why);
  });
  m.def("facts", &facts_of);
  m.def("is_initialized", &cuda::is_initialized);
  m.def("current_device", &cuda::current_device);
  m.def("set_device", &cuda::set_current_device);
  m.def("can_access_peer", [](int device, int other) {
    int can = 0;
    CUDA_CALL(can_access_peer, &can, device, other);
    return can != 0;
  });
  m.def("synchronize", [](int device) {
    settle();
    on_device(device, [] {
      CUDA_CALL(synchronize);
      cuda::raise_met_errors();
    });
  });
}

void bind_memory(nb::module_& m) {
  m.def("memory", &memory_of);
  m.def("reset_peaks", [](int device) {
    settle();
    cuda::reset_peaks(device);
  });
  m.def("reset_totals", &cuda::reset_totals);
  m.def("empty_cache", [] {
    settle();
    cuda::empty_cache();
  });
  m.def("largest_lines", [](int device, size_t most) {
    settle();
    nb::list all;
    for (const cuda::LineTotal& l : cuda::largest_lines(device, most))
      all.append(nb::make_tuple(l.line, l.bytes, l.blocks));
    return all;
  });
  m.def("memory_fraction", &cuda::memory_fraction);
  m.def("allocate", [](size_t bytes, int device, Number stream) {
    struct Back {
      int device;
      cuda::Stream stream = cuda::stream_of_device(device);
      ~Back() { cuda::set_current_stream(device, stream); }
    } back{device};
    cuda::set_current_stream(device, stream_of(stream));
    return on_device(device, [&] { return number_of(cuda::allocate(bytes, device)); });
  });
  m.def("release", [](Number memory, int device) { cuda::release(reinterpret_cast<void*>(memory), device); });
  m.def("set_memory_fraction", [](double fraction, int device) { cuda::set_memory_fraction(device, fraction); });
  m.def("memory_info", [](int device) {
    return on_device(device, [] {
      size_t free = 0, total = 0;
      CUDA_CALL(memory_info, &free, &total);
      return nb::make_tuple(free, total);
    });
  });
}

// Bytes in pinned memory, as a tensor.
nb::object pinned_bytes(int64_t bytes) {
  void* const memory = cuda::allocate_pinned(static_cast<size_t>(bytes));
  PyObject* const owner = PyCapsule_New(memory, "chainrule.pinned", [](PyObject* capsule) {
    cuda::release_pinned(PyCapsule_GetPointer(capsule, "chainrule.pinned"));
  });
  if (!owner) cuda::release_pinned(memory);
  const Owned kept(checked(owner));
  DeviceScope here(Device::CPU);
  Storage* const storage = Storage::borrow(memory, bytes, owner);
  Tensor t = tensor_over(storage, Dims{bytes}, Dims{1}, 0, DType::UInt8);
  storage->release();
  return nb::steal(to_python(t));
}

// A tensor over memory of a GPU that another library's object owns.
nb::object tensor_at(nb::object owner, Number address, std::vector<int64_t> shape,
                     std::optional<std::vector<int64_t>> strides, nb::object dtype) {
  const DType t = to_dtype_value(dtype.ptr());
  const Dims sizes(shape), steps = strides ? Dims(*strides) : contiguous_strides(sizes);
  int64_t elements = count(sizes) ? 1 : 0;
  for (int i = 0; elements && i < sizes.size(); ++i) {
    if (steps[i] < 0) raise(PyExc_ValueError, "negative strides are not supported; copy the array first");
    elements += (sizes[i] - 1) * steps[i];
  }
  int device = cuda::current_device();
  if (address) CUDA_CALL(device_of_pointer, &device, kDeviceOfPointer, address);
  DeviceScope there(Device{DeviceKind::Cuda, static_cast<uint8_t>(device)});
  Storage* const storage =
      Storage::borrow(reinterpret_cast<void*>(address), elements * static_cast<int64_t>(size_of(t)), owner.ptr());
  Tensor made = tensor_over(storage, sizes, steps, 0, t);
  storage->release();
  return nb::steal(to_python(made));
}

void bind_pinned(nb::module_& m) {
  m.def("tensor_at", &tensor_at, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("pinned_bytes", &pinned_bytes);
  m.def("is_pinned", [](Number address) { return cuda::is_pinned(reinterpret_cast<const void*>(address)); });
}

void bind_streams(nb::module_& m) {
  m.def("create_stream", [](int device, int priority) {
    return on_device(device, [&] {
      cuda::Stream stream = nullptr;
      constexpr unsigned kNonBlocking = 1;
      CUDA_CALL(create_stream, &stream, kNonBlocking, priority);
      return number_of(stream);
    });
  });
  m.def("current_stream", [](int device) { return number_of(cuda::stream_of_device(device)); });
  m.def("set_stream", [](int device, Number stream) {
    settle();
    cuda::set_current_stream(device, stream_of(stream));
  });
  m.def("synchronize_stream", [](int device, Number stream) {
    settle();
    on_device(device, [&] {
      CUDA_CALL(synchronize_stream, stream_of(stream));
      cuda::raise_met_errors();
    });
  });
  m.def("priority_range", [] {
    int least = 0, greatest = 0;
    cuda::use_device(cuda::current_device());
    CUDA_CALL(priority_range, &least, &greatest);
    return nb::make_tuple(least, greatest);
  });
  m.def("record_stream", [](nb::object tensor, Number stream) {
    settle();
    const Storage* s = Tensor::borrow(tensor.ptr())->storage->origin();
    cuda::record_stream(s->data, s->device.index, stream_of(stream));
  });
  m.def("query_stream", [](Number stream) {
    settle();
    const int code = cuda::driver().query_stream(stream_of(stream));
    if (code != cuda::kNotReady) cuda::check_driver(code, "query_stream");
    return code == 0;
  });
}

void bind_events(nb::module_& m) {
  m.def("create_event", [](int device, unsigned flags) {
    return on_device(device, [&] {
      cuda::Event event = nullptr;
      CUDA_CALL(create_event, &event, flags);
      return number_of(event);
    });
  });
  m.def("destroy_event", [](Number event) { cuda::driver().destroy_event(event_of(event)); });
  m.def("record_event", [](Number event, int device, Number stream) {
    settle();
    on_device(device, [&] { CUDA_CALL(record_event, event_of(event), stream_of(stream)); });
  });
  m.def("wait_event", [](Number stream, Number event) {
    settle();
    CUDA_CALL(wait_event, stream_of(stream), event_of(event), 0);
  });
  m.def("query_event", [](Number event) {
    const int code = cuda::driver().query_event(event_of(event));
    if (code != cuda::kNotReady) cuda::check_driver(code, "query_event");
    return code == 0;
  });
  m.def("synchronize_event", [](Number event) {
    CUDA_CALL(synchronize_event, event_of(event));
    cuda::raise_met_errors();
  });
  m.def("elapsed", [](Number from, Number to) {
    float milliseconds = 0;
    CUDA_CALL(elapsed, &milliseconds, event_of(from), event_of(to));
    return milliseconds;
  });
}

void bind_compiler(nb::module_& m) {
  m.def("compiler_version", &cuda::compiler_version);
  m.def("compiler_counts", [] {
    const cuda::CompilerCounts c = cuda::compiler_counts();
    return nb::make_tuple(c.compiled, c.loaded, c.seconds);
  });
  m.def("program_around", [](const std::string& kernel) { return cuda::program_around(kernel); });
  m.def("compile", [](const std::string& program, int architecture) {
    const std::string code = cuda::compile(program, architecture);
    return nb::bytes(code.data(), code.size());
  });
  m.def("fallbacks", &cuda::fallback_counts);
  m.def("cudnn_version", &cuda::cudnn_version);
  m.def("set_cudnn",
        [](bool enabled, bool tf32, bool deterministic) { cuda::cudnn_flags = {enabled, tf32, deterministic}; });
  m.def("set_only_deterministic", [](bool on) { cuda::only_deterministic = on; });
  m.def("allow_tf32", [] { return cuda::blas_precision.tf32; });
  m.def("set_allow_tf32", [](bool on) { cuda::blas_precision.tf32 = on; });
}

using Sizes = std::vector<int64_t>;
using RandomPiece = std::tuple<int64_t, Sizes, Sizes>;

// The pieces in which a destination of random numbers is filled: offset, sizes, strides.
std::vector<RandomPiece> random_pieces(const Sizes& sizes, const Sizes& strides, int64_t item_bytes) {
  std::vector<RandomPiece> all;
  for (const cuda::Visited& v : cuda::counted_pieces(cuda::in_order_of_memory(sizes, strides), item_bytes))
    all.emplace_back(v.offset, Sizes(v.sizes.begin(), v.sizes.end()), Sizes(v.strides.begin(), v.strides.end()));
  return all;
}

}  // namespace

void bind_cuda(PyObject* module) {
  cuda::lines_of_blocks = {current_line, describe};
  nb::module_ m = nb::borrow<nb::module_>(module).def_submodule("_cuda");
  bind_devices(m);
  bind_memory(m);
  bind_pinned(m);
  bind_streams(m);
  bind_events(m);
  bind_compiler(m);
  m.def("random_pieces", &random_pieces);
}

}  // namespace chainrule
