// The table of elementwise operations, as Python reads it: documents, explanations and tests do.
#pragma once
#include <nanobind/nanobind.h>

namespace chainrule { void bind_table(nanobind::module_& module); }  // namespace chainrule
