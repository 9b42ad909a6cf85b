// Walks the interpreter's frames past chainrule's own and remembers which code objects those are.
#include "autograd/source_line.hpp"

#include <cstring>

#include "autograd/frame.hpp"
#include "tensor/error.hpp"
#include "tensor/owned.hpp"

namespace chainrule {

thread_local const SourceLine* overriding_line = nullptr;

namespace {

bool reads_directly = false;  // see autograd/frame.hpp

std::string library_prefix = "\n";  // no file name starts with a line break

// Verdicts by code object. An entry holds a reference, so that an address cannot be reused under a stale verdict.
struct Verdict {
  PyCodeObject* code;
  bool is_library;
};
constexpr size_t kVerdicts = 1024;
Verdict verdicts[kVerdicts];

bool starts_with_prefix(PyCodeObject* code) {
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) PyErr_Clear();
  return file && std::strncmp(file, library_prefix.c_str(), library_prefix.size()) == 0;
}

bool is_library(PyCodeObject* code) {
  auto bits = reinterpret_cast<uintptr_t>(code);
  Verdict& entry = verdicts[((bits >> 4) ^ (bits >> 14)) % kVerdicts];
  if (entry.code == code) [[likely]]
    return entry.is_library;
  bool verdict = starts_with_prefix(code);
  Py_INCREF(code);
  PyCodeObject* old = std::exchange(entry.code, code);
  entry.is_library = verdict;
  Py_XDECREF(old);
  return verdict;
}

std::string attribute_text(PyObject* owner, const char* name) {
  PyObject* value = PyObject_GetAttrString(owner, name);
  const char* text = value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
  std::string result = text ? text : "";
  Py_XDECREF(value);
  PyErr_Clear();
  return result;
}

// The source text of a line, stripped, through Python's own line cache.
std::string source_text(PyObject* file, int line) {
  PyObject* linecache = PyImport_ImportModule("linecache");
  PyObject* text = linecache ? PyObject_CallMethod(linecache, "getline", "Oi", file, line) : nullptr;
  PyObject* stripped = text ? PyObject_CallMethod(text, "strip", nullptr) : nullptr;
  const char* utf8 = stripped ? PyUnicode_AsUTF8(stripped) : nullptr;
  std::string result = utf8 ? utf8 : "";
  Py_XDECREF(linecache);
  Py_XDECREF(text);
  Py_XDECREF(stripped);
  PyErr_Clear();
  return result;
}

// The innermost frame that is not chainrule's own, through Python's public functions.
SourceLine line_through_frame_objects() {
  Owned f(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (f) {
    auto* frame = reinterpret_cast<PyFrameObject*>(f.get());
    const Owned code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    auto* code_object = reinterpret_cast<PyCodeObject*>(code.get());
    if (!is_library(code_object)) return {code_object, PyFrame_GetLasti(frame)};
    f = Owned(reinterpret_cast<PyObject*>(PyFrame_GetBack(frame)));
  }
  return {};
}

}  // namespace

void set_library_prefix(std::string prefix) {
  library_prefix = std::move(prefix);
  for (Verdict& v : verdicts) Py_CLEAR(v.code);
  read_frames_directly(true);
}

bool read_frames_directly(bool wanted) {
  reads_directly = wanted && frame::agrees_with_python();
  return reads_directly;
}

SourceLine current_line() {
  if (overriding_line) return overriding_line->differentiated();
  if (!reads_directly) [[unlikely]]
    return line_through_frame_objects();
  for (frame::Frame* f = frame::current(); f; f = f->previous) {
    if (frame::is_python(f) && !is_library(frame::code(f))) return {frame::code(f), frame::offset(f)};
  }
  return {};
}

PyObject* to_python(const SourceLine& line) {
  if (!line) Py_RETURN_NONE;
  auto* code = line.code();
  int number = PyCode_Addr2Line(code, line.offset());
  std::string text = source_text(code->co_filename, number);
  return Py_BuildValue("(OiOs)", code->co_filename, number, code->co_qualname, text.c_str());
}

std::string describe(const SourceLine& line) {
  if (!line) return "";
  auto* code = reinterpret_cast<PyObject*>(line.code());
  int number = PyCode_Addr2Line(line.code(), line.offset());
  std::string function = attribute_text(code, "co_name");
  std::string where = attribute_text(code, "co_filename") + ":" + std::to_string(number);
  if (function != "<module>") where += ", in " + function;
  std::string text = source_text(line.code()->co_filename, number);
  return text.empty() ? where : where + ": " + text;
}

}  // namespace chainrule
