// Kernels written by hand: a file of kernels/, with what its user chooses before it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/compiler.hpp"
#include "backends/cuda/element_types.hpp"
#include "backends/cuda/launch.hpp"

namespace chainrule::cuda {

// KernelText("softmax.cuh", "softmax_rows").type("S", "float").number("kThreads", 256).run(grid, 256, arguments)
class KernelText {
 public:
  KernelText(const char* file, const char* entry) : file_(file), entry_(entry) {}
  KernelText& type(const char* name, const char* what) {
    ((settings_ += "using ").append(name).append(" = ") += what) += ";\n";
    return *this;
  }
  // As elements of that dtype lie in memory, and what they are calculated in.
  KernelText& element(DType t) { return type("S", storage_type(t)).type("T", compute_type(t)); }
  KernelText& number(const char* name, int64_t value) {
    const bool is_lowest = value == INT64_MIN;  // whose digits alone would be too large
    return constant("int64_t", name, is_lowest ? "-9223372036854775807 - 1" : std::to_string(value));
  }
  KernelText& real(const char* name, const char* text) { return constant("double", name, text); }
  // The type I, of whole numbers from 0 to `most`: short ones are divided several times faster.
  KernelText& index(int64_t most) { return type("I", most <= INT32_MAX ? "uint32_t" : "int64_t"); }
  // Another file of kernels/ that goes before.
  KernelText& with(const char* file) {
    before_.push_back(file);
    return *this;
  }

  Function function() const;
  // `arguments` is the struct that the kernel's text calls Arguments, field by field. What lies between two fields is
  // cleared, so that a test can tell an address of the host's from what the stack held before.
  template <class Arguments>
  void run(Grid grid, int threads, Arguments arguments, unsigned shared = 0) const {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) <= 4000);
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&arguments);
#endif
    launch(function(), grid, threads, &arguments, shared);
  }

 private:
  KernelText& constant(const char* type, const char* name, const std::string& value) {
    ((settings_ += "constexpr ").append(type).append(" ").append(name) += " = ") += value + ";\n";
    return *this;
  }

  const char *file_, *entry_;
  std::vector<const char*> before_;
  std::string settings_;
};

}  // namespace chainrule::cuda
