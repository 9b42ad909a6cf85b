// Asks Python itself whether frames lie in memory as frame.hpp says.
#include "autograd/frame.hpp"

#include "tensor/owned.hpp"

namespace chainrule::frame {
namespace {

// Nothing is followed before it was found right: the code object is compared before its instructions are read.
bool is(const Frame* direct, PyFrameObject* told) {
  const Owned code_told(reinterpret_cast<PyObject*>(PyFrame_GetCode(told)));
  return direct && is_python(direct) && reinterpret_cast<PyObject*>(code(direct)) == code_told.get() &&
         offset(direct) == PyFrame_GetLasti(told);
}

Frame* skip_interpreter_frames(Frame* f) {
  while (f && !is_python(f)) f = f->previous;
  return f;
}

}  // namespace

bool agrees_with_python() {
  if constexpr (!kKnown) return false;
  PyFrameObject* told = PyThreadState_GetFrame(PyThreadState_Get());
  if (!told) return false;
  const Owned holds_told(reinterpret_cast<PyObject*>(told));
  Frame* direct = current();
  if (!is(direct, told)) return false;
  PyFrameObject* caller = PyFrame_GetBack(told);
  const Owned holds_caller(reinterpret_cast<PyObject*>(caller));
  direct = skip_interpreter_frames(direct->previous);
  return caller ? is(direct, caller) : !direct;
}

}  // namespace chainrule::frame
