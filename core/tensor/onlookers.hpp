// One number that tells the doors whether a call needs a closer look than at the types of its arguments.
#pragma once
#include <cstdint>

namespace chainrule {

// How many reasons there are: a watcher, unresolved tensors and storages elsewhere than on the CPU that are alive.
extern int64_t onlookers;

}  // namespace chainrule
