"""Muon: momentum for matrices, made orthogonal before each step."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .optimizer import ParamsT
from .update_rule import UpdateRule, as_scalar, zeros_like

__all__ = ["Muon"]

_addmm = _core.functions["addmm"]
# Of the quintic polynomial that brings singular values near 1.
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(UpdateRule):
    """Momentum whose update is brought near an orthogonal matrix by Newton-Schulz iterations in bfloat16.

    Args:
        params: the matrices to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        weight_decay: adds this times the parameter to its gradient.
        momentum: how slowly the average of the gradient moves.
        nesterov: whether to look ahead along the momentum.
        ns_coefficients, ns_steps: of the iteration that makes the update orthogonal.
        eps: is added to the norm that is divided by.
        adjust_lr_fn: how the learning rate depends on the shape: "original" or "match_rms_adamw".

    >>> x = torch.eye(2, requires_grad=True)
    >>> optimizer = torch.optim.Muon([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.shape
    torch.Size([2, 2])
    """

    _counters = ()

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = _COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise at_call(ValueError, "Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise at_call(ValueError, f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise at_call(ValueError, f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise at_call(ValueError, f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise at_call(ValueError, f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise at_call(
                        ValueError,
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}",
                    )

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if p.is_complex():
            raise at_call(RuntimeError, "Muon does not support complex parameters")
        return {"momentum_buffer": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        lr, momentum = as_scalar(group["lr"]), group["momentum"]
        for param, grad, own in zip(params, grads, states, strict=True):
            if grad.ndim != 2:
                raise at_call(ValueError, "Param gradient must be a 2D matrix")
            buffer = own["momentum_buffer"].lerp_(grad, 1 - momentum)
            update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
            update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
            param.mul_(1 - lr * group["weight_decay"])
            param.add_(update, alpha=-lr * _rate_factor(group["adjust_lr_fn"], param.shape))


def _rate_factor(rule: str | None, shape: tuple[int, ...]) -> float:
    """By how much the learning rate is adjusted to the shape of a matrix."""
    rows, columns = shape[:2]
    return 0.2 * math.sqrt(max(rows, columns)) if rule == "match_rms_adamw" else math.sqrt(max(1, rows / columns))


def _orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """A matrix near the closest orthogonal one, by Newton-Schulz iterations in bfloat16."""
    if steps >= 100:
        raise at_call(ValueError, "Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise at_call(ValueError, "Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = matrix.bfloat16()
    tall = matrix.size(0) > matrix.size(1)
    x = x.T if tall else x
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = _addmm(x, _addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x
