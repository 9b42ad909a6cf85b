"""Reductions that leave out what a mask hides."""

from __future__ import annotations

from math import inf, nan

from .. import _core, float32, ones
from .. import bool as bool_dtype
from .._core import Tensor
from ..ops.checks import is_integral, wrap_dim
from .masks import Dims, DType, _input_mask, all_dims, at_limit, fill_hidden, wide_dtype


def sum(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The sum over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input (int64 for bool and integers), or `dtype`.
    Derivative: g expanded to the shape of the input, 0 where the mask is false

    >>> torch.masked.sum(torch.tensor([1., 2., 3.]), mask=torch.tensor([True, False, True]))
    tensor(4.)
    """
    dtype = wide_dtype(input) if dtype is None else dtype
    return fill_hidden(input, mask, 0).sum(all_dims(dim, input.ndim), bool(keepdim), dtype=dtype)


def prod(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The product over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input (int64 for bool and integers), or `dtype`.
    Derivative: g * the product of all other elements, 0 where the mask is false

    >>> torch.masked.prod(torch.tensor([2., 3., 4.]), mask=torch.tensor([True, False, True]))
    tensor(8.)
    """
    result = fill_hidden(input, mask, 1).to(wide_dtype(input) if dtype is None else dtype)
    for d in reversed(all_dims(dim, input.ndim)):
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
    filled = at_limit("amax", input, mask, False)
    return filled.amax(all_dims(dim, input.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


def amin(
    input: Tensor, dim: Dims = None, *, keepdim: bool | None = False, dtype: DType = None, mask: Tensor | None = None
) -> Tensor:
    """The smallest element over `dim`.

    Shape and dtype: Without the dimensions reduced; the dtype of the input, or `dtype`.
    Derivative: g shared evenly among the elements equal to y

    >>> torch.masked.amin(torch.tensor([2., 1., 3.]), mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    filled = at_limit("amin", input, mask, True)
    return filled.amin(all_dims(dim, input.ndim), bool(keepdim)).to(input.dtype if dtype is None else dtype)


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
    filled = at_limit("argmax", input, mask, False)
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
    filled = at_limit("argmin", input, mask, True)
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
    return total / count(input, dim, bool(keepdim), mask)


def count(input: Tensor, dim: Dims, keepdim: bool, mask: Tensor | None) -> Tensor:
    counted = ones(input.shape, dtype=bool_dtype) if mask is None else _input_mask(input, mask=mask)
    return counted.sum(all_dims(dim, input.ndim), keepdim)


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
    result = fill_hidden(floating, mask, nan).nanmedian(wrap_dim(dim, input.ndim), keepdim).values
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
    dims = all_dims(dim, input.ndim)
    filled = fill_hidden(input, mask, -inf) if input.is_complex() else at_limit("logsumexp", input, mask, False)
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
    filled = fill_hidden(input, mask, inf if ord == -inf else 0)
    dtype = input.dtype if dtype is None else dtype
    return _core.functions["linalg_vector_norm"](filled, ord, all_dims(dim, input.ndim), bool(keepdim), dtype=dtype)


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
    centre = sum(input, dim, keepdim=True, dtype=kind, mask=mask) / count(input, dim, True, mask)
    difference = input - centre
    total = sum(difference * difference.conj(), dim, keepdim=keepdim, dtype=wide, mask=mask)
    freedom = (count(input, dim, bool(keepdim), mask).to(wide.to_real()) - correction).clamp_min(0)
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
