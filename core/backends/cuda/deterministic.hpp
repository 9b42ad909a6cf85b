// Whether a program has asked for results that do not depend on the order in which threads come.
#pragma once

namespace chainrule::cuda { inline bool wants_deterministic = false; }  // namespace chainrule::cuda
