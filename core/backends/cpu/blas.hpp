// Symbols of an OpenBLAS library that is loaded on first use, if there is one.
#pragma once

namespace chainrule::cpu {

// Names the shared library (scipy-openblas32's) to look symbols up in. Nothing is loaded yet.
void set_blas_library(const char* path);

// The address of `name` (without the library's own "scipy_" prefix), or null when library or symbol is missing.
void* blas_symbol(const char* name);

}  // namespace chainrule::cpu
