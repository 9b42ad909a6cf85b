// Forward mode of an autograd.Function with a jvp: what its result has to be, and where it goes.
#pragma once
#include <vector>

#include "autograd/forward_mode.hpp"

namespace chainrule {

// The inputs' tangents as they were before jvp ran. Views and their bases share tangents, so those that jvp returns for
// views and for tensors that were written have to share memory with these; see autograd/forward_mode.hpp.
class GivenTangents {
 public:
  explicit GivenTangents(std::span<PyObject* const> inputs);
  const Tensor& of(size_t input) const { return tangents_[input]; }
  // Gives `output`, one of the inputs that forward has written into, the tangent that jvp returned.
  void place_written(const Tensor& output, const Tensor& tangent) const;
  // The same for any other output.
  void place(const Tensor& output, const Tensor& tangent) const;

 private:
  std::span<PyObject* const> inputs_;
  std::vector<Tensor> tangents_;    // null for inputs without
  std::vector<uint32_t> versions_;  // of the tangents
};

}  // namespace chainrule
