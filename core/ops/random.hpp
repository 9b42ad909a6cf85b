// Random tensors, with PyTorch's numbers for the same seed.
#pragma once
#include "backends/cpu/random/generator.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

using cpu::random::Generator;

Generator& default_generator();

Tensor uniform_(const Tensor& self, double from, double to, Generator* generator);
Tensor normal_(const Tensor& self, double mean, double std, Generator* generator);
Tensor random_range_(const Tensor& self, int64_t from, int64_t to, Generator* generator);
Tensor randperm(int64_t n, DType dtype, Generator* generator);

}  // namespace chainrule
