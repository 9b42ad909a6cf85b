// The GPU's functions of each subject, each in the file of that name. Single ones that have no kernel say so there: see
// fallback.hpp.
#pragma once
#include "backends/backend.hpp"

namespace chainrule::cuda {

#define SUBJECT(name, Kernels) extern const Kernels name##_kernels;
#include "backends/subjects.def"
#undef SUBJECT

}  // namespace chainrule::cuda
