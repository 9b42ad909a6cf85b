// What help() and inspect.signature() tell of a function or method.
#pragma once
#include <Python.h>

#include <string>

namespace chainrule {

struct Callable;
struct Signature;

// "(input, dim=-1, *, out=None)"
std::string signature_text(const Signature& s);

// An inspect.Signature.
PyObject* signature_object(const Signature& s);

// The __doc__: put together by chainrule.documentation, which is imported when somebody asks.
PyObject* help_text(const Callable& c);

}  // namespace chainrule
