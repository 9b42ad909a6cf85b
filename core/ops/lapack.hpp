// LAPACK's routines, found by name in a shared library that is opened when the first of them is wanted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace chainrule::lapack {

// Fortran takes every argument by its address. `step` is how many bytes further the next matrix of a batch has its own;
// 0 for what all of them share.
struct Argument {
  char* at;
  int64_t step;
};

bool is_open();
// Routines are called prefix + name + "_" there. Raises ImportError.
void open(const std::string& path, const std::string& prefix);

// Calls a routine once for each matrix of a batch, without Python's lock. `strings` is how many of the arguments are
// characters: Fortran compilers pass their lengths, all 1 here, after the other arguments.
void call(const std::string& routine, int64_t batch, std::vector<Argument> arguments, int strings);

}  // namespace chainrule::lapack
