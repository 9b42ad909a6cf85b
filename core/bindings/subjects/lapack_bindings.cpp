// LAPACK's routines as Python calls them: _core.lapack("dgetrf", batch, m, n, a, m, pivots, info).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <climits>

#include "backends/lapack.hpp"
#include "bindings/bindings.hpp"
#include "bindings/calls/conversions.hpp"
#include "bindings/calls/errors.hpp"
#include "bindings/calls/unresolved.hpp"
#include "ops/views/memory_format.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

// The arguments of a call, with the integers and characters that their addresses point to.
class Arguments {
 public:
  explicit Arguments(lapack::Call& call) : call_(call) {}

  void add(nb::handle value) {
    check(call_.arguments.size() < lapack::kMaxArguments, "lapack: too many arguments");
    PyObject* o = value.ptr();
    if (PyList_Check(o) && PyList_GET_SIZE(o) == 1)
      add_tensor(PyList_GET_ITEM(o, 0), true);
    else if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) == 2)
      add_room(to_dtype_value(PyTuple_GET_ITEM(o, 0)), PyTuple_GET_ITEM(o, 1) == Py_True);
    else if (PyUnicode_Check(o))
      add_character(o);
    else if (PyLong_Check(o))
      add_integer(to_int(o));
    else
      add_tensor(o, false);
  }

 private:
  void add_tensor(PyObject* value, bool shared) {
    if (!is_tensor(value)) raise(PyExc_TypeError, "lapack: expected a tensor, not ", Py_TYPE(value)->tp_name);
    Tensor t = resolved_argument(value);  // a conjugate is only read
    if (t.py() != value) held_.push_back(t);
    check(t.numel() == 0 || is_dense(t.sizes(), t.strides()), "lapack: a tensor has gaps");
    check(shared || call_.batch == 0 || t.numel() % call_.batch == 0, "lapack: ", t.numel(), " elements for ",
          call_.batch, " matrices");
    int64_t step = shared || call_.batch == 0 ? 0 : t.numel() / call_.batch * static_cast<int64_t>(size_of(t.dtype()));
    call_.arguments.push_back({t.data<char>(), step});
  }
  void add_character(PyObject* text) {
    check(PyUnicode_GET_LENGTH(text) == 1, "lapack: expected one character");
    char& held = characters_[call_.arguments.size()];
    held = static_cast<char>(PyUnicode_READ_CHAR(text, 0));
    call_.arguments.push_back({&held, 0});
    ++call_.strings;
  }
  int* add_integer(int64_t value) {
    check(value <= INT_MAX && value >= INT_MIN, "lapack: ", value, " is too large a size for LAPACK's 32 bits");
    int& held = integers_[call_.arguments.size()];
    held = static_cast<int>(value);
    call_.arguments.push_back({reinterpret_cast<char*>(&held), 0});
    return &held;
  }
  void add_room(DType kind, bool counted) {
    size_t place = call_.arguments.size();
    call_.arguments.push_back({nullptr, 0});
    check(call_.arguments.size() < lapack::kMaxArguments, "lapack: too many arguments");
    call_.workspaces.push_back({place, kind, counted ? add_integer(-1) : nullptr});
  }

  std::vector<Tensor> held_;
  lapack::Call& call_;
  std::array<int, lapack::kMaxArguments> integers_;  // by place
  std::array<char, lapack::kMaxArguments> characters_;
};

char letter_of(DType t) {
  switch (t) {
    case DType::Float32:
      return 's';
    case DType::Float64:
      return 'd';
    case DType::Complex64:
      return 'c';
    case DType::Complex128:
      return 'z';
    default:
      raise(PyExc_TypeError, "lapack: no routines for ", facts(t).name);
  }
}

// Integers and one-letter strings are passed as they are. A tensor holds one matrix or vector for each matrix of `a`,
// column-major, and is overwritten where the routine writes; in a list, [work], it is shared by all of them. A pair
// (dtype, counted) is room that the routine asks for, and if it is counted the length follows as an argument.
void call_lapack(const std::string& routine, nb::handle matrices, nb::args values) {
  if (!is_tensor(matrices.ptr())) raise(PyExc_TypeError, "lapack: expected a tensor of matrices");
  Tensor a = given_tensor(matrices.ptr());
  check(a.ndim() >= 2, "lapack: expected matrices");
  lapack::Call call{letter_of(a.dtype()) + routine, count(a.sizes().first(a.sizes().size() - 2)),
                    a.size(a.ndim() - 1) * a.size(a.ndim() - 2)};
  settle();
  Arguments arguments(call);
  for (nb::handle value : values) arguments.add(value);
  backend().lapack->run(call);
  settle();  // other threads had Python's lock meanwhile
}

PyObject* copy_to_columns(PyObject*, PyObject* a) {
  return guarded([&] {
    if (!is_tensor(a)) raise(PyExc_TypeError, "lapack: expected a tensor of matrices");
    Tensor t = Tensor::borrow(a);
    check(t.ndim() >= 2, "lapack: expected matrices");
    return copy_column_major(t).release_py();
  });
}

PyMethodDef lapack_functions[] = {{"lapack_columns", copy_to_columns, METH_O, "A copy with column-major matrices."},
                                  {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_lapack(PyObject* module) {
  auto m = nb::borrow<nb::module_>(module);
  m.def("lapack_is_open", [] {
    bool open = true;  // on meta nothing runs, and nothing has to be opened
    backend().lapack->is_open(&open);
    return open;
  });
  m.def("open_lapack",
        [](const std::string& path, const std::string& prefix) { backend().lapack->open(path, prefix); });
  m.def("lapack", &call_lapack);
  checked(PyModule_AddFunctions(module, lapack_functions));
}

}  // namespace chainrule
