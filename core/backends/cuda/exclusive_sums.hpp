// Where things go that are packed one after another.
#pragma once
#include <cstdint>

namespace chainrule::cuda {

// Each of n numbers on the GPU becomes the sum of those before it. `total`, which may be null, becomes that of all.
void exclusive_sums(int64_t* numbers, int64_t n, int64_t* total = nullptr);

}  // namespace chainrule::cuda
