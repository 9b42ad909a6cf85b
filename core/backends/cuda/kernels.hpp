// The GPU's functions of each subject. Each is defined in the file of that name; those of whole subjects that have none
// in fallbacks.cpp.
#pragma once
#include "backends/backend.hpp"

namespace chainrule::cuda {

#define SUBJECT(name, Kernels) extern const Kernels name##_kernels;
#include "backends/subjects.def"
#undef SUBJECT

}  // namespace chainrule::cuda
