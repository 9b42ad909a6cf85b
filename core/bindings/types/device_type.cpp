#include "bindings/types/device_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/driver.hpp"
#include "backends/guarded/memory.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/devices.hpp"
#include "bindings/calls/documents.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/types/descriptors.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

// In PyTorch's order, which its message about an unknown one has too. The first is where tensors are.
constexpr std::array<const char*, 20> kKinds = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn", "opengl",       "opencl",
                                                "ideep",  "hip",  "ve",   "fpga", "maia",   "xla",          "lazy",
                                                "vulkan", "mps",  "meta", "hpu",  "mtia",   "privateuseone"};
constexpr int kCpu = 0, kCuda = 1, kMeta = 16, kGuarded = 20;  // the last is ours; see Note [The guarded device]

struct DeviceObject {
  PyObject_HEAD
  int kind;   // an index into kKinds
  int index;  // -1: none given
};
PyObject* the_devices[3];  // strong, by DeviceKind
std::vector<PyObject*> the_gpus;

const DeviceObject& device_of(PyObject* o) { return *reinterpret_cast<DeviceObject*>(o); }
const char* kind_text(int kind) { return kind == kGuarded ? "guarded" : kKinds[static_cast<size_t>(kind)]; }
const char* kind_text(PyObject* o) { return kind_text(device_of(o).kind); }

struct ParsedDevice {
  int kind, index;
};

int kind_of(std::string_view name, const char* text) {
  auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found != kKinds.end()) return static_cast<int>(found - kKinds.begin());
  if (name == "guarded" && guarded_device::available()) return kGuarded;
  const char after = text[name.size()];
  if (name.empty() || (after && after != ':')) raise(PyExc_RuntimeError, "Invalid device string: '", text, "'");
  std::string kinds;
  for (const char* kind : kKinds) kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
  raise(PyExc_RuntimeError, "Expected one of ", kinds, " device type at start of device string: ", text);
}

// "cuda" or "cuda:1".
ParsedDevice parse(const char* text) {
  check(*text, "Device string must not be empty");
  size_t letters = std::strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  ParsedDevice place{kind_of({text, letters}, text), -1};
  const char* rest = text + letters;
  if (!*rest) return place;
  const char* number = rest + 1;
  size_t digits = std::strspn(number, "0123456789");
  bool leading_zero = *number == '0' && digits > 1;
  check(*rest == ':' && digits && !number[digits] && !leading_zero, "Invalid device string: '", text, "'");
  check(digits < 4, "Could not parse device index '", number, "' in device string '", text, "'");
  place.index = std::atoi(number);
  return place;
}

PyObject* make_device(ParsedDevice place) {
  auto* device = reinterpret_cast<DeviceObject*>(checked(DeviceType.tp_alloc(&DeviceType, 0)));
  device->kind = place.kind;
  device->index = place.index;
  return reinterpret_cast<PyObject*>(device);
}

// A device that is named by its number alone is a GPU.
ParsedDevice numbered(int64_t index) {
  if (cuda::device_count() > 0) return {kCuda, static_cast<int>(index)};

  raise(PyExc_RuntimeError, "Cannot access accelerator device when none is available. A device number names one; ",
        "chainrule runs on the CPU: leave it out, or say device='cpu'.");
}

// The current GPU, or the one of that number. Where there is none, the words are those of a PyTorch without CUDA.
Device gpu(int index) {
  std::string why;
  const int count = cuda::device_count(&why);
  if (!count) raise(PyExc_AssertionError, "Torch not compiled with CUDA enabled: chainrule runs on the CPU");
  if (index < 0) index = cuda::current_device();
  if (index >= count) {
    raise(PyExc_RuntimeError, "CUDA error: invalid device ordinal\n  cuda:", index, " was asked for; there ",
          count == 1 ? "is one GPU, cuda:0" : "are cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return {DeviceKind::Cuda, static_cast<uint8_t>(index)};
}

// The classes are PyTorch's; its words, where they are of any use.
[[noreturn]] void raise_elsewhere(std::string kind) {
  if (kind == "meta") {
    raise(PyExc_NotImplementedError, "a tensor without elements (device 'meta') is of no use here: ",
          "make it on the CPU, and let empty() leave it unset");
  }
  bool named = kind == "cuda" || kind == "xpu" || kind == "mtia";
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::toupper(c); });
  if (named) raise(PyExc_AssertionError, "Torch not compiled with ", kind, " enabled: chainrule runs on the CPU");
  raise(PyExc_NotImplementedError, "Could not run with the '", kind, "' backend: chainrule runs on the CPU");
}

// device(device), device("cpu:1")
PyObject* device_from(PyObject* what) {
  if (is_device(what)) return Py_NewRef(what);
  if (PyUnicode_Check(what)) return make_device(parse(checked(PyUnicode_AsUTF8(what))));
  check(to_int(what) >= 0, "Device index must not be negative");
  return make_device(numbered(to_int(what)));
}

// device("cpu", 1)
PyObject* device_at(const std::string& type, std::optional<int64_t> index) {
  ParsedDevice place = parse(type.c_str());
  if (!index) return make_device(place);
  check(place.index < 0, "type (string) must not include an index because index was passed explicitly: ", type);
  check(*index >= 0, "Device index must not be negative");
  check(*index < 1000, "Could not parse device index '", *index, "'");
  return make_device({place.kind, static_cast<int>(*index)});
}

PyObject* device_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  static const Callable constructor = [] {
    Callable c;
    c.name = "device";
    c.overloads.push_back(make_overload("device(device device) -> device", untyped(device_from)));
    c.overloads.push_back(make_overload("device(str type, int? index=None) -> device", untyped(device_at)));
    return c;
  }();
  return guarded([&] { return call(self, constructor, args, PyVectorcall_NARGS(nargsf), keywords); });
}

PyObject* device_repr(PyObject* self) {
  int index = device_of(self).index;
  if (index < 0) return PyUnicode_FromFormat("device(type='%s')", kind_text(self));
  return PyUnicode_FromFormat("device(type='%s', index=%d)", kind_text(self), index);
}
PyObject* device_str(PyObject* self) {
  int index = device_of(self).index;
  if (index < 0) return PyUnicode_FromString(kind_text(self));
  return PyUnicode_FromFormat("%s:%d", kind_text(self), index);
}
PyObject* get_type(PyObject* self, void*) { return PyUnicode_FromString(kind_text(self)); }
PyObject* get_index(PyObject* self, void*) {
  int index = device_of(self).index;
  return index < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(index);
}
PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != &DeviceType || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  bool equal = device_of(a).kind == device_of(b).kind && device_of(a).index == device_of(b).index;
  return PyBool_FromLong(equal == (op == Py_EQ));
}
Py_hash_t device_hash(PyObject* self) { return 7919 + 1009 * device_of(self).kind + device_of(self).index; }
PyObject* device_reduce(PyObject* self, PyObject*) {
  PyObject* text = device_str(self);
  return Py_BuildValue("(O(N))", &DeviceType, text);
}

// `with device("meta"):` makes it the default, and `with device("cpu"):` inside of that is the CPU again.
thread_local std::vector<Device> defaults_outside;

PyObject* device_enter(PyObject* self, PyObject*) {
  return guarded([&] {
    const Device device = device_value(self);
    defaults_outside.push_back(default_device());
    set_default_device(device);
    return Py_NewRef(self);
  });
}
PyObject* device_exit(PyObject*, PyObject*) {
  return guarded([&] {
    check(!defaults_outside.empty(), "device.__exit__() without __enter__()");
    set_default_device(defaults_outside.back());
    defaults_outside.pop_back();
    return Py_NewRef(Py_None);
  });
}

PyGetSetDef getset[] = {{"type", get_type, nullptr, "The kind of device: \"cpu\".", nullptr},
                        {"index", get_index, nullptr, "The number of the device, or None.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                         {"__enter__", device_enter, METH_NOARGS, nullptr},
                         {"__exit__", device_exit, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyObject* check_from_python(PyObject*, PyObject* device) {
  return guarded([&] {
    check_device(device);
    return Py_NewRef(Py_None);
  });
}
PyMethodDef functions[] = {
    {"check_device", check_from_python, METH_O, "Raises unless tensors can be there: on the CPU, or None."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject DeviceType = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool is_device(PyObject* o) { return Py_TYPE(o) == &DeviceType; }
PyObject* device_object(Device d) {
  if (d.kind != DeviceKind::Cuda) return the_devices[static_cast<int>(d.kind)];
  for (int i = static_cast<int>(the_gpus.size()); i <= d.index; ++i) the_gpus.push_back(make_device({kCuda, i}));
  return the_gpus[d.index];
}

Device device_value(PyObject* o) {
  if (o == Py_None || o == the_devices[0]) return Device::CPU;
  const ParsedDevice place = is_device(o)         ? ParsedDevice{device_of(o).kind, device_of(o).index}
                             : PyUnicode_Check(o) ? parse(checked(PyUnicode_AsUTF8(o)))
                                                  : numbered(to_int(o));
  if (place.kind == kCpu) return Device::CPU;
  if (place.kind == kMeta) return Device::Meta;
  if (place.kind == kCuda) return gpu(place.index);
  if (place.kind != kGuarded) raise_elsewhere(kKinds[static_cast<size_t>(place.kind)]);
  check(place.index <= 0, "guarded error: invalid device ordinal: there is one device, guarded:0, but got ",
        place.index);
  return {DeviceKind::Guarded, 0};
}

void check_device(PyObject* o) {
  if (device_value(o) == Device::Meta) raise_elsewhere("meta");
}

void add_device(PyObject* module) {
  DeviceType.tp_name = "chainrule.device";
  DeviceType.tp_basicsize = sizeof(DeviceObject);
  DeviceType.tp_flags = Py_TPFLAGS_DEFAULT;
  DeviceType.tp_vectorcall = device_call;
  DeviceType.tp_repr = device_repr;
  DeviceType.tp_str = device_str;
  DeviceType.tp_richcompare = device_compare;
  DeviceType.tp_hash = device_hash;
  DeviceType.tp_getset = getset;
  DeviceType.tp_methods = methods;
  DeviceType.tp_doc = documents::kDevice;
  checked(PyType_Ready(&DeviceType));
  check(!PyModule_AddFunctions(module, functions), "the functions of devices could not be added");
  the_devices[static_cast<int>(DeviceKind::CPU)] = make_device({kCpu, -1});
  the_devices[static_cast<int>(DeviceKind::Meta)] = make_device({kMeta, -1});
  the_devices[static_cast<int>(DeviceKind::Guarded)] = make_device({kGuarded, 0});
  checked(PyModule_AddObjectRef(module, "device", reinterpret_cast<PyObject*>(&DeviceType)));
}

}  // namespace chainrule
