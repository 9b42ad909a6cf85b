// LAPACK's routines as Python calls them: _core.lapack("dgetrf", batch, m, n, a, m, pivots, info).
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <climits>
#include <deque>

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "ops/lapack.hpp"

namespace nb = nanobind;

namespace chainrule {
namespace {

// The arguments of a call, with the integers and characters that their addresses point to.
class Arguments {
 public:
  explicit Arguments(int64_t batch) : batch_(batch) {}

  void add(nb::handle value) {
    if (PyList_Check(value.ptr()) && PyList_GET_SIZE(value.ptr()) == 1)
      add_tensor(PyList_GET_ITEM(value.ptr(), 0), true);
    else if (PyUnicode_Check(value.ptr()))
      add_character(nb::cast<std::string>(value));
    else if (PyLong_Check(value.ptr()))
      add_integer(to_int(value.ptr()));
    else
      add_tensor(value.ptr(), false);
  }

  std::vector<lapack::Argument> list;
  int strings = 0;

 private:
  void add_tensor(PyObject* value, bool shared) {
    if (!is_tensor(value)) raise(PyExc_TypeError, "lapack: expected a tensor, not ", Py_TYPE(value)->tp_name);
    Tensor t = Tensor::borrow(value);
    check(t.numel() == 0 || is_dense(t.sizes(), t.strides()), "lapack: a tensor has gaps");
    check(shared || batch_ == 0 || t.numel() % batch_ == 0, "lapack: ", t.numel(), " elements for ", batch_,
          " matrices");
    int64_t step = shared || batch_ == 0 ? 0 : t.numel() / batch_ * static_cast<int64_t>(size_of(t.dtype()));
    list.push_back({t.data<char>(), step});
  }
  void add_character(const std::string& text) {
    check(text.size() == 1, "lapack: expected one character, not '", text, "'");
    characters_.push_back(text[0]);
    list.push_back({&characters_.back(), 0});
    ++strings;
  }
  void add_integer(int64_t value) {
    check(value <= INT_MAX && value >= INT_MIN, "lapack: ", value, " is too large a size for LAPACK's 32 bits");
    integers_.push_back(static_cast<int>(value));
    list.push_back({reinterpret_cast<char*>(&integers_.back()), 0});
  }

  int64_t batch_;
  std::deque<int> integers_;  // a deque: addresses must last
  std::deque<char> characters_;
};

// Integers and one-letter strings are passed as they are. A tensor holds one matrix or vector for each of the `batch`,
// column-major, and is overwritten where the routine writes; in a list, [work], it is shared by all of them.
void call_lapack(const std::string& routine, int64_t batch, nb::args values) {
  check(batch >= 0, "lapack: a batch of ", batch);
  Arguments arguments(batch);
  for (nb::handle value : values) arguments.add(value);
  lapack::call(routine, batch, std::move(arguments.list), arguments.strings);
}

}  // namespace

void bind_lapack(PyObject* module) {
  auto m = nb::borrow<nb::module_>(module);
  m.def("lapack_is_open", &lapack::is_open);
  m.def("open_lapack", &lapack::open);
  m.def("lapack", &call_lapack);
}

}  // namespace chainrule
