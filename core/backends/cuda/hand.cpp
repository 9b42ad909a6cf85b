#include "backends/cuda/hand.hpp"

#include "backends/cuda/texts.hpp"

namespace chainrule::cuda {

Function KernelText::function() const {
  const std::string key = std::string(file_) + ":" + entry_ + ":" + settings_;
  return kernel(key, entry_, [&] {
    std::string text(kernel_file("block.cuh"));
    for (const char* file : before_) text += kernel_file(file);
    return text + settings_ + std::string(kernel_file(file_));
  });
}

}  // namespace chainrule::cuda
