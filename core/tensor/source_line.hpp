// Where in the user's program something happened: a code object and an instruction offset, resolved only when asked.
#pragma once
#include <Python.h>

#include <utility>

namespace chainrule {
// Every node, in-place write and cut of the graph keeps one of these. Taking it costs a few nanoseconds because no
// frame object is made: the interpreter's current frame is read directly. The reference to the code object is a strong
// one, so that its address cannot be reused while somebody remembers it. What a backward pass records keeps the line
// that it differentiates, with an order above zero: the order shares a word with the offset and costs nothing else.
class SourceLine {
 public:
  SourceLine() = default;
  SourceLine(PyCodeObject* code, int offset) : code_(code), word_(offset) { Py_XINCREF(code_); }
  SourceLine(const SourceLine& other) : SourceLine(other.code_, other.word_) {}
  SourceLine(SourceLine&& other) noexcept : code_(std::exchange(other.code_, nullptr)), word_(other.word_) {}
  SourceLine& operator=(SourceLine other) noexcept {
    std::swap(code_, other.code_);
    word_ = other.word_;
    return *this;
  }
  ~SourceLine() { Py_XDECREF(code_); }

  explicit operator bool() const { return code_ != nullptr; }
  PyCodeObject* code() const { return code_; }
  int offset() const { return word_ & (kOnce - 1); }
  int order() const { return word_ / kOnce; }  // how many backward passes lie between the line and what keeps it
  SourceLine differentiated() const { return {code_, word_ < kHighest ? word_ + kOnce : word_}; }

 private:
  static constexpr int kOnce = 1 << 27, kHighest = 15 * kOnce;
  PyCodeObject* code_ = nullptr;  // strong
  int word_ = 0;                  // bytes into the code object's instructions + kOnce * order
};

}  // namespace chainrule
