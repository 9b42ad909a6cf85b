// What chainrule.cuda is written with: devices, memory, streams, events, the compiler of kernels. Streams and events
// are numbers here, and classes in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "backends/cuda/blas.hpp"
#include "backends/cuda/compiler.hpp"
#include "backends/cuda/cudnn.hpp"
#include "backends/cuda/determinism.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/errors.hpp"
#include "backends/cuda/fallback.hpp"
#include "backends/cuda/memory.hpp"
#include "backends/cuda/random_order.hpp"
#include "backends/cuda/texts.hpp"
#include "bindings/bindings.hpp"
#include "tensor/python_call.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

using Number = uintptr_t;

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

nb::dict memory_of(int device) {
  settle();
  const cuda::MemoryCounts m = cuda::memory_counts(device);
  nb::dict d;
  d["allocated"] = m.allocated;
  d["most_allocated"] = m.most_allocated;
  d["reserved"] = m.reserved;
  d["most_reserved"] = m.most_reserved;
  d["blocks"] = m.blocks;
  d["allocations"] = m.allocations;
  d["segments"] = m.segments;
  d["retries"] = m.retries;
  d["failures"] = m.failures;
  return d;
}

void bind_devices(nb::module_& m) {
  m.def("device_count", [] {
    std::string why;
    const int count = cuda::device_count(&why);
    return nb::make_tuple(count, why);
  });
  m.def("facts", &facts_of);
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
  m.def("reset_peaks", &cuda::reset_peaks);
  m.def("empty_cache", &cuda::empty_cache);
  m.def("set_memory_fraction", [](double fraction, int device) { cuda::set_memory_fraction(device, fraction); });
  m.def("memory_info", [](int device) {
    return on_device(device, [] {
      size_t free = 0, total = 0;
      CUDA_CALL(memory_info, &free, &total);
      return nb::make_tuple(free, total);
    });
  });
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

using Numbers = std::vector<int64_t>;
using RandomPiece = std::tuple<int64_t, Numbers, Numbers>;

// The pieces in which a destination of random numbers is filled: offset, sizes, strides.
std::vector<RandomPiece> random_pieces(const Numbers& sizes, const Numbers& strides, int64_t item_bytes) {
  std::vector<RandomPiece> all;
  for (const cuda::Visited& v : cuda::counted_pieces(cuda::in_order_of_memory(sizes, strides), item_bytes))
    all.emplace_back(v.offset, Numbers(v.sizes.begin(), v.sizes.end()), Numbers(v.strides.begin(), v.strides.end()));
  return all;
}

}  // namespace

void bind_cuda(PyObject* module) {
  nb::module_ m = nb::borrow<nb::module_>(module).def_submodule("_cuda");
  bind_devices(m);
  bind_memory(m);
  bind_streams(m);
  bind_events(m);
  bind_compiler(m);
  m.def("random_pieces", &random_pieces);
}

}  // namespace chainrule
