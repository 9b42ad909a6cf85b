"""Scales of numbers: powers at equal steps, norms brought below a limit, mantissa and exponent, gamma functions."""

from __future__ import annotations

import builtins
from math import isfinite, log, pi

from .. import arange, float32, float64, get_default_dtype, int32, int64, linspace, tensor, where
from .. import bool as bool_dtype
from .._core import Tensor, dtype, functions
from ..autograd import differentiable
from ..user_warning import warn_user
from .checks import is_integral, refuse_dtype, spoken, wrap_dim

_vector_norm = functions["linalg_vector_norm"]


def logspace(
    start: float | Tensor,
    end: float | Tensor,
    steps: int,
    base: float,
    dtype: dtype | None,
    layout: object,
    device: object,
    pin_memory: bool,
    requires_grad: bool,
) -> Tensor:
    """Powers of `base`, the exponents from `start` to `end` in equal steps."""
    ends = []
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor):
            if value.ndim:
                raise RuntimeError(
                    "logspace only supports 0-dimensional start and end tensors, "
                    f"but got {name} with {value.ndim} dimension(s)."
                )
            value = value.item()
        ends.append(value)
    if steps < 0:
        raise RuntimeError(f"number of steps must be non-negative, but is {steps}")
    is_complex = any(isinstance(value, complex) for value in ends)
    if dtype is None:
        dtype = get_default_dtype().to_complex() if is_complex else get_default_dtype()
    elif is_complex and not dtype.is_complex:
        inferred = "c10::complex<double>" if get_default_dtype() == float64 else "c10::complex<float>"
        raise RuntimeError(
            f"torch.logspace(): inferred dtype {inferred} can't be safely cast to passed dtype {spoken(dtype)}"
        )
    if dtype == bool_dtype and steps:
        refuse_dtype("logspace_cpu", dtype)
    if steps == 1:
        ends[1] = ends[0]  # the one exponent is not rounded
    first, last = (value if steps == 1 else tensor(value, dtype=dtype).item() for value in ends)  # as PyTorch rounds
    if dtype.is_complex:
        exponents = first + linspace(0, 1, steps, dtype=float64) * (last - first)
    else:
        exponents = _equal_steps(float(first), float(last), steps)
    powers = base**exponents
    return (powers.to(int64) if is_integral(dtype) else powers).to(dtype)._as_leaf(requires_grad)


def _equal_steps(first: float, last: float, steps: int) -> Tensor:
    """From both ends to the middle, as linspace, but each product is rounded before it is added."""
    step = (last - first) / max(steps - 1, 1)
    count = arange(steps, dtype=float64)
    return where(count < max(steps // 2, 1), first + step * count, last - step * (steps - 1 - count))


def range_inclusive(
    start: float,
    end: float,
    step: float,
    dtype: dtype | None,
    layout: object,
    device: object,
    pin_memory: bool,
    requires_grad: bool,
) -> Tensor:
    """The numbers from `start` to `end`, which belongs to them, `step` apart."""
    warn_user(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    kind = get_default_dtype() if dtype is None else dtype
    if kind == bool_dtype or kind.is_complex:
        refuse_dtype("range_cpu", kind)
    if is_integral(kind):
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (isfinite(start) and isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) / step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int((end - start) / step) + 1
    exact = arange(count, dtype=int64 if is_integral(kind) else float64) * step + start
    return exact.to(kind)._as_leaf(requires_grad)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The slices along `dim`, those whose p-norm exceeds `maxnorm` scaled down to it."""
    for name, value in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(value, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued, but is {value}")
    if not p > 0:
        raise RuntimeError(f"renorm: non-positive-norm not supported, but p is {p}")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    dim = wrap_dim(dim, input.ndim)
    wide = float32 if input.dtype.itemsize == 2 else None
    norm = _vector_norm(input, p, [d for d in builtins.range(input.ndim) if d != dim], True, dtype=wide)
    # The small number is PyTorch's: it keeps the result at or below the limit.
    factor = where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)
    return input.contiguous() * factor.to(input.dtype)


def frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    """A mantissa from 0.5 up to 1 and the exponent of 2 that gives the number back."""
    if not input.dtype.is_floating_point:
        raise RuntimeError(f"torch.frexp() only supports floating-point dtypes, not {input.dtype}")
    return _frexp(input)


@differentiable(name="FrexpBackward0", shown={"y": ("", "exponent")})
def _frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    exponent = _exponent(input.to(float64))
    return _scaled_down(input, exponent), exponent.to(int32)


@_frexp.gradient("input")
def _(g, y):
    return _scaled_down(g[0], y[1].to(int64))


def _scaled_down(x: Tensor, exponent: Tensor) -> Tensor:
    """In two steps: the power of a subnormal number's exponent is itself too large."""
    half = exponent // 2
    return x * _power_of_two(-half, x.dtype) * _power_of_two(half - exponent, x.dtype)


def _exponent(x: Tensor) -> Tensor:
    """From the bits of float64; 0 for zero, infinity and NaN."""
    is_small = x.abs() < 2.0**-1000
    bits = where(is_small, x * 2.0**100, x).view(int64)
    exponent = ((bits >> 52) & 0x7FF) - 1022 - where(is_small, 100, 0)
    return where((x == 0) | ~x.isfinite(), 0, exponent)


def _power_of_two(n: Tensor, kind: dtype) -> Tensor:
    """2**n exactly, where n is an exponent of a normal number of float64."""
    return ((n + 1023) << 52).view(float64).to(kind)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p."""
    if p < 1:
        raise RuntimeError(f"p has to be greater than or equal to 1, but is {p}")
    if input.dtype == bool_dtype:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if input.is_complex():
        refuse_dtype("mvlgamma", input.dtype)
    return _mvlgamma(input if input.dtype.is_floating_point else input.to(get_default_dtype()), p)


@differentiable(name="MvlgammaBackward0", shown={"input": "self"})
def _mvlgamma(input: Tensor, p: int) -> Tensor:
    return _shifted(input, p).lgamma().sum(-1) + p * (p - 1) / 4 * log(pi)


@_mvlgamma.gradient("input")
def _(g, input, p):
    return g * _shifted(input, p).digamma().sum(-1)


def _shifted(x: Tensor, p: int) -> Tensor:
    return x.unsqueeze(-1) - arange(p, dtype=x.dtype) / 2


special_multigammaln = mvlgamma
