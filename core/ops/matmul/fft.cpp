// Fourier transforms: the three that run, with their gradients, and the functions of torch.fft that are made of them.
#include "ops/matmul/fft.hpp"

#include <cmath>

#include "autograd/record.hpp"
#include "backends/fft.hpp"
#include "ops/create/create.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/resolve.hpp"
#include "ops/networks/pad.hpp"
#include "ops/views/copy.hpp"
#include "ops/views/view.hpp"
#include "tensor/error.hpp"

namespace chainrule {
namespace {

OpInfo kComplex{"_fft_c2c", "FftC2CBackward0", "g transformed in the other direction"};
OpInfo kFromReal{"_fft_r2c", "FftR2CBackward0", "real(g transformed backward)", true};
OpInfo kToReal{"_fft_c2r", "FftC2RBackward0", "g transformed forward, twice the frequencies that stand for two"};

// ---- the transforms

DType spectrum_dtype(DType t) {
  return t == DType::Float64 || t == DType::Complex128 ? DType::Complex128 : DType::Complex64;
}

FftShape shape_along(Span sizes, int64_t dim, int64_t n) {
  FftShape s{1, n, 1};
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (i != dim) (i < dim ? s.outer : s.inner) *= sizes[static_cast<size_t>(i)];
  }
  return s;
}

void run(Fft kind, const Tensor& x, const Tensor& out, int64_t dim, int64_t n, double scale) {
  backend().fft->run({kind, real_of(x.dtype()), x->data, out->data, shape_along(out.sizes(), dim, n), scale});
}

// Complex transforms along the dimensions before the last `skipped` ones, from x to out, which may be the same.
void run_complex(Tensor x, const Tensor& out, const Dims& dims, int skipped, bool forward, double scale) {
  for (int i = dims.size() - 1 - skipped; i >= 0; --i) {
    const int64_t dim = dims[i];
    run(forward ? Fft::Forward : Fft::Backward, x, out, dim, out.size(static_cast<int>(dim)), i == 0 ? scale : 1.0);
    x = out;
  }
}

double scale_of(FftNorm norm, Span sizes, const Dims& dims) {
  double n = 1;
  for (int64_t dim : dims) n *= static_cast<double>(sizes[static_cast<size_t>(dim)]);
  return norm == FftNorm::None ? 1.0 : 1.0 / (norm == FftNorm::ByN ? n : std::sqrt(n));
}

Tensor plain(const Tensor& x) {
  GradModeScope off(false);
  return contiguous(x);
}

// Multiplies the frequencies that stand for two, themselves and their conjugates, of n real points.
Tensor weighted(const Tensor& x, int64_t dim, int64_t n, double weight) {
  Tensor weights = full(Dims{n / 2 + 1}, weight, real_of(x.dtype()));
  Dims sizes(x.ndim(), 1);
  sizes[static_cast<int>(dim)] = n / 2 + 1;
  {
    GradModeScope off(false);
    fill(slice(weights, 0, 0, 1, 1), Scalar(1.0), Place::Itself);
    if (n % 2 == 0) fill(slice(weights, 0, n / 2, n / 2 + 1, 1), Scalar(1.0), Place::Itself);
    weights = view(alias(weights), sizes);
  }
  return elementwise(OpId::mul, {x, weights});
}

}  // namespace

Tensor fft_complex(const Tensor& x, const Dims& dims, FftNorm norm, bool forward) {
  if (dims.empty()) return clone(x);
  Tensor out = empty(x.sizes(), x.dtype());
  run_complex(plain(x), out, dims, 0, forward, scale_of(norm, x.sizes(), dims));
  return record(kComplex, out, {&x}, {}, [=](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dims, "forward", forward, "normalization", static_cast<int64_t>(norm));
    b.give(0, fft_complex(b.g(), dims, norm, !forward));
  });
}

Tensor fft_from_real(const Tensor& x, const Dims& dims, FftNorm norm, bool onesided) {
  const int64_t last = dims[dims.size() - 1], n = x.size(static_cast<int>(last));
  Dims sizes(x.sizes());
  if (onesided) sizes[static_cast<int>(last)] = n / 2 + 1;
  Tensor out = empty(sizes, spectrum_dtype(x.dtype()));
  const double scale = scale_of(norm, x.sizes(), dims);
  run(onesided ? Fft::FromReal : Fft::FromRealFull, plain(x), out, last, n, dims.size() == 1 ? scale : 1.0);
  run_complex(out, out, dims, 1, true, scale);
  return record(kFromReal, out, {&x}, {}, [=](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dims, "normalization", static_cast<int64_t>(norm), "onesided", onesided);
    if (onesided)
      b.give(0, fft_to_real(weighted(b.g(), last, n, 0.5), dims, norm, n));
    else
      b.give(0, real(fft_complex(b.g(), dims, norm, false)));
  });
}

Tensor fft_to_real(const Tensor& x, const Dims& dims, FftNorm norm, int64_t last_size) {
  const int64_t last = dims[dims.size() - 1];
  Dims sizes(x.sizes());
  sizes[static_cast<int>(last)] = last_size;
  Tensor from = plain(x), out = empty(sizes, real_of(x.dtype()));
  if (dims.size() > 1) {
    Tensor between = empty(x.sizes(), x.dtype());
    run_complex(from, between, dims, 1, false, 1.0);
    from = between;
  }
  run(Fft::ToReal, from, out, last, last_size, scale_of(norm, sizes, dims));
  return record(kToReal, out, {&x}, {}, [=](Backward& b, Kept* kept) {
    if (kept) return kept->add("dim", dims, "normalization", static_cast<int64_t>(norm));
    b.give(0, weighted(fft_from_real(b.g(), dims, norm, true), last, last_size, 2.0));
  });
}

// ---- arguments

namespace {

FftNorm norm_of(const MaybeName& name, bool forward) {
  if (!name || *name == "backward") return forward ? FftNorm::None : FftNorm::ByN;
  if (*name == "forward") return forward ? FftNorm::ByN : FftNorm::None;
  if (*name == "ortho") return FftNorm::ByRootN;
  raise(PyExc_RuntimeError, "Invalid normalization mode: \"", *name, "\"; use \"forward\", \"backward\" or \"ortho\"");
}

void check_points(int64_t n) { check(n >= 1, "Invalid number of data points (", n, ") specified"); }

// Integers become floating point numbers, and those complex ones if wanted.
Tensor promoted(const Tensor& x, bool to_complex) {
  DType dtype = x.dtype();
  if (!is_differentiable(dtype)) dtype = default_dtype();
  if (dtype == DType::Complex32) raise(PyExc_RuntimeError, "MKL FFT doesn't support tensors of type: Half");
  if (real_of(dtype) != DType::Float32 && real_of(dtype) != DType::Float64) {
    raise(PyExc_RuntimeError, "Unsupported dtype ", facts(dtype).tensor_name,
          "; Fourier transforms take float32, float64 and their complex kin");
  }
  return to_dtype(x, to_complex ? spectrum_dtype(dtype) : dtype);
}

int64_t wrapped(int64_t dim, const Tensor& x) {
  check_index(x.ndim() > 0, "Dimension specified as ", dim, " but tensor has no dimensions");
  return wrap_dim(dim, x.ndim());
}

// Cut or filled with zeros to these sizes.
Tensor resized(const Tensor& x, const Dims& dims, const Dims& sizes) {
  Dims pad(2 * x.ndim());
  bool same = true;
  for (int i = 0; i < dims.size(); ++i) {
    const int dim = static_cast<int>(dims[i]);
    pad[2 * (x.ndim() - 1 - dim) + 1] = sizes[i] - x.size(dim);
    same = same && sizes[i] == x.size(dim);
  }
  return same ? x : constant_pad_nd(x, pad, Scalar(0.0));
}

void refuse_complex(const char* name, const char* kind, const Tensor& x) {
  check(!holds_complex(x.dtype()), name, " expects a ", kind, " input tensor, but got ", facts(x.dtype()).tensor_name);
}

Tensor complex_along(const Tensor& input, MaybeInt n, int64_t dim, const MaybeName& norm, bool forward) {
  Tensor x = promoted(input, true);
  const Dims dims{wrapped(dim, x)};
  const Dims sizes{n.value_or(x.size(static_cast<int>(dims[0])))};
  check_points(sizes[0]);
  return fft_complex(resized(x, dims, sizes), dims, norm_of(norm, forward), forward);
}

Tensor from_real_along(const char* name, const Tensor& input, MaybeInt n, int64_t dim, const MaybeName& norm,
                       bool forward, bool onesided) {
  refuse_complex(name, "real", input);
  Tensor x = promoted(input, false);
  const Dims dims{wrapped(dim, x)};
  const Dims sizes{n.value_or(x.size(static_cast<int>(dims[0])))};
  check_points(sizes[0]);
  Tensor y = fft_from_real(resized(x, dims, sizes), dims, norm_of(norm, forward), onesided);
  return forward ? y : conj_view(y);
}

Tensor to_real_along(const Tensor& input, MaybeInt n, int64_t dim, const MaybeName& norm, bool forward) {
  Tensor x = promoted(input, true);
  const Dims dims{wrapped(dim, x)};
  const int64_t points = n.value_or(2 * (x.size(static_cast<int>(dims[0])) - 1));
  check_points(points);
  if (n) x = resized(x, dims, Dims{points / 2 + 1});
  return fft_to_real(forward ? conj(x) : x, dims, norm_of(norm, forward), points);
}

struct Grid {
  Dims dims, sizes;
};

void check_lengths(const Tensor& x, const Dims& s, const MaybeDims& dim) {
  check(!dim || dim->size() == s.size(),
        "When given, dim and shape arguments must have the same length, but they have ", dim ? dim->size() : 0, " and ",
        s.size());
  check(s.size() <= x.ndim(), "Got shape with ", s.size(), " values but input tensor only has ", x.ndim(),
        " dimensions.");
}

// The dimensions and how many points each has; -1 keeps a size.
Grid grid_of(const Tensor& x, const MaybeDims& s, const MaybeDims& dim) {
  Grid g;
  if (dim) {
    for (int64_t d : *dim) {
      const int64_t w = wrapped(d, x);
      check(!g.dims.contains(w), "FFT dims must be unique, but dim=", Span(*dim));
      g.dims.push_back(w);
    }
  }
  if (s) check_lengths(x, *s, dim);
  if (!dim) {
    for (int64_t d = s ? x.ndim() - s->size() : 0; d < x.ndim(); ++d) g.dims.push_back(d);
  }
  for (int i = 0; i < g.dims.size(); ++i) {
    const bool kept = !s || (*s)[i] == -1;
    g.sizes.push_back(kept ? x.size(static_cast<int>(g.dims[i])) : (*s)[i]);
    check_points(g.sizes[i]);
  }
  return g;
}

void require_axis(const char* name, const Grid& g) {
  check(!g.dims.empty(), name, " must transform at least one axis");
}

// The grid of a transform to real numbers, and how many of them there are along its last dimension.
std::pair<Grid, int64_t> half_grid_of(const char* name, const Tensor& x, const MaybeDims& s, const MaybeDims& dim) {
  Grid g = grid_of(x, s, dim);
  require_axis(name, g);
  int64_t& last = g.sizes.back();
  const int64_t points =
      s && s->data()[s->size() - 1] != -1 ? last : 2 * (x.size(static_cast<int>(g.dims[g.dims.size() - 1])) - 1);
  check_points(points);
  last = points / 2 + 1;
  return {g, points};
}

Dims without_last(const Dims& dims) { return Dims(Span(dims).first(static_cast<size_t>(dims.size() - 1))); }
Dims last_of(const Dims& dims) { return Dims{dims[dims.size() - 1]}; }

Tensor complex_over(const Tensor& input, const MaybeDims& s, const MaybeDims& dim, const MaybeName& norm,
                    bool forward) {
  Tensor x = promoted(input, true);
  const Grid g = grid_of(x, s, dim);
  return fft_complex(resized(x, g.dims, g.sizes), g.dims, norm_of(norm, forward), forward);
}

}  // namespace

// ---- the functions

Tensor fft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) {
  if (!holds_complex(x.dtype())) return from_real_along("fft", x, n, dim, norm, true, false);
  return complex_along(x, n, dim, norm, true);
}
Tensor ifft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) {
  if (!holds_complex(x.dtype())) return from_real_along("ifft", x, n, dim, norm, false, false);
  return complex_along(x, n, dim, norm, false);
}
Tensor rfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) {
  return from_real_along("rfft", x, n, dim, norm, true, true);
}
Tensor irfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) { return to_real_along(x, n, dim, norm, false); }
Tensor hfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) { return to_real_along(x, n, dim, norm, true); }
Tensor ihfft(const Tensor& x, MaybeInt n, int64_t dim, MaybeName norm) {
  return from_real_along("ihfft", x, n, dim, norm, false, true);
}

Tensor fftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm) { return complex_over(x, s, dim, norm, true); }
Tensor ifftn(const Tensor& x, MaybeDims s, MaybeDims dim, MaybeName norm) {
  return complex_over(x, s, dim, norm, false);
}

Tensor rfftn(const Tensor& input, MaybeDims s, MaybeDims dim, MaybeName norm) {
  refuse_complex("rfftn", "real-valued", input);
  Tensor x = promoted(input, false);
  const Grid g = grid_of(x, s, dim);
  require_axis("rfftn", g);
  return fft_from_real(resized(x, g.dims, g.sizes), g.dims, norm_of(norm, true), true);
}

Tensor irfftn(const Tensor& input, MaybeDims s, MaybeDims dim, MaybeName norm) {
  const auto [g, points] = half_grid_of("irfftn", input, s, dim);
  Tensor x = promoted(input, true);
  return fft_to_real(resized(x, g.dims, g.sizes), g.dims, norm_of(norm, false), points);
}

// Forward along all, as irfft with the sign of the exponent turned.
Tensor hfftn(const Tensor& input, MaybeDims s, MaybeDims dim, MaybeName norm) {
  const auto [g, points] = half_grid_of("hfftn", input, s, dim);
  Tensor x = resized(promoted(input, true), g.dims, g.sizes);
  const FftNorm by = norm_of(norm, true);
  if (g.dims.size() > 1) x = fft_complex(x, without_last(g.dims), by, true);
  return fft_to_real(conj(x), last_of(g.dims), by, points);
}

Tensor ihfftn(const Tensor& input, MaybeDims s, MaybeDims dim, MaybeName norm) {
  const Grid g = grid_of(input, s, dim);
  require_axis("ihfftn", g);
  check(!is_complex(input.dtype()),
        "Only supports floating-point dtypes, but found: ", facts(input.dtype()).tensor_name,
        "; ihfftn expects a real-valued input tensor");
  Tensor x = promoted(input, false);
  const FftNorm by = norm_of(norm, false);
  Tensor y = fft_from_real(resized(x, g.dims, g.sizes), last_of(g.dims), by, true);
  return g.dims.size() > 1 ? fft_complex(conj(y), without_last(g.dims), by, false) : conj_view(y);
}

}  // namespace chainrule
