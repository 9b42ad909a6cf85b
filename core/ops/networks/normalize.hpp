// Normalisation over trailing dimensions, channels and groups of channels. Null handles: weight 1, bias 0.
#pragma once
#include <optional>
#include <tuple>

#include "backends/normalize.hpp"
#include "ops/views/memory_format.hpp"
#include "tensor/tensor.hpp"

namespace chainrule {

using Normalized = std::tuple<Tensor, Tensor, Tensor>;  // the result, and what was saved: means, 1 / deviations

Normalized native_layer_norm(const Tensor& x, const Dims& shape, const Tensor& weight, const Tensor& bias, double eps);
Tensor rms_norm(const Tensor& x, const Dims& shape, const Tensor& weight, std::optional<double> eps);

// ---- batch_norm.cpp
// Normalises each channel (dimension 1) over all other dimensions. When training, the running statistics, if any, move
// towards those of the input by `momentum`; otherwise they are what the input is normalised by.
Normalized native_batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                             const Tensor& running_var, bool training, double momentum, double eps);
// Each channel of each sample on its own.
Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                     const Tensor& running_var, bool use_input_stats, double momentum, double eps);

// ---- group_norm.cpp
Normalized native_group_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t samples,
                             int64_t channels, int64_t positions, int64_t groups, double eps);
Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias, double eps);

// Kernels of channels on x where channels lie last, and so they do in the result; there are numbers (AffineNumbers,
// CombinationNumbers) for each channel of each sample. No history.
Tensor affine_last(MemoryFormat format, const Tensor& x, int64_t samples, const Tensor& numbers);
Tensor combine_last(MemoryFormat format, const Tensor& g, const Tensor& x, int64_t samples, const Tensor& numbers);

// Raises unless the parameters have the input's dtype, or float32 beside a half input.
void check_parameter_dtypes(const Tensor& x, std::initializer_list<const Tensor*> parameters);
// The dtype of saved statistics: float32 when half inputs meet float32 parameters.
DType statistics_dtype(const Tensor& x, const Tensor& parameter);
// A parameter as kernels of channels take it: float64, contiguous. A null handle for one.
Tensor parameter_numbers(const Tensor& t);
inline const double* numbers_of(const Tensor& t) { return t ? t.data<double>() : nullptr; }

}  // namespace chainrule
