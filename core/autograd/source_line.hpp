// Taking the user's line from the interpreter, and turning it into file, line and text when somebody asks.
#pragma once
#include <string>

#include "tensor/source_line.hpp"

namespace chainrule {

// The innermost frame that is not chainrule's own; see tensor/source_line.hpp.
SourceLine current_line();
// "file.py:12, in train: z = x * y", or "" when unknown.
std::string describe(const SourceLine& line);
// (filename, line number, function, expression) or None; a new reference.
PyObject* to_python(const SourceLine& line);

// Frames whose file starts with this prefix are chainrule's own and are skipped.
void set_library_prefix(std::string prefix);
// Whether frames are read directly from now on: where that is wanted and this interpreter's are as expected.
bool read_frames_directly(bool wanted);

// While one of these lives, new nodes take `line` in place of the current one: what backward makes belongs to the
// forward line that it differentiates, one order higher. An empty line: the current one again.
extern thread_local const SourceLine* overriding_line __attribute__((tls_model("initial-exec")));
class LineScope {
 public:
  explicit LineScope(const SourceLine& line) : previous_(overriding_line) { overriding_line = line ? &line : nullptr; }
  ~LineScope() { overriding_line = previous_; }
  LineScope(const LineScope&) = delete;

 private:
  const SourceLine* previous_;
};

}  // namespace chainrule
