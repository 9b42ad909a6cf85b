// LAPACK's routines, by name, over the matrices of a batch.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/kernel.hpp"
#include "tensor/dtype.hpp"

namespace chainrule {
namespace lapack {

constexpr size_t kMaxArguments = 24;  // gesvdx, the longest, has 22 with its lengths

// Fortran takes every argument by its address. `step` is how many bytes further the next matrix of a batch has its own;
// 0 for what all of them share.
struct Argument {
  char* at;
  int64_t step;
};

// Memory that a routine asks for: called with the length -1, it writes down how many elements.
struct Room {
  size_t place;  // among the arguments
  DType kind;
  int* length;  // the argument that tells it, or null
};

struct Call {
  std::string routine;
  int64_t batch;
  int64_t elements;  // of each matrix: small ones are worth one thread only
  std::vector<Argument> arguments;
  // How many of the arguments are characters: Fortran compilers pass their lengths, all 1 here, after the others.
  int strings = 0;
  std::vector<Room> workspaces;
};

}  // namespace lapack

struct LapackKernels {
  Kernel<void(bool* result)> is_open;
  // Routines are called prefix + name + "_" in that shared library. Raises ImportError.
  Kernel<void(const std::string& path, const std::string& prefix)> open;
  // Once for each matrix of the batch, without Python's lock.
  Kernel<void(lapack::Call&)> run;
};

}  // namespace chainrule
