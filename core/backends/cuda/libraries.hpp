// NVIDIA's libraries, opened when they are needed and never linked: a machine without a GPU has none of them.
#pragma once
#include <string>
#include <vector>

namespace chainrule::cuda {

// A shared library and how it was found.
struct Library {
  void* handle = nullptr;
  std::string path;   // of the file, where it is known
  std::string error;  // why it could not be opened, one sentence; empty if it was
};

// What it has is seen by libraries that are opened later: cuDNN looks for cuBLASLt by name. Opens the first of the file
// names that is found: in the folders of NVIDIA's Python packages first, then wherever the system looks. By its bare
// name the loader might take another, older installation.
Library open_library(const std::vector<std::string>& files);

// The folders that are looked into before the system's, and the one where compiled kernels are kept (empty: nowhere),
// as Python says (chainrule.cuda.setup).
const std::vector<std::string>& library_folders();
std::string cache_folder();

// The function of that name; raises RuntimeError where the library is too old to have it.
void* find_function(const Library& library, const char* name);

}  // namespace chainrule::cuda
