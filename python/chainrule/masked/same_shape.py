"""Operations with a mask whose results have the shape of the input."""

from __future__ import annotations

from .._core import Tensor
from ..nn import functional
from ..ops.checks import wrap_dim
from .masks import DType, at_limit, fill_hidden
from .reductions import norm


def cumsum(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Sums up to each element along `dim`.

    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    Derivative: g summed from the other end, 0 where the mask is false

    >>> torch.masked.cumsum(torch.tensor([1., 9., 3.]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 4.])
    """
    dtype = input.dtype if dtype is None else dtype
    return fill_hidden(input, mask, 0).cumsum(wrap_dim(dim, input.ndim), dtype=dtype)


def cumprod(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Products up to each element along `dim`.

    Shape and dtype: The shape of the input; its dtype (int64 for bool and integers), or `dtype`.
    Derivative: that of cumprod with ones in place of what the mask hides, which gets 0

    >>> torch.masked.cumprod(torch.tensor([2., 9., 3.]), 0, mask=torch.tensor([True, False, True]))
    tensor([2., 2., 6.])
    """
    dtype = input.dtype if dtype is None else dtype
    return fill_hidden(input, mask, 1).cumprod(wrap_dim(dim, input.ndim), dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """Exponentials along `dim`, divided by their sum; zero where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: y * (g - sum(g * y))

    >>> torch.masked.softmax(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    at = wrap_dim(dim, input.ndim)
    return at_limit("amax", input, mask, False).softmax(at, dtype=input.dtype if dtype is None else dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of softmax; minus infinity where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: g - exp(y) * sum(g)

    >>> torch.masked.log_softmax(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([-0.6931,    -inf, -0.6931])
    """
    at = wrap_dim(dim, input.ndim)
    return at_limit("amax", input, mask, False).log_softmax(at, dtype=input.dtype if dtype is None else dtype)


def softmin(input: Tensor, dim: int, *, dtype: DType = None, mask: Tensor | None = None) -> Tensor:
    """softmax of the negative; zero where the mask is false.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: -y * (g - sum(g * y))

    >>> torch.masked.softmin(torch.tensor([1., 9., 1.]), 0, mask=torch.tensor([True, False, True]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    at = wrap_dim(dim, input.ndim)
    filled = at_limit("amin", input, mask, True)
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
    return fill_hidden(input, mask, 0) / length.maximum(length.new_full((), eps))


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
    a, b = (at_limit("logaddexp", t, mask, False) for t, mask in ((input, input_mask), (other, other_mask)))
    return a.logaddexp(b).to(input.dtype if dtype is None else dtype)
