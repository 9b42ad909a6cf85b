"""Who is nearer to the exact value where chainrule and PyTorch differ by rounding; tools/coverage.py asks.

The exact value is PyTorch's in float64, of the same samples of its database of operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import chainrule
from aspects import SAMPLES, thinned
from carrying import Carrier


def widened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: widened(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(widened, value))
    if isinstance(value, torch.dtype):
        return torch.float64 if value.is_floating_point else value
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().double().requires_grad_(value.requires_grad)
    return value


def results(carrier: Carrier, function: Callable, sample: tuple, gradient: bool) -> list[np.ndarray]:
    """Values, or gradients of the sum of all results, as arrays of double precision."""
    library = carrier.library
    args, kwargs = carrier(sample)
    made = [t for t in carrier.leaves(carrier(function)(*args, **kwargs)) if isinstance(t, library.Tensor)]
    if gradient:
        given = carrier.leaves([args, kwargs])
        inputs = [x for x in given if isinstance(x, library.Tensor) and x.requires_grad]
        total = sum(x.sum() for x in made if x.requires_grad)
        made = [x for x in library.autograd.grad(total, inputs, allow_unused=True) if x is not None]
    return [carrier.array(x.to(library.complex128 if x.is_complex() else library.float64)) for x in made]


@torch.backends.mkldnn.flags(enabled=False)  # as the conformance run has it
def error_ratio(op: Any, dtype: torch.dtype, gradient: bool) -> float:
    """The mean error of chainrule's results over that of PyTorch's."""
    ours, theirs = Carrier(chainrule), Carrier(torch)
    errors = np.zeros(2)
    torch.manual_seed(0)
    for s in thinned(iter(op.sample_inputs("cpu", dtype, requires_grad=True)), SAMPLES):
        sample = (s.input, *s.args), s.kwargs
        exact = results(theirs, op.op, widened(sample), gradient)
        for side, carrier in enumerate((ours, theirs)):
            found = results(carrier, op.op, sample, gradient)
            errors[side] += sum(abs(mine - wanted).sum() for mine, wanted in zip(found, exact, strict=True))
    return errors[0] / errors[1]
