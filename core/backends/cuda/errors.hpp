// What goes wrong on a GPU: Python's classes for it, and what kernels met.
#pragma once
#include <Python.h>

#include <cstdint>
#include <string>

#include "backends/cuda/driver.hpp"

namespace chainrule::cuda {

PyObject* accelerator_error();    // torch.AcceleratorError
PyObject* out_of_memory_error();  // torch.OutOfMemoryError

// Note [Errors of kernels]
// A kernel cannot raise. One that meets a bad index or divides an integer by zero sets a flag, which lies in memory
// that both sides see, and goes on with some harmless value. The flag is looked at wherever the host waits for the GPU
// anyway: item(), copies to the CPU, synchronize(). So such a mistake costs the context nothing, and is told a little
// late, with the call that made the kernel run; where anomalies are looked for, every kernel is waited for.
enum class Met : uint32_t { None = 0, DivisionByZero = 1, BadIndex = 2, BadParameter = 3 };

struct MetError {
  volatile uint32_t what;  // Met
  volatile uint32_t call;  // which of the last launches, by its number
  volatile long long value, limit;
};
// Of the current device, where kernels can write it.
MetError* met_error();
void raise_met_errors();

}  // namespace chainrule::cuda
