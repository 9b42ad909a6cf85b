// Where the core comes back from Python, and what has to be calculated then.
#pragma once
#include "tensor/error.hpp"
#include "tensor/settle.hpp"

namespace chainrule {

// Note [Who may see a waiting buffer]
// The result of an operation that waits (Note [Pending operations]) has no content yet. Only the queue and the two
// doors that fill it (elementwise_later and the products' *_later) may meet such a tensor: they look at its shape and
// dtype and never at its elements. Everybody else relies on this: inside the core nothing waits. It holds because
//  - every other door settles before it does anything (guarded, in the bindings);
//  - the core settles whenever it comes back from Python, since the user's code (a hook, a custom Function, pack and
//    unpack, __torch_function__, __index__, a warning's filter, a finalizer) can leave operations waiting: whatever
//    may run it is wrapped in from_python();
//  - where Python's lock was let go (tensor/unlocked.hpp), another thread may have done the same: whoever let it go
//    settles when it has the lock again;
//  - while what waited is calculated without the lock, others wait for it: settling means that too;
//  - what is handed straight on to Python is wrapped in handed_on(), and nobody in the core reads it.
// A test reads the sources for calls that are wrapped in neither. Where the core is built with the address sanitizer,
// a waiting buffer is poisoned until it is written; with CHAINRULE_THRESHOLDS=least it is full of NaN.

// What a call of Python's API gave that may have run the user's code; throws if it failed.
template <class T>
inline T* from_python(T* object) {
  if (!object) [[unlikely]]
    throw PythonError();
  settle();
  return object;
}
inline int from_python(int status) {
  if (status < 0) [[unlikely]]
    throw PythonError();
  settle();
  return status;
}
// A number: -1 may be one, or an error.
template <class T>
  requires(std::is_same_v<T, double> || std::is_same_v<T, long long> || std::is_same_v<T, Py_ssize_t>)
inline T number_from_python(T value) {
  if (value == T(-1) && PyErr_Occurred()) [[unlikely]]
    throw PythonError();
  settle();
  return value;
}
// The same for what is returned to Python as it is: it may wait on.
template <class T>
inline T* handed_on(T* object) {
  return checked(object);
}

}  // namespace chainrule
