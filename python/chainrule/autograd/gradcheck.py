"""Gradients against finite differences: gradcheck for the first order, gradgradcheck for the second."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from . import forward_ad
from .differentiate import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

_functions = _core.functions


class GradcheckError(RuntimeError):
    """A gradient differs from finite differences."""


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


def _is_checked(t: Any) -> bool:
    return isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())


def _as_tuple(value: Any) -> tuple:
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _outputs(func: Callable, inputs: Sequence) -> list[Tensor]:
    """What func returns, as far as it can have a gradient."""
    return [y for y in _as_tuple(func(*inputs)) if _is_checked(y)]


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
                sides.append([_numbers(y) for y in _outputs(func, changed)])
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
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, _unit(x, i))
            plain = [t.detach() if isinstance(t, Tensor) else t for t in inputs]
            ys = _outputs(func, [*plain[:which], dual, *plain[which + 1 :]])
            tangents = [forward_ad.unpack_dual(y).tangent for y in ys]
        rows.append([[0.0] * _count(y) if t is None else _numbers(t) for y, t in zip(ys, tangents, strict=True)])
    return rows


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
            values.append(_numbers(_outputs(func, changed)[output])[j])
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
    number = sum(_is_checked(t) and t.requires_grad for t in inputs[:which]) if kind == "backward" else which
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
    given = _as_tuple(inputs)
    checked = [t for t in given if _is_checked(t) and t.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have "
            "requires_grad=True."
        )
    for i, t in enumerate(given):
        if _is_checked(t) and t.requires_grad and t.dtype not in (_core.float64, _core.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
            # A step of 1e-6 is lost in the rounding of single precision.
            s = s._replace(eps=max(s.eps, 5e-3), atol=max(s.atol, 2e-2), rtol=max(s.rtol, 2e-2))
    return given, s


def _check_backward(func: Callable, inputs: tuple, s: _Settings, numerical: dict[int, list]) -> None:
    outputs = _outputs(func, inputs)
    xs = [inputs[i] for i in numerical]
    for k, y in enumerate(outputs):
        for column, which in enumerate(numerical):
            found = _analytical(y, [xs[column]])[0]
            wanted = [row[k] for row in numerical[which]]
            _compare(func, inputs, which, k, y, found, wanted, s, "backward")


def _check_reentrant(func: Callable, inputs: tuple, xs: list[Tensor], tolerance: float) -> None:
    for y in _outputs(func, inputs):
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


def _check_undefined(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    """Backward has to cope with gradients that do not arrive."""
    outputs = [y for y in _outputs(func, inputs) if y.requires_grad]
    for y in outputs if len(outputs) > 1 else ():
        try:
            grad(y, xs, _functions["zeros_like"](y), retain_graph=True, allow_unused=True)
        except (TypeError, AttributeError) as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at 'Notes about undefined "
                f"output gradients' in 'tools/autograd/derivatives.yaml': {error}"
            ) from error


def _check_batched(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    for y in _outputs(func, inputs):
        if not y.requires_grad:
            continue
        rows = [_functions["randn"](y.shape, dtype=y.dtype) for _ in range(2)]
        single = [grad(y, xs, g, retain_graph=True, allow_unused=True) for g in rows]
        batched = grad(y, xs, _functions["stack"](rows), retain_graph=True, allow_unused=True, is_grads_batched=True)
        for k, together in enumerate(batched):
            for i, alone in enumerate(single):
                if alone[k] is not None and (together[i] - alone[k]).abs().max().item() > 1e-6:
                    raise GradcheckError("vmap over backward gives other gradients than a loop")


def _check_fast(func: Callable, inputs: tuple, numbers: Sequence[int], s: _Settings) -> None:
    """One random direction in place of all: u J v from both sides."""
    for which in numbers:
        x = inputs[which]
        v = _functions["rand"](x.shape, dtype=x.dtype)
        v = v / v.abs().square().sum().sqrt()
        with _no_grad():
            sides = [
                _outputs(func, [*inputs[:which], x.detach() + step * v, *inputs[which + 1 :]])
                for step in (s.eps, -s.eps)
            ]
        for k, y in enumerate(_outputs(func, inputs)):
            u = _functions["rand"](y.shape, dtype=y.dtype)
            slope = (sides[0][k] - sides[1][k]) / (2 * s.eps)
            wanted = (_as_real(u) * _as_real(slope)).sum().item()
            (g,) = grad(y, [x], u, retain_graph=True, allow_unused=True) if y.requires_grad else (None,)
            found = 0.0 if g is None else (_as_real(g) * _as_real(v)).sum().item()
            scale = max(1.0, float(u.numel()) ** 0.5)
            if _differs(found, wanted, s.atol * scale, s.rtol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {k} with respect to input {which},\nnumerical:{wanted:.10g}\n"
                    f"analytical:{found:.10g}\n\nThe above quantities relating the numerical and analytical jacobians "
                    "are computed in fast mode. Run again with fast_mode=False to see which entry differs."
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
    of single precision the step and the tolerances are at least 5e-3 and 2e-2.

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
    if masked:
        raise NotImplementedError("gradcheck(masked=True) is for sparse tensors, which chainrule does not have")
    try:
        given, s = _prepare(inputs, _Settings(eps, atol, rtol, nondet_tol))
        _check_all(func, given, s, check_forward_ad, check_backward_ad, fast_mode)
        xs = [t for t in given if _is_checked(t) and t.requires_grad]
        if check_backward_ad:
            _check_reentrant(func, given, xs, nondet_tol)
            if check_undefined_grad:
                _check_undefined(func, given, xs)
        if check_batched_grad:
            _check_batched(func, given, xs)
        if check_grad_dtypes:
            _check_dtypes(func, given, xs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_all(func: Callable, given: tuple, s: _Settings, forward: bool, backward: bool, fast: bool) -> None:
    numbers = [i for i, t in enumerate(given) if _is_checked(t) and t.requires_grad]
    if fast:
        return _check_fast(func, given, numbers, s)
    numerical = {i: _numerical(func, given, i, s.eps) for i in numbers}
    if backward:
        _check_backward(func, given, s, numerical)
    for which in numbers if forward else ():
        rows = _forward_rows(func, given, which)
        for k, y in enumerate(_outputs(func, given)):
            found, wanted = [row[k] for row in rows], [row[k] for row in numerical[which]]
            _compare(func, given, which, k, y, found, wanted, s, "forward")
    return None


def _check_dtypes(func: Callable, inputs: tuple, xs: list[Tensor]) -> None:
    for y in _outputs(func, inputs):
        found = grad(y, xs, _functions["ones_like"](y), allow_unused=True) if y.requires_grad else ()
        for g, x in zip(found, xs, strict=False):
            if g is not None and g.dtype != x.dtype:
                raise GradcheckError(f"Gradient has dtype {g.dtype}, but its input has {x.dtype}")


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
    given = _as_tuple(inputs)
    if grad_outputs is None:
        made = [_random_gradient(y, gen_non_contig_grad_outputs) for y in _outputs(func, given) if y.requires_grad]
    else:
        made = list(_as_tuple(grad_outputs))
    count = len(given)

    def gradients(*args: Any) -> tuple:
        xs, gs = args[:count], args[count:]
        xs = tuple(
            x.requires_grad_() if _is_checked(x) and x.is_leaf and o.requires_grad else x
            for x, o in zip(xs, given, strict=True)
        )
        wanted = [x for x in xs if _is_checked(x) and x.requires_grad]
        before = _core.is_grad_enabled()
        _core.set_grad_enabled(True)
        try:
            outputs = [y for y in _outputs(func, xs) if y.requires_grad]
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
        masked=masked or None,
    )


def _random_gradient(y: Tensor, strided: bool) -> Tensor:
    from ..testing import make_tensor

    return make_tensor(y.shape, dtype=y.dtype, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=strided)
