// Random tensors, with PyTorch's numbers for the same seed.
#pragma once
#include <optional>

#include "backends/generator.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

// The one given, or for null the default one of the device that this thread works on.
inline Generator& chosen(Generator* g) { return g ? *g : default_generator(Storage::making.device); }

// ---- random.cpp: a tensor filled in place. Its former value no longer matters, so gradients to it are zero.
Tensor uniform_(const Tensor& self, double from, double to, Generator* generator);
Tensor normal_(const Tensor& self, double mean, double std, Generator* generator);
Tensor log_normal_(const Tensor& self, double mean, double std, Generator* generator);
Tensor cauchy_(const Tensor& self, double median, double sigma, Generator* generator);
Tensor exponential_(const Tensor& self, double lambda, Generator* generator);
Tensor geometric_(const Tensor& self, double p, Generator* generator);
Tensor bernoulli_(const Tensor& self, double p, Generator* generator);
Tensor bernoulli_each_(const Tensor& self, const Tensor& p, Generator* generator);
Tensor random_(const Tensor& self, Generator* generator);
Tensor random_to_(const Tensor& self, int64_t to, Generator* generator);
// `to` is excluded; without it the largest value of the dtype is the last.
Tensor random_between_(const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator);

// ---- random_samples.cpp: fresh tensors. An `out` may be null; it decides the dtype.
Tensor randperm(int64_t n, DType dtype, Generator* generator, const Tensor& out);
Tensor bernoulli(const Tensor& p, Generator* generator, const Tensor& out);
Tensor bernoulli_like(const Tensor& like, double p, Generator* generator);
Tensor normal_around(const Tensor& mean, double std, Generator* generator, const Tensor& out);
Tensor normal_spread(double mean, const Tensor& std, Generator* generator, const Tensor& out);
Tensor normal_each(const Tensor& mean, const Tensor& std, Generator* generator, const Tensor& out);
Tensor poisson(const Tensor& rate, Generator* generator);
Tensor binomial(const Tensor& count, const Tensor& p, Generator* generator);
// Without history: how the samples move with alpha is written in Python, distributions/gamma_samples.py.
Tensor standard_gamma(const Tensor& alpha, Generator* generator);
Tensor dirichlet(const Tensor& alpha, Generator* generator);
Tensor multinomial(const Tensor& weights, int64_t samples, bool replacement, Generator* generator, const Tensor& out);

// ---- dropout.cpp: elements or whole channels set to zero, or to where selu saturates.
Tensor dropout(const Tensor& input, double p, bool train);
Tensor dropout_(const Tensor& self, double p, bool train);
Tensor feature_dropout(const Tensor& input, double p, bool train);
Tensor feature_dropout_(const Tensor& self, double p, bool train);
Tensor alpha_dropout(const Tensor& input, double p, bool train);
Tensor alpha_dropout_(const Tensor& self, double p, bool train);
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train);
Tensor feature_alpha_dropout_(const Tensor& self, double p, bool train);
// The result and the mask of what was kept.
std::pair<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train);
Tensor rrelu(const Tensor& input, double lower, double upper, bool training, Generator* generator);
Tensor rrelu_(const Tensor& self, double lower, double upper, bool training, Generator* generator);

}  // namespace chainrule
