"""Random numbers of gamma and Dirichlet distributions in PyTorch's stream, and how they move with their parameters.

A sample x of a distribution F(x; a) moves with the parameter so that its probability stays: dx/da = -(dF/da) / f(x),
f being the density. dF/da is the integral of f(t) (log t - c) up to x or, with the other sign, from x on; c is the mean
of log t. The side is taken on which log t - c keeps its sign, so nothing cancels, and the integral is a sum over equal
steps of log s, s being the distance from x: that finds the scale by itself, be it 1e-3 or 1e3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.function import Function, once_differentiable
from ..autograd.grad_mode import no_grad
from ..type_info import finfo

_functions = _core.functions
_STEP, _STEPS = 0.15, 300  # of log s, from where the integrand has vanished, over 19 powers of ten
_TINY = 1e-300


_THIRD, _SQUEEZE = (
    _functions["tensor"](v, dtype=_core.float32).double().item() for v in (1 / 3, 0.0331)
)  # floats there


def _draw(alpha: Tensor) -> Tensor:
    """A sample for each element, in double precision, by Marsaglia and Tsang's method."""
    # The first steps happen in alpha's own precision, as in PyTorch.
    alpha = alpha.detach().contiguous()
    small = alpha < 1
    inverse = (1 / alpha).double().flatten().tolist()
    d = ((alpha + small.to(alpha.dtype)) - _THIRD).double().flatten().tolist()
    box = _functions["empty"]((), dtype=_core.float64)
    samples = [
        0.0 if power == math.inf else _marsaglia_tsang(depth, power if boosted else None, box)
        for depth, power, boosted in zip(d, inverse, small.flatten().tolist(), strict=True)
    ]
    return _functions["tensor"](samples, dtype=_core.float64).view(alpha.shape)


def _marsaglia_tsang(d: float, power: float | None, box: Tensor) -> float:
    scale = 1.0 if power is None else (1 - box.uniform_().item()) ** power
    c = 1 / math.sqrt(9 * d)
    while True:
        x = box.normal_().item()
        y = 1 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - box.uniform_().item()
        square = x * x
        if u < 1 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


def _integral(reach: Tensor, integrand: Callable[[Tensor], Tensor]) -> Tensor:
    """The integral from 0 to `reach`, where the integrand has vanished."""
    steps = _functions["arange"](_STEPS, dtype=_core.float64) * _STEP
    s = reach * (-steps).exp()
    return _STEP * (integrand(s) * s).sum(-1)


def standard_gamma_grad(alpha: Tensor, x: Tensor) -> Tensor:
    """How samples x of gamma distributions move with their concentrations."""
    a, t = (v.detach().double().unsqueeze(-1) for v in _functions["broadcast_tensors"]([alpha, x]))
    t = t.clamp(min=_TINY)
    offset = t.log() - a.digamma()
    below = (offset < 0) | ((a < 1) & (t < 1))
    sign = _functions["where"](below, -1.0, 1.0)  # the direction in which s is measured, in log t
    curve = 1.3 * (80 / t).sqrt()  # beyond it a parabola has fallen to e^-40
    line = _functions["where"](below, (40 + t) / a, ((40 + a * ((40 + 100 * a) / t).log1p()) / t).log1p())
    reach = _functions["where"](below & (curve > 1), line, line.minimum(curve))
    value = _integral(reach, lambda s: (a * sign * s - t * (sign * s).expm1()).exp() * (offset + sign * s))
    return (sign * t * value.unsqueeze(-1)).squeeze(-1).to(x.dtype)


def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How parts x of Dirichlet distributions move with their concentrations, divided by 1 - x."""
    values = _functions["broadcast_tensors"]([x, alpha, total])
    t, a, total = (v.detach().double().unsqueeze(-1) for v in values)
    t, rest, b = t.clamp(min=_TINY), (1 - t).clamp(min=_TINY), total - a
    offset = t.log() - (a.digamma() - total.digamma())
    below = (offset < 0) | ((a < 1) & (t < 0.5))
    # below x, s is measured in log t; above it, in log(1 - t)
    near, far, p, q = (_functions["where"](below, v, w) for v, w in ((t, rest), (rest, t), (a, b), (b, a)))

    def integrand(s: Tensor) -> Tensor:
        grown = (near * -(-s).expm1() / far).log1p()  # the logarithm of what the far side has grown by
        return (-p * s + (q - 1) * grown).exp() * (offset + _functions["where"](below, -s, grown))

    value = _integral((40 - (q - 1).clamp(min=0) * far.log()) / p, integrand)
    sign = _functions["where"](below, -1.0, 1.0)
    return (sign * near / rest * value.unsqueeze(-1)).squeeze(-1).to(x.dtype)


class _StandardGamma(Function):
    """Samples of gamma distributions with rate 1."""

    @staticmethod
    def forward(ctx: Any, alpha: Tensor) -> Tensor:
        with no_grad():
            x = _draw(alpha).to(alpha.dtype).clamp_(min=finfo(alpha.dtype).tiny)
        ctx.save_for_backward(alpha, x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        alpha, x = ctx.saved_tensors
        return grad * standard_gamma_grad(alpha, x)


class _Dirichlet(Function):
    """Samples of Dirichlet distributions."""

    @staticmethod
    def forward(ctx: Any, alpha: Tensor) -> Tensor:
        with no_grad():
            gamma = _draw(alpha.double()).clamp_(min=finfo(_core.float64).tiny)
            limits = finfo(alpha.dtype)
            x = (gamma / gamma.sum(-1, True)).to(alpha.dtype).clamp_(min=limits.tiny, max=1 - limits.eps / 2)
        ctx.save_for_backward(alpha, x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        alpha, x = ctx.saved_tensors
        slope = dirichlet_grad(x, alpha, alpha.sum(-1, True).expand_as(alpha))
        return slope * (grad - (x * grad).sum(-1, True))


def standard_gamma(alpha: Tensor) -> Tensor:
    """Samples of gamma distributions with rate 1, through which gradients reach the concentrations."""
    return _StandardGamma.apply(alpha)


def sample_dirichlet(alpha: Tensor) -> Tensor:
    """Samples of Dirichlet distributions, through which gradients reach the concentrations."""
    return _Dirichlet.apply(alpha)
