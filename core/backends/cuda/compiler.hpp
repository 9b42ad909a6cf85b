// Kernels from their text: compiled at first use, and kept in memory and on disk.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {

// The function called `entry` in that program, on the current device. The key names the program: what has the same key
// has the same text, which is made only if nobody has asked for it before.
Function kernel(std::string_view key, const char* entry, const std::function<std::string()>& text);

// A program in machine code, or an error that shows what the compiler says. Needs no GPU.
std::string compile(const std::string& text, int architecture);

struct CompilerCounts {
  int compiled = 0, loaded = 0;  // by the compiler, and from disk
  double seconds = 0;            // spent in the compiler
};
CompilerCounts compiler_counts();
std::string compiler_version();

}  // namespace chainrule::cuda
