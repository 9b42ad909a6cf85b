"""Reductions and normalizations that leave elements out, as torch.masked: those where `mask` is false.

A mask broadcasts to the input's shape. What is left out is replaced by the operation's identity (zero for a sum, minus
infinity for a maximum), so a slice without elements gives the identity; a mean, variance or median has none and is NaN.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

from . import _core, float32, full, iinfo, int64, ones, where
from . import bool as bool_dtype
from ._core import Tensor
from .nn import functional
from .ops.checks import is_integral, wrap_dim
from .refusal import refused, refused_class

__all__ = [
    *("amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean"),
    *("median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var"),
]

Dims = int | tuple[int, ...] | list[int] | None
DType = Any


# ---- masks


def _input_mask(input: Tensor, *args: Any, mask: Tensor | None = None, **kwargs: Any) -> Tensor:
    """The mask as truth values of the input's shape; further arguments, those of the operation, change nothing."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input): "
            f"{mask.ndim} and {input.ndim}"
        )
    return mask.broadcast_to(input.shape).to(bool_dtype)


_REDUCTIONS = {"sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "norm", "var", "std", "logsumexp"}
_NORMALIZATIONS = {"softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"}


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Which elements of an operation's result come from elements that the mask lets through."""
    name = getattr(op, "__name__", type(op).__name__)
    if name in _NORMALIZATIONS:
        return _input_mask(input, *args, **kwargs)
    if name not in _REDUCTIONS:
        raise ValueError(f"_output_mask expected masked operation (got {name})")
    rest = args[1:] if name == "norm" else args  # without its order
    dim = rest[0] if rest else kwargs.get("dim")
    mask = _input_mask(input, **kwargs)
    return mask.any(_dims(dim, input.ndim), bool(kwargs.get("keepdim", False))) if mask.ndim else mask


def _filled(input: Tensor, mask: Tensor | None, value: complex) -> Tensor:
    return input if mask is None else where(_input_mask(input, mask=mask), input, full((), value, dtype=input.dtype))


def _at_limit(name: str, input: Tensor, mask: Tensor | None, largest: bool) -> Tensor:
    """Filled with the largest or the smallest number of the input's dtype."""
    if mask is None:
        return input
    if input.dtype == bool_dtype:
        raise NotImplementedError(f"identity of {name} on {input.dtype} input")
    low, high = (-inf, inf) if input.dtype.is_floating_point else (iinfo(input.dtype).min, iinfo(input.dtype).max)
    return _filled(input, mask, high if largest else low)


def _dims(dim: Dims, ndim: int) -> tuple[int, ...]:
    """All dimensions for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    for d in given:
        if given.count(d) > 1:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
    return tuple(sorted(wrap_dim(d, ndim) for d in given))


def _wide(input: Tensor) -> DType:
    """Sums and products of small integers are int64."""
    return int64 if is_integral(input.dtype) else input.dtype


# ---- reductions


def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The sum over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input (int64 for bool and integers), or `dtype`.
    Derivative: g expanded to the shape of the input, 0 where the mask is false

    >>> torch.masked.sum(torch.tensor([1., 2., 3.]), mask=torch.tensor([True, False, True]))
    tensor(4.)
    """
    dtype = _wide(input) if dtype is None else dtype
    return _filled(input, mask, 0).sum(_dims(dim, input.ndim), bool(keepdim), dtype=dtype)


def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The product over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input (int64 for bool and integers), or `dtype`.
    Derivative: g * the product of all other elements, 0 where the mask is false

    >>> torch.masked.prod(torch.tensor([2., 3., 4.]), mask=torch.tensor([True, False, True]))
    tensor(8.)
    """
    result = _filled(input, mask, 1).to(_wide(input) if dtype is None else dtype)
    for d in reversed(_dims(dim, input.ndim)):
        result = result.prod(d, bool(keepdim))
    return result


def amax(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The largest element over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, or `dtype`.
    Derivative: g shared evenly among the elements equal to y

    >>> torch.masked.amax(torch.tensor([1., 9., 3.]), mask=torch.tensor([True, False, True]))
    tensor(3.)
    """
    filled = _at_limit("amax", input, mask, False)
    return filled.amax(_dims(dim, input.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


def amin(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The smallest element over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, or `dtype`.
    Derivative: g shared evenly among the elements equal to y

    >>> torch.masked.amin(torch.tensor([2., 1., 3.]), mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    filled = _at_limit("amin", input, mask, True)
    return filled.amin(_dims(dim, input.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: DType = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the largest element is; in the input's dtype unless another one is given.

    Shape and dtype: Without `dim`; the dtype of the input, or `dtype`.
    Derivative: none, positions have no derivative

    >>> torch.masked.argmax(torch.tensor([1., 9., 3.]), mask=torch.tensor([True, False, True]), dtype=torch.int64)
    tensor(2)
    """
    filled = _at_limit("argmax", input, mask, False)
    return filled.argmax(dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: DType = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Where the smallest element is; in the input's dtype unless another one is given.

    Shape and dtype: Without `dim`; the dtype of the input, or `dtype`.
    Derivative: none, positions have no derivative

    >>> torch.masked.argmin(torch.tensor([2., 1., 3.]), mask=torch.tensor([True, False, True]), dtype=torch.int64)
    tensor(0)
    """
    filled = _at_limit("argmin", input, mask, True)
    return filled.argmin(dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


def mean(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The mean over `dim`.

    Shape and dtype: Without the dimensions averaged over; the dtype of the input, which is floating, or `dtype`.
    Derivative: g / the number of elements under the mask, 0 where it is false

    >>> torch.masked.mean(torch.tensor([1., 9., 3.]), mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    kind = input.dtype if dtype is None else dtype
    if is_integral(kind):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either "
            f"a floating point or complex dtype. Got: {kind}"
        )
    total = sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask)
    return total / _count(input, dim, bool(keepdim), mask)


def _count(input: Tensor, dim: Dims, keepdim: bool, mask: Tensor | None) -> Tensor:
    counted = ones(input.shape, dtype=bool_dtype) if mask is None else _input_mask(input, mask=mask)
    return counted.sum(_dims(dim, input.ndim), keepdim)


def median(
    input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The middle element along `dim`, the lower one of two.

    Shape and dtype: Without `dim`; the dtype of the input, which is floating, or `dtype`.
    Derivative: zeros with g at the median

    >>> torch.masked.median(torch.tensor([1., 9., 3.]), 0, mask=torch.tensor([True, True, False]))
    tensor(1.)
    """
    is_floating = input.dtype.is_floating_point
    floating = input if is_floating else input.to(float32)
    result = _filled(floating, mask, nan).nanmedian(wrap_dim(dim, input.ndim), keepdim).values
    if is_floating:
        return result
    if result.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(input.dtype if dtype is None else dtype)


def logsumexp(
    input: Tensor, dim: Dims = None, *, keepdim: bool = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, which is floating, or `dtype`.
    Derivative: g * exp(x - y), 0 where the mask is false

    >>> torch.masked.logsumexp(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor(1.6931)
    """
    dims = _dims(dim, input.ndim)
    filled = _filled(input, mask, -inf) if input.is_complex() else _at_limit("logsumexp", input, mask, False)
    result = filled.logsumexp(dims, keepdim=keepdim)
    return result.to(input.dtype if dtype is None else dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: DType = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of order `ord` over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, which is floating, or `dtype`.
    Derivative: g * sgn(x) * (|x| / y)^(ord - 1), 0 where the mask is false

    >>> torch.masked.norm(torch.tensor([3., 9., 4.]), 2, mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    filled = _filled(input, mask, inf if ord == -inf else 0)
    dtype = input.dtype if dtype is None else dtype
    return _core.functions["linalg_vector_norm"](filled, ord, _dims(dim, input.ndim), bool(keepdim), dtype=dtype)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: DType = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, or `dtype`; of integers float32.
    Derivative: g * 2 / (n - correction) * (x - mean), 0 where the mask is false

    >>> torch.masked.var(torch.tensor([1., 9., 3.]), 0, unbiased=True, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    kind = (float32 if is_integral(input.dtype) else input.dtype) if dtype is None else dtype
    wide = float32 if is_integral(kind) else kind
    centre = sum(input, dim, keepdim=True, dtype=kind, mask=mask) / _count(input, dim, True, mask)
    difference = input - centre
    total = sum(difference * difference.conj(), dim, keepdim=keepdim, dtype=wide, mask=mask)
    freedom = (_count(input, dim, bool(keepdim), mask).to(wide.to_real()) - correction).clamp_min(0)
    return (total / freedom).to(kind)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: DType = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, or `dtype`; of integers float32.
    Derivative: g / (n - correction) * (x - mean) / y, 0 where the mask is false

    >>> torch.masked.std(torch.tensor([1., 9., 3.]), 0, unbiased=True, mask=torch.tensor([True, False, True]))
    tensor(1.4142)
    """
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


# ---- the shape stays


def cumsum(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Sums up to each element along `dim`.

    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    Derivative: g summed from the other end, 0 where the mask is false

    >>> torch.masked.cumsum(torch.tensor([1., 9., 3.]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 4.])
    """
    dtype = input.dtype if dtype is None else dtype
    return _filled(input, mask, 0).cumsum(wrap_dim(dim, input.ndim), dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Products up to each element along `dim`.

    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    Derivative: that of cumprod with ones in place of what the mask hides, which gets 0

    >>> torch.masked.cumprod(torch.tensor([2., 9., 3.]), 0, mask=torch.tensor([True, False, True]))
    tensor([2., 2., 6.])
    """
    dtype = input.dtype if dtype is None else dtype
    return _filled(input, mask, 1).cumprod(wrap_dim(dim, input.ndim), dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Exponentials along `dim`, divided by their sum; zero where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: y * (g - sum(g * y))

    >>> torch.masked.softmax(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    at = wrap_dim(dim, input.ndim)
    return _at_limit("amax", input, mask, False).softmax(at, dtype=input.dtype if dtype is None else dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of softmax; minus infinity where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: g - exp(y) * sum(g)

    >>> torch.masked.log_softmax(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([-0.6931,    -inf, -0.6931])
    """
    at = wrap_dim(dim, input.ndim)
    return _at_limit("amax", input, mask, False).log_softmax(at, dtype=input.dtype if dtype is None else dtype)


def softmin(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """softmax of the negative; zero where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: -y * (g - sum(g * y))

    >>> torch.masked.softmin(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    at = wrap_dim(dim, input.ndim)
    filled = _at_limit("amin", input, mask, True)
    return functional.softmin(filled, at, dtype=input.dtype if dtype is None else dtype)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The input divided by its norm along `dim`; zero where the mask is false.

    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: (g - y * sum(g * y)) / |x|, for ord 2

    >>> torch.masked.normalize(torch.tensor([3., 9., 4.]), 2., 0, mask=torch.tensor([True, False, True]))
    tensor([0.6000, 0.0000, 0.8000])
    """
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(input, mask, 0) / length.maximum(length.new_full((), eps))


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: DType = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """log(exp(input) + exp(other)), each with a mask of its own.

    Shape and dtype: The inputs are broadcast to one shape; the dtype to which both are promoted, or `dtype`.
    Derivative: input: g * exp(input - y), other: g * exp(other - y)

    >>> torch.masked.logaddexp(torch.tensor([0., 1.]), torch.tensor([0., 1.]), other_mask=torch.tensor([True, False]))
    tensor([0.6931, 1.0000])
    """
    a, b = (_at_limit("logaddexp", t, mask, False) for t, mask in ((input, input_mask), (other, other_mask)))
    return a.logaddexp(b).to(input.dtype if dtype is None else dtype)


_MASKS = "chainrule has no tensors with a mask of their own; the functions of torch.masked take one"
MaskedTensor = refused_class("masked.MaskedTensor", _MASKS)
masked_tensor, as_masked_tensor = refused("masked.masked_tensor", _MASKS), refused("masked.as_masked_tensor", _MASKS)
