"""Branches and loops as functions. PyTorch's compiler traces both branches; here they are Python's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core import Tensor
from .error_words import at_call


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`.

    Args:
        pred: a bool, a number, or a tensor with one element.

    >>> torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.tensor(2.),))
    tensor(3.)
    """
    if not isinstance(pred, (bool, int, float, Tensor)):
        raise at_call(RuntimeError, f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise at_call(RuntimeError, f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return (true_fn if pred else false_fn)(*operands)


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> tuple:
    """Calls `body_fn(*values)` as long as `cond_fn(*values)` is true; the values are first `carried_inputs`.

    >>> torch.while_loop(lambda i: i < 3, lambda i: (i + 1,), (torch.tensor(0),))
    (tensor(3),)
    """
    values = tuple(carried_inputs)
    while cond_fn(*values):
        values = body_fn(*values)
        values = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    return values
