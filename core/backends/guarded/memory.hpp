// Memory of the device "guarded": nothing but backends can read or write it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chainrule::guarded_device {

// Note [The guarded device]
// A device for tests, which the environment variable CHAINRULE_GUARDED=1 switches on. Its kernels are the CPU's, and
// its memory can be touched only while one of them runs, as a GPU's could not be at all: so a read or write of elements
// anywhere else is found without a GPU. The first such touch in a call is noted with the call's name and let pass;
// take_faults() gives the names. An ElementScope opens the memory: Kernel (backends/kernel.hpp) and item() have one.
bool available();

void* allocate(size_t bytes);
void release(void* memory, size_t bytes);

std::vector<std::string> take_faults();

}  // namespace chainrule::guarded_device
