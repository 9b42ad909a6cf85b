"""What gradcheck asks of a backward function beyond the right numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from .differentiate import grad

_functions = _core.functions


class GradcheckError(RuntimeError):
    """A gradient differs from finite differences."""

    __module__ = "chainrule.autograd.gradcheck"


def is_checked(t: Any) -> bool:
    return isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())


def as_tuple(value: Any) -> tuple:
    return (value,) if isinstance(value, Tensor) else tuple(value)


def outputs_of(func: Callable, inputs: Sequence) -> list[Tensor]:
    """What func returns, as far as it can have a gradient."""
    return [y for y in as_tuple(func(*inputs)) if is_checked(y)]


def check_reentrant(func: Callable, inputs: tuple, xs: list[Tensor], tolerance: float) -> None:
    for y in outputs_of(func, inputs):
        if not y.requires_grad:
            continue
        g = _functions["ones_like"](y)
        runs = [grad(y, xs, g, retain_graph=True, allow_unused=True) for _ in range(2)]
        for a, b in zip(*runs, strict=True):
            if a is not None and b is not None and a.numel() and (a - b).abs().max().item() > tolerance:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient. The tolerance "
                    f"for nondeterminism was {tolerance}."
                )


def check_undefined(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    """Backward has to cope with gradients that do not arrive."""
    outputs = [y for y in outputs_of(func, inputs) if y.requires_grad]
    for y in outputs if len(outputs) > 1 else ():
        try:
            grad(y, xs, _functions["zeros_like"](y), retain_graph=True, allow_unused=True)
        except (TypeError, AttributeError) as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at 'Notes about undefined "
                f"output gradients' in 'tools/autograd/derivatives.yaml': {error}"
            ) from error


def check_batched(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    for y in outputs_of(func, inputs):
        if not y.requires_grad:
            continue
        rows = [_functions["randn"](y.shape, dtype=y.dtype) for _ in range(2)]
        single = [grad(y, xs, g, retain_graph=True, allow_unused=True) for g in rows]
        batched = grad(y, xs, _functions["stack"](rows), retain_graph=True, allow_unused=True, is_grads_batched=True)
        for k, together in enumerate(batched):
            for i, alone in enumerate(single):
                if alone[k] is not None and (together[i] - alone[k]).abs().max().item() > 1e-6:
                    raise GradcheckError("vmap over backward gives other gradients than a loop")


def check_dtypes(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    for y in outputs_of(func, inputs):
        found = grad(y, xs, _functions["ones_like"](y), allow_unused=True) if y.requires_grad else ()
        for g, x in zip(found, xs, strict=False):
            if g is not None and g.dtype != x.dtype:
                raise GradcheckError(f"Gradient has dtype {g.dtype}, but its input has {x.dtype}")


def check_multiplied(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    """A gradient is linear in that of the output, so it is zero where that is."""
    for y in outputs_of(func, inputs):
        found = (
            grad(y, xs, _functions["zeros_like"](y), retain_graph=True, allow_unused=True) if y.requires_grad else ()
        )
        if any(g is not None and bool((g != 0).any()) for g in found):
            raise GradcheckError("backward not multiplied by grad_output")


def check_batched_forward(func: Callable, inputs: tuple, numbers: Sequence[int]) -> None:
    """vmap over forward mode gives what one direction after the other gives."""
    from ..func import jvp, vmap

    def tangents(which: int, direction: Tensor) -> tuple:
        plain = [t.detach() if isinstance(t, Tensor) else t for t in inputs]

        def of_one(x: Tensor) -> tuple:
            return tuple(outputs_of(func, [*plain[:which], x, *plain[which + 1 :]]))

        return jvp(of_one, (plain[which],), (direction,))[1]

    for which in numbers:
        x = inputs[which]
        rows = [_functions["randn"](x.shape, dtype=x.dtype) for _ in range(2)]
        single = [tangents(which, row) for row in rows]
        together = vmap(lambda row, which=which: tangents(which, row))(_functions["stack"](rows))
        for k, batch in enumerate(together):
            for i, alone in enumerate(single):
                if alone[k].numel() and (batch[i] - alone[k]).abs().max().item() > 1e-6:
                    raise GradcheckError("vmap over forward mode gives other tangents than a loop")
