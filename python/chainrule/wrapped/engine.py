"""What the engine asks where a gradient has no elements: the class is asked, as for any operation."""

from __future__ import annotations

from typing import NoReturn

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad

__all__ = ["accumulated", "cast_like", "copied", "dense", "ones", "owned", "scalar", "sum_of"]


def ones(output: Tensor) -> Tensor:
    """The gradient that a pass starts with."""
    with no_grad():
        return _core.functions["ones_like"](output)


def scalar(x: Tensor) -> Tensor:
    """Its one element, for bool(x) and float(x)."""
    return _core.functions["scalar_tensor"](x.item(), dtype=x.dtype)


def sum_of(a: Tensor, b: Tensor) -> Tensor:
    """Of two gradients."""
    return a + b


def accumulated(old: Tensor, gradient: Tensor) -> Tensor:
    """What becomes of a leaf's .grad as one more gradient arrives."""
    with no_grad():
        return old.add_(gradient)


def cast_like(gradient: Tensor, like: Tensor) -> Tensor:
    """A gradient of the dtype that its input has."""
    return gradient.to(like.dtype)


def owned(gradient: Tensor) -> Tensor:
    """What becomes a leaf's .grad: with a place of its own for each element, since it is written into."""
    with no_grad():
        if gradient.is_contiguous():
            return gradient.detach()
        return gradient.clone(memory_format=_core.contiguous_format)


def copied(gradient: Tensor) -> Tensor:
    """The same with its history."""
    return gradient.clone()


def dense(gradient: Tensor) -> NoReturn:
    """What the core's own gradient functions would get."""
    raise NotImplementedError(
        f"the gradient that arrives here is a {type(gradient).__name__}, whose class has a __torch_dispatch__, and "
        "what it arrives at was calculated from tensors of other classes: chainrule can't hand it on"
    )
