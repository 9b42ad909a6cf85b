// Random tensors and generators, bound.
#include <nanobind/nanobind.h>

#include "autograd/leaf.hpp"
#include "bindings/bindings.hpp"
#include "bindings/callable.hpp"
#include "ops/random.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

using MaybeDType = std::optional<DType>;

#define CR_RANDOM_OPTIONS                                                                                      \
  "Generator? generator=None, Tensor? out=None, dtype? dtype=None, layout? layout=None, device? device=None, " \
  "bool? pin_memory=False, bool? requires_grad=False"
#define CR_RANDOM_LIKE_OPTIONS                                                                                       \
  "Generator? generator=None, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, " \
  "bool? requires_grad=False, memory_format? memory_format=None"

Tensor finished(Tensor t, PyObject* device, bool tracked) {
  check_device(device);
  if (tracked) set_requires_grad(t, true);
  return t;
}

template <auto fill>
Tensor make_random(const Dims& size, Generator* g, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked) {
  return finished(fill(empty(size, dtype.value_or(default_dtype())), 0, 1, g), device, tracked);
}
template <auto fill>
Tensor random_like(const Tensor& like, Generator* g, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked,
                   std::optional<MemoryFormat> format) {
  Dims strides = strides_like(like, format.value_or(MemoryFormat::Preserve));
  Tensor t = empty_strided(like.sizes(), strides, dtype.value_or(like.dtype()));
  return finished(fill(t, 0, 1, g), device, tracked);
}

Tensor make_randint(int64_t low, int64_t high, const Dims& size, Generator* g, MaybeDType dtype, PyObject*,
                    PyObject* device, bool, bool tracked) {
  return finished(random_range_(empty(size, dtype.value_or(DType::Int64)), low, high, g), device, tracked);
}
Tensor make_randint_to(int64_t high, const Dims& size, Generator* g, MaybeDType dtype, PyObject* layout,
                       PyObject* device, bool pin, bool tracked) {
  return make_randint(0, high, size, g, dtype, layout, device, pin, tracked);
}
Tensor make_randperm(int64_t n, Generator* g, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked) {
  return finished(randperm(n, dtype.value_or(DType::Int64), g), device, tracked);
}

uint64_t seed_value(nb::handle seed) {
  PyObject* number = checked(PyNumber_Index(seed.ptr()));
  int overflow;
  int64_t v = PyLong_AsLongLongAndOverflow(number, &overflow);
  auto unsigned_value = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : static_cast<uint64_t>(v);
  Py_DECREF(number);
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_ValueError, "Overflow when unpacking long long");
  }
  return unsigned_value;
}

nb::object state_of(const Generator& g) {
  Tensor t = empty(Dims{static_cast<int64_t>(Generator::kStateBytes)}, DType::UInt8);
  g.get_state(t.data<uint8_t>());
  return nb::steal(to_python(t));
}

void set_state_of(Generator& g, nb::handle state) {
  if (!is_tensor(state.ptr()))
    raise(PyExc_TypeError, "expected a torch.ByteTensor, but got ", Py_TYPE(state.ptr())->tp_name);
  Tensor t = Tensor::borrow(state.ptr());
  if (t.dtype() != DType::UInt8 || !t.is_contiguous()) raise(PyExc_TypeError, "RNG state must be a torch.ByteTensor");
  g.set_state(t.data<uint8_t>(), static_cast<size_t>(t.numel()));
}

}  // namespace

void bind_random() {
  define("rand(int[*] size, *, " CR_RANDOM_OPTIONS ")", kFunction, make_random<uniform_>);
  define("randn(int[*] size, *, " CR_RANDOM_OPTIONS ")", kFunction, make_random<normal_>);
  define("rand_like(Tensor input, *, " CR_RANDOM_LIKE_OPTIONS ")", kFunction, random_like<uniform_>);
  define("randn_like(Tensor input, *, " CR_RANDOM_LIKE_OPTIONS ")", kFunction, random_like<normal_>);
  define("randint(int high, int[] size, *, " CR_RANDOM_OPTIONS ")", kFunction, make_randint_to);
  define("randint(int low, int high, int[] size, *, " CR_RANDOM_OPTIONS ")", kFunction, make_randint);
  define("randperm(int n, *, " CR_RANDOM_OPTIONS ")", kFunction, make_randperm);
  define("uniform_(Tensor input, float from=0, float to=1, *, Generator? generator=None)", kMethod, uniform_);
  define("normal_(Tensor input, float mean=0, float std=1, *, Generator? generator=None)", kMethod, normal_);
}

void bind_generator(PyObject* module) {
  auto m = nb::borrow<nb::module_>(module);
  nb::class_<Generator>(m, "Generator")
      .def(
          "__init__",
          [](Generator* self, nb::object device) {
            check_device(device.ptr());
            new (self) Generator();
          },
          nb::arg("device") = nb::none())
      .def(
          "manual_seed",
          [](nb::handle_t<Generator> self, nb::object seed) {
            nb::cast<Generator&>(self).manual_seed(seed_value(seed));
            return nb::borrow(self);
          },
          nb::arg("seed"))
      .def("seed", &Generator::seed)
      .def("initial_seed", &Generator::initial_seed)
      .def("get_state", [](const Generator& g) { return state_of(g); })
      .def("set_state",
           [](nb::handle_t<Generator> self, nb::object state) {
             set_state_of(nb::cast<Generator&>(self), state);
             return nb::borrow(self);
           })
      .def_prop_ro("device", [](const Generator&) { return nb::steal(device_object()); });
  m.attr("default_generator") = nb::cast(&default_generator(), nb::rv_policy::reference);
}

}  // namespace chainrule
