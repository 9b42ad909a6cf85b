// The CPU's functions of each subject. Each is defined in the file of that name.
#pragma once
#include "backends/backend.hpp"

namespace chainrule::cpu {

#define SUBJECT(name, Kernels) extern const Kernels name##_kernels;
#include "backends/subjects.def"
#undef SUBJECT

}  // namespace chainrule::cpu
