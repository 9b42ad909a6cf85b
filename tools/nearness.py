"""Who is nearer to the exact value where chainrule and PyTorch differ by rounding; tools/coverage.py asks.

The exact value is PyTorch's in float64, of the same samples of its database of operations.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import torch

import chainrule


def mapped(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same lists, tuples and dicts with other leaves."""
    if isinstance(value, dict):
        return {key: mapped(item, leaf) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(item, leaf) for item in value)
    return leaf(value)


def widened(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return torch.float64 if value.is_floating_point else value
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().double().requires_grad_(value.requires_grad)
    return value


def ours(value: Any) -> Any:
    """A tensor or dtype of PyTorch's as chainrule's."""
    if isinstance(value, torch.dtype):
        return getattr(chainrule, str(value).removeprefix("torch."))
    if not isinstance(value, torch.Tensor):
        return value
    wide = value.detach().resolve_conj()
    wide = wide.float() if value.dtype == torch.bfloat16 else wide
    return chainrule.tensor(wide.numpy(), dtype=ours(value.dtype)).requires_grad_(value.requires_grad)


def function_of(op: Any) -> Callable:
    """chainrule's function; a wrapper in PyTorch's tests is run with chainrule under PyTorch's name."""
    if isinstance(op.op, types.FunctionType) and op.op.__module__.startswith("torch.testing"):
        names = {**op.op.__globals__, "torch": chainrule}
        return types.FunctionType(op.op.__code__, names, op.op.__name__, op.op.__defaults__, op.op.__closure__)
    return reduce(getattr, op.name.split("."), chainrule)


def leaves(value: Any, kind: type) -> list:
    found: list = []
    mapped(value, lambda x: found.append(x) if isinstance(x, kind) else None)
    return found


def results(library: Any, function: Callable, arguments: tuple, gradient: bool) -> list[np.ndarray]:
    """Values, or gradients of the sum of all results, as arrays of double precision."""
    args, kwargs = arguments
    made = leaves(function(*args, **kwargs), library.Tensor)
    if gradient:
        inputs = [x for x in leaves((args, kwargs), library.Tensor) if x.requires_grad]
        total = sum(x.sum() for x in made if x.requires_grad)
        made = [x for x in library.autograd.grad(total, inputs, allow_unused=True) if x is not None]
    wide = (x.detach().to(library.complex128 if x.is_complex() else library.float64) for x in made)
    return [np.array(x.numpy()) for x in wide]


def samples(op: Any, dtype: torch.dtype) -> Iterator[tuple]:
    """Up to eight, spread evenly over the first four hundred, as the conformance run picks them."""
    made = [s for _, s in zip(range(400), op.sample_inputs("cpu", dtype, requires_grad=True), strict=False)]
    for i in sorted({round(i * (len(made) - 1) / 7) for i in range(8)}) if made else ():
        yield (made[i].input, *made[i].args), made[i].kwargs


@torch.backends.mkldnn.flags(enabled=False)  # as the conformance run has it
def error_ratio(op: Any, dtype: torch.dtype, gradient: bool) -> float:
    """The mean error of chainrule's results over that of PyTorch's."""
    mine = theirs = 0.0
    for sample in samples(op, dtype):
        exact = results(torch, op.op, mapped(sample, widened), gradient)
        for got, other, wanted in zip(
            results(chainrule, function_of(op), mapped(sample, ours), gradient),
            results(torch, op.op, sample, gradient),
            exact,
            strict=True,
        ):
            mine += abs(got - wanted).sum()
            theirs += abs(other - wanted).sum()
    return mine / theirs
