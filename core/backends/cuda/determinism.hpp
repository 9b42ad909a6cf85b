// torch.use_deterministic_algorithms, for what else would add up in the order in which threads come.
#pragma once

namespace chainrule::cuda { inline bool only_deterministic = false; }  // namespace chainrule::cuda
