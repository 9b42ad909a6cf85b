// What is said of an operation that is not deterministic.
#include "tensor/deterministic.hpp"

#include <string>

#include "tensor/error.hpp"
#include "tensor/python_call.hpp"

namespace chainrule {

void alert_not_deterministic(const char* caller) {
  if (!only_deterministic) [[likely]]
    return;
  const char* report =
      "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support "
      "for this operation.";
  std::string text = std::string(caller) + " does not have a deterministic implementation, but you set 'torch." +
                     "use_deterministic_algorithms(True" + (warns_of_nondeterministic ? ", warn_only=True" : "") +
                     ")'. You can ";
  if (warns_of_nondeterministic) {
    text += report;
    from_python(PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1));
    return;
  }
  text +=
      "turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable "
      "for your application. You can also ";
  raise(PyExc_RuntimeError, text, report);
}

}  // namespace chainrule
