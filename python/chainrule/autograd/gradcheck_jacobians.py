"""The two sides that gradcheck compares: Jacobians by finite differences, and by backward or forward mode.

A Jacobian has a row for each number of the input and a column for each number of the output. Finite differences move
the caller's tensor itself, so that a function which has it from elsewhere sees the change as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from . import forward_ad
from .differentiate import grad

_functions = _core.functions


class GradcheckError(RuntimeError):
    """A gradient differs from finite differences."""

    __module__ = "chainrule.autograd.gradcheck"


def as_tuple(value: Any) -> tuple:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def is_checked(t: Any) -> bool:
    return isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())


def differentiable(outputs: Any) -> tuple:
    return tuple(y for y in as_tuple(outputs) if y.requires_grad)


def wanted(inputs: Sequence) -> list[tuple[int, Tensor]]:
    """The inputs that require a gradient, and their places."""
    return [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]


# ---- finite differences


def _check_same(a: Tensor, b: Tensor, eps: float, index: tuple | None) -> None:
    place = "" if index is None else f"on index {index} "
    for what in ("shape", "dtype"):
        if getattr(a, what) != getattr(b, what):
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {place}by {eps}, "
                f"but got: {what}s {getattr(a, what)} and {getattr(b, what)}."
            )


def _difference(call: Callable[[], tuple], entry: Tensor, step: Any, eps: float, index: tuple | None) -> list[Tensor]:
    """The central difference of each output as `entry`, a part of an input, moves by `step`."""
    before = entry.clone()
    entry.copy_(before - step)
    low = call()
    entry.copy_(before + step)
    high = call()
    entry.copy_(before)
    for a, b in zip(low, high, strict=False):
        _check_same(a, b, eps, index)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(low, high, strict=False)]


def moved(
    func: Callable, inputs: Sequence, entry: Tensor, steps: tuple, eps: float, index: tuple | None = None
) -> list:
    """The derivative of each output in a direction: `steps` has a step for real numbers, for complex ones a second one
    for the imaginary part, and the result is then the conjugate Wirtinger derivative.
    """

    def call() -> tuple:
        return tuple(y.clone() for y in as_tuple(func(*inputs)))

    along = _difference(call, entry, steps[0], eps, index)
    if not entry.is_complex():
        return along
    across = _difference(call, entry, steps[1] * 1j, eps, index)
    return [x + y * 1j for x, y in zip(along, across, strict=True)]


def by_differences(func: Callable, inputs: Sequence, eps: float, targets: Sequence | None = None) -> list[list[Tensor]]:
    """For each input that requires a gradient, its Jacobian for each floating output."""
    found = []
    for _, x in wanted(inputs if targets is None else targets):
        data = x.data  # writes through it are not counted: all is put back
        rows = [moved(func, inputs, data[i], (eps, eps), eps, i) for i in product(*map(range, x.shape))]
        outputs = [y for y in as_tuple(func(*inputs)) if isinstance(y, Tensor)]
        columns = zip(*rows, strict=True) if rows else ([] for _ in outputs)
        pairs = [(y, c) for y, c in zip(outputs, columns, strict=True) if is_checked(y)]
        found.append([_stacked(c, y.numel(), x if x.is_complex() else y) for y, c in pairs])
    return found


def _stacked(rows: Sequence[Tensor], width: int, like: Tensor) -> Tensor:
    if not rows:
        return _functions["zeros"]((0, width), dtype=like.dtype, device=like.device)
    return _functions["stack"](list(rows)).to(like.dtype)


# ---- backward


def by_backward(
    output: Tensor, inputs: Sequence, starts: list[Tensor], tolerance: float, check_dtypes: bool
) -> list[Tensor]:
    """For each input the gradients of `output` for each of several starts, one column each. All is done twice: the
    results have to be equal.
    """
    xs = [x for _, x in wanted(inputs)]
    runs = [[grad(output, xs, g, retain_graph=True, allow_unused=True) for g in starts] for _ in range(2)]
    dtypes, sizes = _kinds(runs[0], xs)
    if not dtypes and check_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes:
        raise GradcheckError("Analytical gradient has incorrect size")
    first, second = ([_columns([row[k] for row in run], x) for k, x in enumerate(xs)] for run in runs)
    if not _equal(first, second, tolerance):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient."
            f"The tolerance for nondeterminism was {tolerance}."
        )
    return first


def _kinds(rows: list, xs: list[Tensor]) -> tuple[bool, bool]:
    """Whether all gradients have their input's dtype, and its size."""
    pairs = [(g, x) for row in rows for g, x in zip(row, xs, strict=True) if g is not None]
    return all(g.dtype == x.dtype for g, x in pairs), all(g.shape == x.shape for g, x in pairs)


def _equal(first: list[Tensor], second: list[Tensor], tolerance: float) -> bool:
    return not any(a.numel() and (a - b).abs().max().item() > tolerance for a, b in zip(first, second, strict=True))


def _columns(gradients: list, x: Tensor) -> Tensor:
    made = _functions["zeros"]((x.numel(), len(gradients)), dtype=x.dtype, device=x.device)
    for j, g in enumerate(gradients):
        if g is not None:
            made[:, j] = g.reshape(-1)
    return made


def units(output: Tensor) -> list[Tensor]:
    """For each number of the output a gradient with a 1 there."""
    count = output.numel()
    return (
        [
            row.reshape(output.shape)
            for row in _functions["eye"](count, dtype=output.dtype, device=output.device).unbind(0)
        ]
        if count
        else []
    )


# ---- forward mode


class Directions(NamedTuple):
    """Inputs as dual tensors, and the tangents, which may be written into."""

    inputs: list
    tangents: list[Tensor]

    @classmethod
    def make(cls, inputs: Sequence) -> Directions:
        duals, tangents = list(inputs), []
        for i, x in wanted(inputs):
            duals[i] = forward_ad.make_dual(x.detach(), _functions["zeros_like"](x))
            tangents.append(forward_ad.unpack_dual(duals[i]).tangent)
        return cls(duals, tangents)


def by_forward(
    func: Callable, inputs: Sequence, check_dtypes: bool, directions: list[Tensor] | None = None
) -> list[list[Tensor]]:
    """For each input its Jacobian for each floating output, or the products with one direction for each input."""
    found = []
    with forward_ad.dual_level():
        duals = Directions.make(inputs)
        for k, tangent in enumerate(duals.tangents):
            rows = []
            steps = units(tangent) if directions is None else [directions[k].reshape(tangent.shape)]
            for step in steps:
                tangent.copy_(step)
                rows.append(_tangents(func(*duals.inputs), check_dtypes))
            tangent.zero_()
            if directions is not None:
                found.append(rows[0])
                continue
            outputs = [y for y in as_tuple(func(*duals.inputs)) if is_checked(y)] if not rows else rows[0]
            columns = zip(*rows, strict=True) if rows else ([] for _ in outputs)
            found.append([_stacked(c, y.numel(), y) for c, y in zip(columns, outputs, strict=True)])
    return found


def _tangents(outputs: Any, check_dtypes: bool) -> list[Tensor]:
    flat = []
    for y in as_tuple(outputs):
        if not is_checked(y):
            continue
        primal, tangent = forward_ad.unpack_dual(y)
        if tangent is not None and check_dtypes and primal.is_complex() != tangent.is_complex():
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        flat.append((_functions["zeros_like"](primal) if tangent is None else tangent.clone()).detach().reshape(-1))
    return flat
