// The type of recorded steps, as the package chainrule.recording uses it.
#pragma once
#include <Python.h>

namespace chainrule { void add_recording_type(PyObject* module); }  // namespace chainrule
