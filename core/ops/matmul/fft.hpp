// Fourier transforms. Each is linear, and its gradient is another.
#pragma once
#include <optional>
#include <string>

#include "tensor/tensor.hpp"

namespace chainrule {

enum class FftNorm : uint8_t { None, ByRootN, ByN };  // what a result is divided by

// The three transforms that the others are made of, over several dimensions. Of real numbers, the last dimension of
// `dims` has the frequencies 0 .. n / 2 only; with `onesided` false all of them.
Tensor fft_complex(const Tensor& x, const Dims& dims, FftNorm norm, bool forward);
Tensor fft_from_real(const Tensor& x, const Dims& dims, FftNorm norm, bool onesided);
Tensor fft_to_real(const Tensor& x, const Dims& dims, FftNorm norm, int64_t last_size);

using MaybeInt = std::optional<int64_t>;
using MaybeDims = std::optional<Dims>;
using MaybeName = std::optional<std::string>;

// Along one dimension, n points.
Tensor fft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
Tensor ifft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
Tensor rfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
Tensor irfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
Tensor hfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
Tensor ihfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm);
// Along several; all, or the last ones that `s` has sizes for, where none are given.
Tensor fftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);
Tensor ifftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);
Tensor rfftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);
Tensor irfftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);
Tensor hfftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);
Tensor ihfftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm);

}  // namespace chainrule
