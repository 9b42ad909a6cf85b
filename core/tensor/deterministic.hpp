// Operations that refuse to run where a program asks for deterministic algorithms only.
#pragma once

namespace chainrule {

// What torch.use_deterministic_algorithms was told.
inline bool only_deterministic = false, warns_of_nondeterministic = false;

// Called by operations whose result may depend on the order of their writes. Ours write in a fixed order on the CPU;
// but a program that asks wants to hear of the calls that it cannot take elsewhere, so they are PyTorch's. Raises, or
// warns.
void alert_not_deterministic(const char* caller);

}  // namespace chainrule
