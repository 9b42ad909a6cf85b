// Loads OpenBLAS lazily, so that importing the package does not pay for linear algebra that nobody calls.
#include "backends/cpu/blas.hpp"

#include <dlfcn.h>

#include <mutex>
#include <string>

namespace chainrule::cpu {
namespace {

std::mutex library_mutex;
std::string library_path;
void* library = nullptr;

}  // namespace

void set_blas_library(const char* path) {
  std::lock_guard lock(library_mutex);
  library_path = path ? path : "";
  library = nullptr;  // the old one stays mapped: its functions may be in use
}

void* blas_symbol(const char* name) {
  std::lock_guard lock(library_mutex);
  if (!library && !library_path.empty()) library = dlopen(library_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  void* symbol = dlsym(library, (std::string("scipy_") + name).c_str());
  return symbol ? symbol : dlsym(library, name);
}

}  // namespace chainrule::cpu
