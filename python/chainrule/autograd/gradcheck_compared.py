"""How gradcheck compares: every entry of the Jacobians, or in fast mode their product with random vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from .gradcheck_jacobians import (
    GradcheckError,
    by_backward,
    by_differences,
    by_forward,
    differentiable,
    is_checked,
    moved,
    units,
    wanted,
)

_functions = _core.functions


class Case(NamedTuple):
    """A function to check, its inputs and what it returned. Of a complex function the real and the imaginary part are
    cases of their own: `part` names it, `places` are the outputs (in forward mode the inputs) that were complex.
    """

    func: Callable
    inputs: tuple
    outputs: tuple
    places: list[int] = []  # noqa: RUF012
    part: str = ""
    forward: bool = False

    def mismatch(self, found: Tensor, expected: Tensor, output: int, number: int) -> str:
        """PyTorch's words."""
        concerned = (number if self.forward else output) in self.places
        kind = "inputs" if self.forward else "outputs"
        words = f"While considering the {self.part} part of complex {kind} only, " if concerned else ""
        mode = "computed with forward mode " if self.forward else ""
        return (
            f"{words}Jacobian {mode}mismatch for output {output} with respect to input {number},\n"
            f"numerical:{expected}\nanalytical:{found}\n"
        )

    def again(self) -> tuple:
        """The differentiable outputs, calculated anew: the inputs were moved and put back meanwhile."""
        return differentiable(self.func(*self.inputs))


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    dtype = _core.promote_types(a.dtype, b.dtype)
    return _functions["allclose"](a.to(dtype), b.to(dtype), rtol, atol)


def compare_slow(case: Case, eps: float, atol: float, rtol: float, tolerance: float, check_dtypes: bool) -> None:
    numerical = by_differences(case.func, case.inputs, eps)
    recorded = [y.requires_grad for y in case.outputs if is_checked(y)]
    if not any(y.requires_grad for y in case.outputs):
        if any(bool((jacobian != 0).any()) for of_input in numerical for jacobian in of_input):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    expected = [[j for j, r in zip(of_input, recorded, strict=True) if r] for of_input in numerical]
    if case.forward:
        found = by_forward(case.func, case.inputs, check_dtypes)
        for k in range(sum(recorded)):
            for i, columns in enumerate(found):
                _compare(case, columns[k], expected[i][k], (k, i), (eps, atol, rtol))
        return
    for k, y in enumerate(case.again()):
        columns = by_backward(y, case.inputs, units(y), tolerance, check_dtypes)
        for i, jacobian in enumerate(columns):
            _compare(case, jacobian, expected[i][k], (k, i), (eps, atol, rtol))


def _compare(case: Case, found: Tensor, expected: Tensor, place: tuple[int, int], tolerances: tuple) -> None:
    eps, atol, rtol = tolerances
    if _close(found, expected, rtol, atol):
        return
    output, number = place
    raise GradcheckError(case.mismatch(found, expected, output, number) + _worst(case, found, expected, place, eps))


def _index(flat: int, shape: tuple) -> tuple[int, ...]:
    place = []
    for size in reversed(shape):
        flat, i = divmod(flat, size)
        place.append(i)
    return tuple(reversed(place))


def _worst(case: Case, found: Tensor, expected: Tensor, place: tuple[int, int], eps: float) -> str:
    """Which entry is wrong, and whether the point is a kink."""
    output, number = place
    which, x = wanted(case.inputs)[number]
    y = differentiable(case.outputs)[output]
    gap = (found - expected).abs().nan_to_num(nan=float("inf"))
    row, column = _index(int(gap.argmax()), tuple(gap.shape))
    at, to = _index(row, tuple(x.shape)), _index(column, tuple(y.shape))
    return (
        f"  The worst entry is d output{list(to)} / d input{list(at)}: finite differences give "
        f"{expected[row, column].item():.10g}, the gradient is {found[row, column].item():.10g}.\n"
        f"  {_kink(case, which, at, output, column, eps)}"
    )


def _kink(case: Case, which: int, at: tuple, output: int, column: int, eps: float) -> str:
    """Whether the slopes to the left and to the right of the point differ, in words."""
    values = []
    data = case.inputs[which].data
    middle = data[at].clone()
    for step in (-eps, 0.0, eps):
        data[at] = middle + step
        values.append(differentiable(case.func(*case.inputs))[output].detach().reshape(-1)[column].item())
    data[at] = middle
    left, right = (values[1] - values[0]) / eps, (values[2] - values[1]) / eps
    if abs(left - right) > 1e-2 * max(1.0, abs(left), abs(right)):
        return (
            f"The point is a kink: the slope is {left:.6g} to the left of it and {right:.6g} to the right. Finite "
            "differences give their mean; choose another point."
        )
    return f"The point is no kink: the slope is {left:.6g} to the left of it and {right:.6g} to the right."


# ---- fast mode: u J v from both sides


def _vector(t: Tensor, generator: Any, real: bool) -> Tensor:
    v = _functions["rand"](t.numel(), generator=generator)
    v = v.to(t.device, t.dtype if not (real and t.is_complex()) else (t.real.dtype))
    return v / v.norm()


def _vectors(xs: list[Tensor], generator: Any) -> list[tuple[Tensor, ...]]:
    """For each input a direction; for a complex one another for its imaginary part."""
    return [tuple(_vector(x, generator, True) for _ in range(2 if x.is_complex() else 1)) for x in xs]


def compare_fast(case: Case, eps: float, atol: float, rtol: float, tolerance: float, check_dtypes: bool) -> None:
    outputs = differentiable(case.outputs)
    generator = _core.Generator()
    xs = wanted(case.inputs)
    directions = _vectors([x for _, x in xs], generator)
    weights = None if case.forward else [_vector(y, generator, False) for y in outputs]
    moves = []
    for (_, x), us in zip(xs, directions, strict=True):
        steps = tuple(u.reshape(x.shape) * eps for u in us)
        found = moved(case.func, case.inputs, x.data, steps, eps)
        moves.append([d for d, y in zip(found, case.outputs, strict=True) if is_checked(y)])
    if weights is not None and not outputs:
        if any(d.numel() and d.abs().max().item() > tolerance for of_input in moves for d in of_input):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    if weights is None:
        found = by_forward(case.func, case.inputs, check_dtypes, [us[0] for us in directions])
        expected = moves
    else:
        columns = [
            by_backward(y, case.inputs, [v.reshape(y.shape)], tolerance, check_dtypes)
            for y, v in zip(case.again(), weights, strict=True)
        ]
        found = [[_along(of_output[i].reshape(-1), us) for of_output in columns] for i, us in enumerate(directions)]
        expected = [[(d * v).sum() for d, v in zip(of_input, weights, strict=False)] for of_input in moves]
    _compare_fast(case, found, expected, directions, weights, (eps, atol, rtol))


def _along(gradient: Tensor, us: tuple[Tensor, ...]) -> Tensor:
    if not gradient.is_complex():
        return gradient.dot(us[0])
    parts = _functions["view_as_real"](gradient.resolve_conj())
    return parts[:, 0].dot(us[0]) + 1j * parts[:, 1].dot(us[1])


def _compare_fast(case: Case, found: list, expected: list, directions: list, weights: Any, tolerances: tuple) -> None:
    eps, atol, rtol = tolerances
    for i, us in enumerate(directions):
        for k, (a, n) in enumerate(zip(found[i], expected[i], strict=True)):
            scale = sum(float(u.sum()) for u in us) * (
                1.0 if weights is None else abs(complex(weights[k].sum().item()))
            )
            if _close(a, n, rtol, atol * scale):
                continue
            raise GradcheckError(
                case.mismatch(a, n, k, i)
                + "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. "
                "See: https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we "
                "recompute numerical and analytical jacobians in slow mode:\n\n" + _slowly(case, (k, i), eps)
            )


def _slowly(case: Case, place: tuple[int, int], eps: float) -> str:
    """Both Jacobians of one output and input in full."""
    output, number = place
    numerical = by_differences(case.func, case.inputs, eps)[number][output]
    if case.forward:
        analytical = by_forward(case.func, case.inputs, False)[number][output]
    else:
        y = case.again()[output]
        analytical = by_backward(y, case.inputs, units(y), float("inf"), False)[number]
    worst = (numerical - analytical).abs().max()
    return (
        f"Numerical:\n {numerical}\nAnalytical:\n{analytical}\n\n"
        f"The max per-element difference (slow mode) is: {worst}.\n" + _worst(case, analytical, numerical, place, eps)
    )
