"""Gradients against finite differences: gradcheck for the first order, gradgradcheck for the second."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from . import forward_ad
from .differentiate import grad
from .gradcheck_behaviour import (
    GradcheckError,
    as_tuple,
    check_batched,
    check_batched_forward,
    check_dtypes,
    check_multiplied,
    check_reentrant,
    check_undefined,
    is_checked,
    outputs_of,
)

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

_functions = _core.functions


class _Settings(NamedTuple):
    eps: float
    atol: float
    rtol: float
    nondet_tol: float


# ---- a function of complex tensors as one of real ones: gradients of both are the same numbers


def _as_real(t: Tensor) -> Tensor:
    return _functions["view_as_real"](t.resolve_conj()) if t.is_complex() else t


def _numbers(t: Tensor) -> list[float]:
    return _as_real(t.detach()).reshape(-1).tolist()


# ---- Jacobians, as lists of rows: one row per number of the input, one column per number of the output


def _numerical(func: Callable, inputs: Sequence, which: int, eps: float) -> list[list[list[float]]]:
    """Per number of one input, the central differences of all outputs."""
    x = inputs[which].detach().clone().contiguous()
    changed = [*inputs[:which], x, *inputs[which + 1 :]]
    flat = _as_real(x).view(-1)
    rows: list[list[list[float]]] = []
    with _no_grad():
        for i in range(flat.numel()):
            before = flat[i].item()
            sides = []
            for step in (eps, -eps):
                flat[i] = before + step
                sides.append([_numbers(y) for y in outputs_of(func, changed)])
            flat[i] = before
            rows.append(
                [[(a - b) / (2 * eps) for a, b in zip(up, down, strict=True)] for up, down in zip(*sides, strict=True)]
            )
    return rows


class _no_grad:  # noqa: N801
    def __enter__(self) -> None:
        self._before = _core.is_grad_enabled()
        _core.set_grad_enabled(False)

    def __exit__(self, *exception: Any) -> None:
        _core.set_grad_enabled(self._before)


def _unit(like: Tensor, i: int) -> Tensor:
    """A cotangent with a 1 at number i of a (possibly complex) tensor."""
    e = _functions["zeros"](like.shape, dtype=like.dtype)
    _as_real(e).view(-1)[i] = 1.0
    return e


def _count(t: Tensor) -> int:
    return t.numel() * (2 if t.is_complex() else 1)


def _analytical(y: Tensor, xs: Sequence[Tensor]) -> list[list[list[float]]]:
    """For each input, rows by backward: one pass per number of the output."""
    columns: list[list[list[float]]] = [[] for _ in xs]
    for i in range(_count(y)):
        found: Sequence = (None,) * len(xs)
        if y.requires_grad:
            found = grad(y, xs, _unit(y, i), retain_graph=True, allow_unused=True)
        for k, (g, x) in enumerate(zip(found, xs, strict=True)):
            if g is not None and g.shape != x.shape:
                raise GradcheckError(f"Gradient has incorrect shape: {list(g.shape)} for an input of {list(x.shape)}")
            columns[k].append([0.0] * _count(x) if g is None else _numbers(g))
    return [
        [list(row) for row in zip(*c, strict=True)] if c else [[] for _ in range(_count(x))]
        for c, x in zip(columns, xs, strict=True)
    ]


def _forward_rows(func: Callable, inputs: Sequence, which: int) -> list[list[list[float]]]:
    """Per number of one input, the tangents of all outputs."""
    x = inputs[which].detach()
    rows = []
    for i in range(_count(x)):
        tangents = _tangents(func, inputs, which, _unit(x, i))
        ys = outputs_of(func, inputs)
        rows.append([[0.0] * _count(y) if t is None else _numbers(t) for y, t in zip(ys, tangents, strict=True)])
    return rows


def _tangents(func: Callable, inputs: Sequence, which: int, direction: Tensor) -> list[Tensor | None]:
    """The derivatives of all outputs as one input moves in a direction."""
    with forward_ad.dual_level():
        given = [t.detach() if isinstance(t, Tensor) else t for t in inputs]
        given[which] = forward_ad.make_dual(given[which], direction)
        return [forward_ad.unpack_dual(y).tangent for y in outputs_of(func, given)]


# ---- comparing


def _differs(a: float, n: float, atol: float, rtol: float) -> bool:
    if a == n or (a != a and n != n):
        return False
    return not abs(a - n) <= atol + rtol * abs(n)


def _position(flat: int, t: Tensor) -> str:
    part = ""
    if t.is_complex():
        flat, imaginary = divmod(flat, 2)
        part = ", imaginary part" if imaginary else ", real part"
    place = []
    for size in reversed(t.shape):
        flat, i = divmod(flat, size)
        place.append(i)
    return f"[{', '.join(map(str, reversed(place)))}]{part}"


def _kink(func: Callable, inputs: Sequence, which: int, entry: tuple[int, int, int], eps: float) -> str:
    """Whether the slopes to the left and to the right of the point differ, in words."""
    output, i, j = entry
    x = inputs[which].detach().clone().contiguous()
    flat = _as_real(x).view(-1)
    changed = [*inputs[:which], x, *inputs[which + 1 :]]
    values = []
    with _no_grad():
        middle = flat[i].item()
        for step in (-eps, 0.0, eps):
            flat[i] = middle + step
            values.append(_numbers(outputs_of(func, changed)[output])[j])
    left, right = (values[1] - values[0]) / eps, (values[2] - values[1]) / eps
    if abs(left - right) > 1e-2 * max(1.0, abs(left), abs(right)):
        return (
            f"The point is a kink: the slope is {left:.6g} to the left of it and {right:.6g} to the right. Finite "
            "differences give their mean; choose another point."
        )
    return f"The point is no kink: the slope is {left:.6g} to the left of it and {right:.6g} to the right."


def _compare(
    func: Callable,
    inputs: Sequence,
    which: int,
    output: int,
    y: Tensor,
    found: list,
    wanted: list,
    s: _Settings,
    kind: str,
) -> None:
    worst, place = 0.0, None
    for i, (row, expected) in enumerate(zip(found, wanted, strict=True)):
        for j, (a, n) in enumerate(zip(row, expected, strict=True)):
            if _differs(a, n, s.atol, s.rtol) and (place is None or not abs(a - n) <= worst):
                worst, place = abs(a - n), (i, j)
    if place is None:
        return
    i, j = place
    number = sum(is_checked(t) and t.requires_grad for t in inputs[:which]) if kind == "backward" else which
    raise GradcheckError(
        f"Jacobian {'computed with forward mode ' if kind == 'forward' else ''}mismatch for output {output} with "
        f"respect to input {number},\nnumerical:{wanted[i][j]:.10g}\nanalytical:{found[i][j]:.10g}\n"
        f"  The worst entry is d output{_position(j, y)} / d input{_position(i, inputs[which])}: finite differences "
        f"give {wanted[i][j]:.10g}, the gradient is {found[i][j]:.10g}.\n"
        f"  {_kink(func, inputs, which, (output, i, j), s.eps)}"
    )


# ---- the checks


def _prepare(inputs: Any, s: _Settings) -> tuple[tuple, _Settings]:
    """Checks the inputs, and allows for single precision where they have it."""
    given = as_tuple(inputs)
    checked = [t for t in given if is_checked(t) and t.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for i, t in enumerate(given):
        if (
            is_checked(t)
            and t.requires_grad
            and 0 in (step for n, step in zip(t.shape, t.stride(), strict=True) if n > 1)
        ):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
        if is_checked(t) and t.requires_grad and t.dtype not in (_core.float64, _core.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
            # A step of 1e-6 is lost in the rounding of single precision.
            s = s._replace(eps=max(s.eps, 5e-3), atol=max(s.atol, 2e-2), rtol=max(s.rtol, 2e-2))
    return given, s


def _check_backward(func: Callable, inputs: tuple, s: _Settings, numerical: dict[int, list]) -> None:
    outputs = outputs_of(func, inputs)
    xs = [inputs[i] for i in numerical]
    for k, y in enumerate(outputs):
        for column, which in enumerate(numerical):
            found = _analytical(y, [xs[column]])[0]
            wanted = [row[k] for row in numerical[which]]
            _compare(func, inputs, which, k, y, found, wanted, s, "backward")


def _check_fast(
    func: Callable, inputs: tuple, numbers: Sequence[int], s: _Settings, forward: bool, backward: bool
) -> None:
    """One random direction in place of all: u J v from both sides."""
    for which in numbers:
        x = inputs[which]
        v = _functions["rand"](x.shape, dtype=x.dtype)
        v = v / v.abs().square().sum().sqrt()
        with _no_grad():
            sides = [
                outputs_of(func, [*inputs[:which], x.detach() + step * v, *inputs[which + 1 :]])
                for step in (s.eps, -s.eps)
            ]
        tangents = _tangents(func, inputs, which, v) if forward else []
        for k, y in enumerate(outputs_of(func, inputs)):
            u = _functions["rand"](y.shape, dtype=y.dtype)
            wanted = _dot(u, (sides[0][k] - sides[1][k]) / (2 * s.eps))
            if backward:
                (g,) = grad(y, [x], u, retain_graph=True, allow_unused=True) if y.requires_grad else (None,)
                _compare_fast(0.0 if g is None else _dot(g, v), wanted, (k, which), u.numel(), s)
            if forward:
                t = tangents[k]
                _compare_fast(0.0 if t is None else _dot(u, t), wanted, (k, which), u.numel(), s)


def _dot(a: Tensor, b: Tensor) -> float:
    return (_as_real(a) * _as_real(b)).sum().item()


def _compare_fast(found: float, wanted: float, place: tuple[int, int], count: int, s: _Settings) -> None:
    if not _differs(found, wanted, s.atol * max(1.0, float(count) ** 0.5), s.rtol):
        return
    raise GradcheckError(
        f"Jacobian mismatch for output {place[0]} with respect to input {place[1]},\nnumerical:{wanted:.10g}\n"
        f"analytical:{found:.10g}\n\nThe above quantities relating the numerical and analytical jacobians are "
        "computed in fast mode. Run again with fast_mode=False to see which entry differs."
    )


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of func(*inputs) are those of finite differences.

    A GradcheckError names the entry with the largest error, both numbers, and whether the point is a kink. For inputs
    of single precision the step and the tolerances are at least 5e-3 and 2e-2. `masked` says how zeros of sparse inputs
    are treated; there are none here, and for others it changes nothing, in PyTorch too.

    >>> import chainrule as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    try:
        given, s = _prepare(inputs, _Settings(eps, atol, rtol, nondet_tol))
        _check_all(func, given, s, check_forward_ad, check_backward_ad, fast_mode)
        xs = [t for t in given if is_checked(t) and t.requires_grad]
        if check_backward_ad:
            check_reentrant(func, given, xs, nondet_tol)
            check_multiplied(func, given, xs)
            if check_undefined_grad:
                check_undefined(func, given, xs)
        if check_batched_grad:
            check_batched(func, given, xs)
        if check_batched_forward_grad:
            numbers = [i for i, t in enumerate(given) if is_checked(t) and t.requires_grad]
            check_batched_forward(func, given, numbers)
        if check_grad_dtypes:
            check_dtypes(func, given, xs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_all(func: Callable, given: tuple, s: _Settings, forward: bool, backward: bool, fast: bool) -> None:
    numbers = [i for i, t in enumerate(given) if is_checked(t) and t.requires_grad]
    if fast:
        return _check_fast(func, given, numbers, s, forward, backward)
    numerical = {i: _numerical(func, given, i, s.eps) for i in numbers}
    if backward:
        _check_backward(func, given, s, numerical)
    for which in numbers if forward else ():
        rows = _forward_rows(func, given, which)
        for k, y in enumerate(outputs_of(func, given)):
            found, wanted = [row[k] for row in rows], [row[k] for row in numerical[which]]
            _compare(func, given, which, k, y, found, wanted, s, "forward")
    return None


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of func(*inputs) are those of finite differences of its gradients.

    The gradients are taken for random `grad_outputs` unless some are given, and differentiated by these as well.

    >>> x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.sin, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, wanted in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if wanted and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    given = as_tuple(inputs)
    if grad_outputs is None:
        made = [_random_gradient(y, gen_non_contig_grad_outputs) for y in outputs_of(func, given) if y.requires_grad]
    else:
        made = list(as_tuple(grad_outputs))
    count = len(given)

    def gradients(*args: Any) -> tuple:
        xs, gs = args[:count], args[count:]
        xs = tuple(
            x.requires_grad_() if is_checked(x) and x.is_leaf and o.requires_grad else x
            for x, o in zip(xs, given, strict=True)
        )
        wanted = [x for x in xs if is_checked(x) and x.requires_grad]
        before = _core.is_grad_enabled()
        _core.set_grad_enabled(True)
        try:
            outputs = [y for y in outputs_of(func, xs) if y.requires_grad]
            found = grad(outputs, wanted, list(gs), create_graph=True, allow_unused=True)
        finally:
            _core.set_grad_enabled(before)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        (*given, *made),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _random_gradient(y: Tensor, strided: bool) -> Tensor:
    from ..testing import make_tensor

    return make_tensor(y.shape, dtype=y.dtype, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=strided)
