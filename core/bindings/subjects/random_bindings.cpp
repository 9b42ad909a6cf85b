// Random tensors and generators, bound.
#include <nanobind/nanobind.h>

#include "autograd/inplace.hpp"
#include "autograd/leaf.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/callable.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/documents.hpp"
#include "ops/create/random.hpp"

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

Tensor finished_random(Tensor t, PyObject* device, bool tracked) {
  check_device(device);
  if (tracked) set_requires_grad(t, true);
  return t;
}

// What is filled: a fresh tensor, or `out`, whose dtype decides unless one is given that contradicts it.
void check_out(const Tensor& out, MaybeDType dtype) {
  if (dtype && *dtype != out.dtype()) {
    raise(PyExc_RuntimeError, "dtype ", facts(*dtype).tensor_name, " does not match dtype of out parameter (",
          facts(out.dtype()).tensor_name, ")");
  }
  check_out_unrecorded("aten::rand", {&out});
}
Tensor destination(const Dims& size, const Tensor& out, MaybeDType dtype, DType otherwise) {
  if (!out) return empty(size, dtype.value_or(otherwise));
  check_out(out, dtype);
  if (!equal(out.sizes(), size)) resize(out, size);
  return out;
}
Tensor unfilled_random(const Tensor& like, MaybeDType dtype, std::optional<MemoryFormat> format) {
  Dims strides = strides_like(like, format.value_or(MemoryFormat::Preserve));
  return empty_strided(like.sizes(), strides, dtype.value_or(like.dtype()));
}

// A tensor that was made to be filled has not been written into.
Tensor never_written(Tensor t, const Tensor& out = Tensor()) {
  if (!out) t->storage->version = 0;
  return t;
}

template <auto fill>
Tensor make_random(const Dims& size, Generator* g, const Tensor& out, MaybeDType dtype, PyObject*, PyObject* device,
                   bool, bool tracked) {
  return finished_random(never_written(fill(destination(size, out, dtype, default_dtype()), 0, 1, g), out), device,
                         tracked);
}
template <auto fill>
Tensor random_like(const Tensor& like, Generator* g, MaybeDType dtype, PyObject*, PyObject* device, bool, bool tracked,
                   std::optional<MemoryFormat> format) {
  return finished_random(never_written(fill(unfilled_random(like, dtype, format), 0, 1, g)), device, tracked);
}

Tensor make_randint(int64_t low, int64_t high, const Dims& size, Generator* g, const Tensor& out, MaybeDType dtype,
                    PyObject*, PyObject* device, bool, bool tracked) {
  Tensor made = random_between_(destination(size, out, dtype, DType::Int64), low, high, g);
  return finished_random(never_written(made, out), device, tracked);
}
Tensor make_randint_to(int64_t high, const Dims& size, Generator* g, const Tensor& out, MaybeDType dtype,
                       PyObject* layout, PyObject* device, bool pin, bool tracked) {
  return make_randint(0, high, size, g, out, dtype, layout, device, pin, tracked);
}
Tensor randint_like(const Tensor& like, int64_t low, int64_t high, Generator* g, MaybeDType dtype, PyObject*,
                    PyObject* device, bool, bool tracked, std::optional<MemoryFormat> format) {
  return finished_random(random_between_(unfilled_random(like, dtype, format), low, high, g), device, tracked);
}
Tensor randint_like_to(const Tensor& like, int64_t high, Generator* g, MaybeDType dtype, PyObject* layout,
                       PyObject* device, bool pin, bool tracked, std::optional<MemoryFormat> format) {
  return randint_like(like, 0, high, g, dtype, layout, device, pin, tracked, format);
}
Tensor randint_like_tensor(const Tensor& like, const Tensor& high, Generator* g, MaybeDType dtype, PyObject* layout,
                           PyObject* device, bool pin, bool tracked, std::optional<MemoryFormat> format) {
  if (high.ndim() != 0)
    raise(PyExc_RuntimeError, "high must be a scalar tensor and on CPU, not one of shape ", high.sizes());
  return randint_like(like, 0, to_int(high.py()), g, dtype, layout, device, pin, tracked, format);
}

Tensor make_randperm(int64_t n, Generator* g, const Tensor& out, MaybeDType dtype, PyObject*, PyObject* device, bool,
                     bool tracked) {
  if (out) check_out(out, dtype);
  return finished_random(randperm(n, dtype.value_or(DType::Int64), g, out), device, tracked);
}
Tensor make_normal(double mean, double std, const Dims& size, Generator* g, const Tensor& out, MaybeDType dtype,
                   PyObject*, PyObject* device, bool, bool tracked) {
  return finished_random(never_written(normal_(destination(size, out, dtype, default_dtype()), mean, std, g), out),
                         device, tracked);
}

uint64_t seed_value(nb::handle seed) {
  if (!PyLong_Check(seed.ptr()) || PyBool_Check(seed.ptr()))
    raise(PyExc_RuntimeError, "manual_seed expected a long, but got ", Py_TYPE(seed.ptr())->tp_name);
  PyObject* number = from_python(PyNumber_Index(seed.ptr()));
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
  DeviceScope host(Device::CPU);
  Tensor t = empty(Dims{static_cast<int64_t>(g.state_bytes())}, DType::UInt8);
  g.get_state(t.data<uint8_t>());
  return nb::steal(to_python(t));
}

void set_state_of(Generator& g, nb::handle state) {
  if (!is_tensor(state.ptr()))
    raise(PyExc_TypeError, "expected a torch.ByteTensor, but got ", Py_TYPE(state.ptr())->tp_name);
  Tensor t = given_tensor(state.ptr());
  if (t.dtype() != DType::UInt8 || !t.is_contiguous() || t->storage->device != Device::CPU)
    raise(PyExc_TypeError, "RNG state must be a torch.ByteTensor");
  g.set_state(t.data<uint8_t>(), static_cast<size_t>(t.numel()));
}

void refuse_offset(const Generator& g) {
  if (g.device() == Device::CPU) raise(PyExc_RuntimeError, "CPU Generator does not use offset");
}
uint64_t offset_of(Generator& g) {
  refuse_offset(g);
  return g.philox().offset();
}
void set_offset_of(Generator& g, uint64_t offset) {
  refuse_offset(g);
  g.philox().set_offset(offset);
}

Device device_of_generator(nb::handle device) {
  check_device(device.ptr());
  const Device d = device_value(device.ptr());
  return d.kind == DeviceKind::Cuda ? d : Device::CPU;
}

#define CR_GENERATOR "*, Generator? generator=None)"

void bind_fills() {
  define("uniform_(Tensor input, float from=0, float to=1, " CR_GENERATOR, kMethod, uniform_);
  define("normal_(Tensor input, float mean=0, float std=1, " CR_GENERATOR, kMethod, normal_);
  define("log_normal_(Tensor input, float mean=1, float std=2, " CR_GENERATOR, kMethod, log_normal_);
  define("cauchy_(Tensor input, float median=0, float sigma=1, " CR_GENERATOR, kMethod, cauchy_);
  define("exponential_(Tensor input, float lambd=1, " CR_GENERATOR, kMethod, exponential_);
  define("geometric_(Tensor input, float p, " CR_GENERATOR, kMethod, geometric_);
  define("bernoulli_(Tensor input, Tensor p, " CR_GENERATOR, kMethod, bernoulli_each_);
  define("bernoulli_(Tensor input, float p=0.5, " CR_GENERATOR, kMethod, bernoulli_);
  define("random_(Tensor input, " CR_GENERATOR, kMethod, random_);
  define("random_(Tensor input, int from, int? to, " CR_GENERATOR, kMethod, random_between_);
  define("random_(Tensor input, int to, " CR_GENERATOR, kMethod, random_to_);
}

#define CR_OUT "*, Generator? generator=None, Tensor? out=None)"

void bind_samples() {
  define("bernoulli(Tensor input, " CR_OUT, kFunction, bernoulli);
  define("bernoulli(Tensor input, " CR_GENERATOR, kMethod,
         [](const Tensor& p, Generator* g) { return bernoulli(p, g, Tensor()); });
  define("bernoulli(Tensor input, float p, " CR_GENERATOR, kBoth, bernoulli_like);
  define("normal(Tensor mean, Tensor std, " CR_OUT, kFunction, normal_each);
  define("normal(Tensor mean, float std=1, " CR_OUT, kFunction, normal_around);
  define("normal(float mean, Tensor std, " CR_OUT, kFunction, normal_spread);
  define("normal(float mean, float std, int[] size, *, " CR_RANDOM_OPTIONS ")", kFunction, make_normal);
  define("poisson(Tensor input, Generator? generator=None)", kFunction, poisson);
  define("binomial(Tensor count, Tensor prob, Generator? generator=None)", kFunction, binomial);
  define("_draw_gamma(Tensor alpha, Generator? generator=None)", kFunction, standard_gamma);
  define("_draw_dirichlet(Tensor alpha, Generator? generator=None)", kFunction, dirichlet);
  define("multinomial(Tensor input, int num_samples, bool replacement=False, " CR_OUT, kFunction, multinomial);
  define("multinomial(Tensor input, int num_samples, bool replacement=False, " CR_GENERATOR, kMethod,
         [](const Tensor& weights, int64_t samples, bool replacement, Generator* g) {
           return multinomial(weights, samples, replacement, g, Tensor());
         });
}

void bind_dropout() {
  define("dropout(Tensor input, float p, bool train)", kFunction, dropout);
  define("dropout_(Tensor input, float p, bool train)", kFunction, dropout_);
  define("feature_dropout(Tensor input, float p, bool train)", kFunction, feature_dropout);
  define("feature_dropout_(Tensor input, float p, bool train)", kFunction, feature_dropout_);
  define("alpha_dropout(Tensor input, float p, bool train)", kFunction, alpha_dropout);
  define("alpha_dropout_(Tensor input, float p, bool train)", kFunction, alpha_dropout_);
  define("feature_alpha_dropout(Tensor input, float p, bool train)", kFunction, feature_alpha_dropout);
  define("feature_alpha_dropout_(Tensor input, float p, bool train)", kFunction, feature_alpha_dropout_);
  define("native_dropout(Tensor input, float p, bool? train) -> Tensor[]", kFunction, native_dropout);
#define CR_RRELU "float lower=0.125, float upper=0.3333333333333333, bool training=False, Generator? generator=None)"
  define("rrelu(Tensor input, " CR_RRELU, kFunction, rrelu);
  define("rrelu_(Tensor input, " CR_RRELU, kFunction, rrelu_);
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
  define("randint_like(Tensor input, Tensor high, *, " CR_RANDOM_LIKE_OPTIONS ")", kFunction, randint_like_tensor);
  define("randint_like(Tensor input, int high, *, " CR_RANDOM_LIKE_OPTIONS ")", kFunction, randint_like_to);
  define("randint_like(Tensor input, int low, int high, *, " CR_RANDOM_LIKE_OPTIONS ")", kFunction, randint_like);
  bind_fills();
  bind_samples();
  bind_dropout();
}

void bind_generator(PyObject* module) {
  auto m = nb::borrow<nb::module_>(module);
  nb::class_<Generator>(m, "Generator", documents::kGenerator)
      .def(
          "__init__", [](Generator* self, nb::object device) { new (self) Generator(device_of_generator(device)); },
          nb::arg("device") = nb::none())
      .def(
          "manual_seed",
          [](nb::handle_t<Generator> self, nb::object seed) {
            nb::cast<Generator&>(self).manual_seed(seed_value(seed));
            return nb::borrow(self);
          },
          nb::arg("seed").none(), documents::kManualSeed)
      .def("seed", &Generator::seed, documents::kSeed)
      .def("initial_seed", &Generator::initial_seed, documents::kInitialSeed)
      .def(
          "get_state", [](const Generator& g) { return state_of(g); }, documents::kGetState)
      .def(
          "set_state",
          [](nb::handle_t<Generator> self, nb::object state) {
            set_state_of(nb::cast<Generator&>(self), state);
            return nb::borrow(self);
          },
          nb::arg("new_state").none(), documents::kSetState)
      .def(
          "clone_state", [](const Generator& g) { return Generator(g); }, documents::kCloneState)
      .def("__reduce__",
           [](const Generator& g) {
             nb::object restore = nb::module_::import_("chainrule.random").attr("restored_generator");
             return nb::make_tuple(restore, nb::make_tuple(state_of(g), nb::borrow(device_object(g.device()))));
           })
      .def("get_offset", &offset_of, documents::kGetOffset)
      .def("set_offset", &set_offset_of, nb::arg("offset"), documents::kSetOffset)
      .def_prop_ro(
          "device", [](const Generator& g) { return nb::borrow(device_object(g.device())); },
          documents::kGeneratorDevice);
  m.attr("default_generator") = nb::cast(&default_generator(Device::CPU), nb::rv_policy::reference);
  m.def(
      "_gpu_generator", [](int index) { return &default_generator({DeviceKind::Cuda, static_cast<uint8_t>(index)}); },
      nb::rv_policy::reference);
  m.def("_seed_all_gpus", [](nb::object seed) { seed_all_gpus(seed_value(seed)); });
}

}  // namespace chainrule
