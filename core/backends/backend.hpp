// What a device can do: functions over descriptions, by subject.
#pragma once

namespace chainrule {

#define SUBJECT(name, Kernels) struct Kernels;
#include "backends/subjects.def"
#undef SUBJECT

struct Backend {
#define SUBJECT(name, Kernels) const Kernels* name;
#include "backends/subjects.def"
#undef SUBJECT
};

// That of the device which this thread works on.
const Backend& backend();

}  // namespace chainrule
