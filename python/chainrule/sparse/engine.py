"""What the core asks of sparse tensors: the engine adds their gradients, and gives them to functions that know none."""

from __future__ import annotations

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .convert import dense as dense
from .elementwise import cast, plus
from .history import assembled, loose
from .parts import CooPattern, is_sparse, make, pattern_of, raw_values

__all__ = ["accumulated", "cast_like", "coo", "copied", "dense", "owned", "sum_of"]


def coo(indices: Tensor, values: Tensor, size: tuple[int, ...]) -> Tensor:
    """A gradient that the core calculated."""
    return assembled(values, CooPattern(indices, size))


def sum_of(a: Tensor, b: Tensor) -> Tensor:
    """Of two gradients; dense if one of them is."""
    if is_sparse(a) and not is_sparse(b):
        a, b = b, a
    return plus(a, b)


def accumulated(old: Tensor, gradient: Tensor) -> Tensor:
    """What becomes of a leaf's .grad as one more gradient arrives: the same object where the layout stays."""
    with no_grad():
        if is_sparse(old) and not is_sparse(gradient):
            return sum_of(old, gradient)
        return _core.become(old, sum_of(old, gradient)) if is_sparse(old) else old.add_(gradient)


def cast_like(gradient: Tensor, like: Tensor) -> Tensor:
    """A gradient of the dtype that its input has."""
    if gradient.is_complex() and not like.is_complex():
        gradient = gradient.real
    return cast(gradient, like.dtype)


def owned(gradient: Tensor) -> Tensor:
    """What becomes a leaf's .grad: an object of its own over the same parts, which nobody changes in place."""
    return make(pattern_of(gradient), raw_values(gradient))


def copied(gradient: Tensor) -> Tensor:
    """The same with its history."""
    pattern, values = loose(gradient)
    return assembled(values.clone(), pattern)
