"""Random numbers of gamma and Dirichlet distributions in PyTorch's stream, and how they move with their parameters.

A sample x of a distribution F(x; a) moves with the parameter so that its probability stays: dx/da = -(dF/da) / f(x),
f being the density. dF/da is the integral of f(t) (log t - c) up to x or, with the other sign, from x on; c is the mean
of log t. The side is taken on which log t - c keeps its sign, so nothing cancels, and the integral is a sum over equal
steps of log s, s being the distance from x: that finds the scale by itself, be it 1e-3 or 1e3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.function import Function, once_differentiable

_functions = _core.functions
# Of log s, from where the integrand has vanished, over 19 powers of ten. Over 11, for five digits of a float: PyTorch's
# formulas have fewer.
_STEPS, _COARSE_STEPS = (0.15, 300), (0.2, 130)
_BLOCK = 2048  # elements whose integrals are summed together, so that the terms stay in the cache
_TINY = 1e-300


def _integral(reach: Tensor, exactly: bool, integrand: Callable[[Tensor], Tensor]) -> Tensor:
    """The integral from 0 to `reach`, where the integrand has vanished."""
    step, count = _STEPS if exactly else _COARSE_STEPS
    s = reach * (_functions["arange"](count, dtype=_core.float64) * -step).exp()
    return step * (integrand(s) * s).sum(-1)


def _block_by_block(slope: Callable[..., Tensor], *values: Tensor) -> Tensor:
    """The slope at all elements, as the last of the values has them."""
    like, exactly = values[-1], values[-1].dtype is _core.float64
    broadcast = _functions["broadcast_tensors"]([v.detach() for v in values])
    parts = zip(*(v.reshape(-1).double().split(_BLOCK) for v in broadcast), strict=True)
    found = [slope(exactly, *(v.unsqueeze(-1) for v in block)).squeeze(-1) for block in parts]
    return _functions["cat"](found).reshape(broadcast[0].shape).to(like.dtype)


def standard_gamma_grad(alpha: Tensor, x: Tensor) -> Tensor:
    """How samples x of gamma distributions move with their concentrations."""
    return _block_by_block(_gamma_slope, alpha, x)


def _gamma_slope(exactly: bool, a: Tensor, t: Tensor) -> Tensor:
    t = t.clamp(min=_TINY)
    offset = t.log() - a.digamma()
    below = (offset < 0) | ((a < 1) & (t < 1))
    sign = _functions["where"](below, -1.0, 1.0)  # the direction in which s is measured, in log t
    curve = 1.3 * (80 / t).sqrt()  # beyond it a parabola has fallen to e^-40
    line = _functions["where"](below, (40 + t) / a, ((40 + a * ((40 + 100 * a) / t).log1p()) / t).log1p())
    reach = _functions["where"](below & (curve > 1), line, line.minimum(curve))
    value = _integral(reach, exactly, lambda s: (a * sign * s - t * (sign * s).expm1()).exp() * (offset + sign * s))
    return sign * t * value.unsqueeze(-1)


def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How parts x of Dirichlet distributions move with their concentrations, divided by 1 - x."""
    return _block_by_block(_dirichlet_slope, total, alpha, x)


def _dirichlet_slope(exactly: bool, total: Tensor, a: Tensor, t: Tensor) -> Tensor:
    t, rest, b = t.clamp(min=_TINY), (1 - t).clamp(min=_TINY), total - a
    offset = t.log() - (a.digamma() - total.digamma())
    below = (offset < 0) | ((a < 1) & (t < 0.5))
    # below x, s is measured in log t; above it, in log(1 - t)
    near, far, p, q = (_functions["where"](below, v, w) for v, w in ((t, rest), (rest, t), (a, b), (b, a)))

    def integrand(s: Tensor) -> Tensor:
        grown = (near * -(-s).expm1() / far).log1p()  # the logarithm of what the far side has grown by
        return (-p * s + (q - 1) * grown).exp() * (offset + _functions["where"](below, -s, grown))

    value = _integral((40 - (q - 1).clamp(min=0) * far.log()) / p, exactly, integrand)
    sign = _functions["where"](below, -1.0, 1.0)
    return sign * near / rest * value.unsqueeze(-1)


class _StandardGamma(Function):
    """Samples of gamma distributions with rate 1."""

    @staticmethod
    def forward(ctx: Any, alpha: Tensor, generator: Any) -> Tensor:
        x = _functions["_draw_gamma"](alpha, generator)
        ctx.save_for_backward(alpha, x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple:
        alpha, x = ctx.saved_tensors
        return grad * standard_gamma_grad(alpha, x), None


class _Dirichlet(Function):
    """Samples of Dirichlet distributions."""

    @staticmethod
    def forward(ctx: Any, alpha: Tensor, generator: Any) -> Tensor:
        x = _functions["_draw_dirichlet"](alpha, generator)
        ctx.save_for_backward(alpha, x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple:
        alpha, x = ctx.saved_tensors
        slope = dirichlet_grad(x, alpha, alpha.sum(-1, True).expand_as(alpha))
        return slope * (grad - (x * grad).sum(-1, True)), None


def standard_gamma(alpha: Tensor, generator: Any = None) -> Tensor:
    """Samples of gamma distributions with rate 1, through which gradients reach the concentrations."""
    return _StandardGamma.apply(alpha, generator)


def sample_dirichlet(alpha: Tensor, generator: Any = None) -> Tensor:
    """Samples of Dirichlet distributions, through which gradients reach the concentrations."""
    return _Dirichlet.apply(alpha, generator)


# As torch has them.
_standard_gamma, _sample_dirichlet = standard_gamma, sample_dirichlet
_standard_gamma_grad, _dirichlet_grad = standard_gamma_grad, dirichlet_grad
