// Where the elements of a tensor are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace chainrule {

enum class DeviceKind : uint8_t {
  CPU,
  Meta,     // see Note [Meta tensors]
  Guarded,  // see Note [The guarded device]
  Cuda,
};

const char* kind_name(DeviceKind kind);

struct Device {
  DeviceKind kind = DeviceKind::CPU;
  uint8_t index = 0;

  bool operator==(const Device&) const = default;
  std::string name() const;  // "cpu", "meta", "guarded:0", "cuda:1"

  static const Device CPU, Meta;
};
inline constexpr Device Device::CPU{DeviceKind::CPU}, Device::Meta{DeviceKind::Meta};

// Whether elements there have addresses that the host can read and write.
inline bool is_host_memory(Device d) { return d.kind != DeviceKind::Cuda; }
namespace cuda {
void read(void* to, const void* from, size_t bytes);  // from a GPU's memory, when it has done what it is to do
void write(void* to, const void* from, size_t bytes);
}  // namespace cuda

extern int64_t storages_elsewhere;  // how many are alive that are not on the CPU
bool works_on_meta();               // whether this thread makes tensors there

namespace guarded_device {
void open();  // may be nested
void close();
void end_of_call(const char* name);
}  // namespace guarded_device

// A step that is being recorded is told, too; see Note [Recorded steps].
void open_elements();

// While one lives, elements may be touched: a backend works, or one value is read. See Note [The guarded device].
class ElementScope {
 public:
  ElementScope() : opened_(storages_elsewhere > 0) {
    if (opened_) [[unlikely]]
      open_elements();
  }
  ~ElementScope() {
    if (opened_) [[unlikely]]
      guarded_device::close();
  }
  ElementScope(const ElementScope&) = delete;

 private:
  bool opened_;
};

// A call on a device, by its name. If it touches elements outside of an ElementScope, the name is noted when it ends,
// also by an exception.
class CallScope {
 public:
  explicit CallScope(std::string name) : name_(std::move(name)) {}
  ~CallScope() { guarded_device::end_of_call(name_.c_str()); }
  CallScope(const CallScope&) = delete;

 private:
  std::string name_;
};

}  // namespace chainrule
