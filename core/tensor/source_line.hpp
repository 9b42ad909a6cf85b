// Where in the user's program something happened: a code object and an instruction offset, resolved only when asked.
#pragma once
#include <Python.h>

#include <utility>

namespace chainrule {

// Note [Source lines]
// Every node, in-place write and cut of the graph keeps one of these. Taking it costs a few nanoseconds because no
// frame object is made: the interpreter's current frame is read directly. The reference to the code object is a strong
// one, so that its address cannot be reused while somebody remembers it.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(PyCodeObject* code, int offset) : code_(code), offset_(offset) { Py_XINCREF(code_); }
  SourceLine(const SourceLine& other) : SourceLine(other.code_, other.offset_) {}
  SourceLine(SourceLine&& other) noexcept : code_(std::exchange(other.code_, nullptr)), offset_(other.offset_) {}
  SourceLine& operator=(SourceLine other) noexcept {
    std::swap(code_, other.code_);
    offset_ = other.offset_;
    return *this;
  }
  ~SourceLine() { Py_XDECREF(code_); }

  explicit operator bool() const { return code_ != nullptr; }
  PyCodeObject* code() const { return code_; }
  int offset() const { return offset_; }

 private:
  PyCodeObject* code_ = nullptr;  // strong
  int offset_ = 0;                // bytes into the code object's instructions
};

}  // namespace chainrule
