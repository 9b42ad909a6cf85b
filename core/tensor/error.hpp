// How the core says that something is wrong: a Python exception class and a message, thrown as one C++ exception.
#pragma once
#include <Python.h>

#include <exception>
#include <span>
#include <sstream>
#include <string>

namespace chainrule {

// A mistake of the user's. The bindings turn it into `type(message)` and add the user's line.
class Error : public std::exception {
 public:
  Error(PyObject* type, std::string message) : type_(type), message_(std::move(message)) {}
  PyObject* type() const { return type_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  PyObject* type_;
  std::string message_;
};

// A Python exception is already set: unwind to the bindings and let it through.
class PythonError : public std::exception {};

// A shape in a message, as PyTorch writes it: [2, 3].
std::string shape_text(std::span<const int64_t> sizes);

inline void append(std::ostringstream& out, std::span<const int64_t> sizes) { out << shape_text(sizes); }
template <class P>
void append(std::ostringstream& out, const P& part) {
  out << part;
}

template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(PyObject* type, const Parts&... parts) {
  std::ostringstream out;
  (append(out, parts), ...);
  throw Error(type, out.str());
}

// check(condition, parts...) raises RuntimeError with the parts written one after another.
template <class... Parts>
inline void check(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]]
    raise(PyExc_RuntimeError, parts...);
}
template <class... Parts>
inline void check_index(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]]
    raise(PyExc_IndexError, parts...);
}

// Passes a new reference through, or throws if a C-API call failed.
template <class T>
inline T* checked(T* object) {
  if (!object) [[unlikely]]
    throw PythonError();
  return object;
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw PythonError();
}

}  // namespace chainrule
