#include "backends/cuda/errors.hpp"

#include <array>
#include <string>

#include "tensor/error.hpp"
#include "tensor/python_call.hpp"

namespace chainrule::cuda {
namespace {

PyObject* class_of_torch(const char* name) {
  PyObject* module = from_python(PyImport_ImportModule("chainrule.cuda"));
  PyObject* found = module ? from_python(PyObject_GetAttrString(module, name)) : nullptr;
  Py_XDECREF(module);
  return checked(found);
}

}  // namespace

PyObject* accelerator_error() {
  static PyObject* const once = class_of_torch("AcceleratorError");
  return once;
}
PyObject* out_of_memory_error() {
  static PyObject* const once = class_of_torch("OutOfMemoryError");
  return once;
}

MetError* met_error() {
  static std::array<MetError*, 64> all{};
  MetError*& flag = all[static_cast<size_t>(current_device())];
  if (!flag) {
    void* memory = nullptr;
    constexpr unsigned kPortableAndMapped = 3;
    CUDA_CALL(allocate_host, &memory, sizeof(MetError), kPortableAndMapped);
    flag = new (memory) MetError{};
  }
  return flag;
}

void raise_met_errors() {
  MetError* flag = met_error();
  if (!flag->what) [[likely]]
    return;
  const auto what = static_cast<Met>(flag->what);
  const long long value = flag->value, limit = flag->limit;
  flag->what = 0;
  constexpr const char* kWhen =
      " A kernel met it on the GPU since the last call that waited for it (item(), cpu(), synchronize()).";
  if (what == Met::DivisionByZero)
    raise(PyExc_RuntimeError, "ZeroDivisionError\n  an integer was divided by zero.", kWhen);
  if (what == Met::BadParameter)
    raise(PyExc_RuntimeError, "random numbers were drawn with a probability outside of [0, 1], a negative rate, or a ",
          "parameter that is not a number.", kWhen);
  raise(PyExc_IndexError, "index ", value, " is out of bounds for dimension with size ", limit, "\n ", kWhen);
}

}  // namespace chainrule::cuda
