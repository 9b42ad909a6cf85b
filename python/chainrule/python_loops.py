"""apply_, map_ and map2_: a Python function called for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import Tensor


def _refuse_gradients(name: str, *tensors: Tensor) -> None:
    if any(t.requires_grad for t in tensors):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead: a Python function "
            "has no derivative"
        )


def _number(value: Any, like: Tensor) -> complex:
    """As the core reads an element: text is no number, and a fraction becomes an integer."""
    if isinstance(value, (str, bytes)) or value is None:
        wanted = (
            "must be real number, not {}"
            if like.dtype.is_floating_point
            else "'{}' object cannot be interpreted as an integer"
        )
        raise TypeError(wanted.format(type(value).__name__))
    return type(like.new_zeros(()).item())(value)


def _fill(self: Tensor, function: Callable, *others: Tensor) -> Tensor:
    """Each element becomes function(element, elements of the others at its place)."""
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable")
    rows = [t.expand(self.shape).reshape(-1).tolist() for t in (self, *others)]
    values = [_number(function(*row), self) for row in zip(*rows, strict=True)]
    return self.copy_(self.new_tensor(values).reshape(self.shape)) if values else self


def apply_(self: Tensor, callable: Callable) -> Tensor:
    """Replaces each element x by callable(x).

    Shape and dtype: Those of the input.
    Derivative: none, a tensor that requires a gradient is refused

    >>> torch.tensor([1., 2.]).apply_(lambda x: x + 1)
    tensor([2., 3.])
    """
    _refuse_gradients("apply_", self)
    return _fill(self, callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable) -> Tensor:
    """Replaces each element x by callable(x, y), y from `tensor`.

    Shape and dtype: Those of the input; `tensor` is broadcast to its shape.
    Derivative: none, a tensor that requires a gradient is refused

    >>> torch.tensor([1., 2.]).map_(torch.tensor([3., 4.]), lambda x, y: x * y)
    tensor([3., 8.])
    """
    _refuse_gradients("map_", self, tensor)
    return _fill(self, callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable) -> Tensor:
    """Replaces each element by callable(element, element of x, element of y).

    Shape and dtype: Those of the input; the others are broadcast to its shape.
    Derivative: none, a tensor that requires a gradient is refused

    >>> one, two = torch.ones(2), torch.full((2,), 2.)
    >>> torch.tensor([1., 2.]).map2_(one, two, lambda a, b, c: a * b + c)
    tensor([3., 4.])
    """
    _refuse_gradients("map2_", self, x, y)
    return _fill(self, callable, x, y)


METHODS = (apply_, map_, map2_)
