"""Distances and angles between vectors."""

from __future__ import annotations

import math

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...ops.distances import length
from ...type_info import finfo

_functions = _core.functions
_vector_norm = _functions["linalg_vector_norm"]


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps over the last dimension.

    Shape and dtype: The inputs are broadcast to one shape; it without its last dimension; their dtype.
    Derivative: x1: g times the derivative of the norm, x2: minus that

    >>> torch.nn.functional.pairwise_distance(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))
    tensor([5.0000])
    """
    return _vector_norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between x1 and x2 along `dim`.

    Shape and dtype: The inputs are broadcast to one shape; it without `dim`; the dtype to which both are promoted.
    Derivative: x1: g * (x2 / |x2| - y * x1 / |x1|) / |x1|, x2 likewise

    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1., 1.]]), torch.tensor([[1., 0.]]))
    tensor([0.7071])
    """
    if eps < 0:
        raise at_call(RuntimeError, f"eps must be non-negative, got: {eps:g}")
    dtype = _core.result_type(x1, x2)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise at_call(
            RuntimeError, f"expected common dtype to be floating point, yet common dtype is {_type_name(dtype)}"
        )
    x1, x2 = _functions["broadcast_tensors"](x1.to(dtype), x2.to(dtype))
    return (_unit(x1, dim, eps) * _unit(x2, dim, eps)).sum(dim)


def _unit(x: Tensor, dim: int, eps: float) -> Tensor:
    length = _vector_norm(x, 2, dim, True).clone()
    with no_grad():
        length.clamp_min_(eps if eps <= finfo(x.dtype).max else math.inf)  # the gradient is that of the length itself
    return x / length


def _type_name(dtype: _core.dtype) -> str:
    return {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}[
        repr(dtype).removeprefix("torch.")
    ]


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows, (0, 1), (0, 2) ... (n - 2, n - 1).

    Shape and dtype: (n * (n - 1) / 2,) of (n, d); the dtype of the input.
    Derivative: g times the direction between the two rows, summed over the other rows

    >>> torch.nn.functional.pdist(torch.tensor([[0., 0.], [3., 4.], [0., 1.]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    if input.dim() != 2:
        raise at_call(RuntimeError, f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise at_call(RuntimeError, "pdist only supports floating-point dtypes")
    if p < 0:
        raise at_call(RuntimeError, "pdist only supports non-negative p values")
    first, second = _functions["triu_indices"](len(input), len(input), 1)
    if not len(first):
        return input.new_empty(0) + input.sum() * 0
    return length(input[first] - input[second], p)
