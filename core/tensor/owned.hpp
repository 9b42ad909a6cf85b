// A Python reference that is dropped at the end of its scope, also when an exception ends it.
#pragma once
#include <Python.h>

#include <utility>

namespace chainrule {

class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* o) : object_(o) {}  // takes the reference over
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace chainrule
