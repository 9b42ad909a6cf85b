// LAPACK's routines, found by name in a shared library that is opened when the first of them is wanted.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace chainrule::lapack {

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
  std::vector<Argument> arguments;
  // How many of the arguments are characters: Fortran compilers pass their lengths, all 1 here, after the others.
  int strings = 0;
  std::vector<Room> rooms;
};

bool is_open();
// Routines are called prefix + name + "_" there. Raises ImportError.
void open(const std::string& path, const std::string& prefix);

// Calls a routine once for each matrix of a batch, without Python's lock.
void run(Call call);
// Has the library use as many threads as chainrule may, or one for a small matrix, of so many elements: waking others
// would take longer than the work.
void choose_threads(int64_t elements);

// A copy without history whose matrices are column-major.
Tensor columns(const Tensor& a);

}  // namespace chainrule::lapack
