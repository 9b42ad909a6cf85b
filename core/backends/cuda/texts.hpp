// The text of kernels, and what goes before it.
#pragma once
#include <string>
#include <string_view>

namespace chainrule::cuda {

// A file of core/backends/cuda/kernels, as it was when this library was built.
std::string_view kernel_file(std::string_view name);

// A whole program around a kernel's own text: what the compiler lacks without any header, then those definitions of the
// scalar functions (the CPU's own, where CUDA has none) that the text names, directly or not, and no others: a compiler
// at run time is paid for by the line.
std::string program_around(const std::string& kernel);

}  // namespace chainrule::cuda
