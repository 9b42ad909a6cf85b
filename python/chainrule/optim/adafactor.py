"""Adafactor: the average of squares of a matrix kept as one row and one column."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..type_info import finfo
from .optimizer import ParamsT
from .update_rule import UpdateRule, as_scalar, check_steps, count, counter, zeros_like

__all__ = ["Adafactor", "adafactor"]

_norm = _core.functions["norm"]


class Adafactor(UpdateRule):
    """Scales steps as Adam does, with memory for one row and one column per matrix in place of its squares.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        beta2_decay: how fast the average of squares slows down.
        eps: the smallest square, and the smallest size of a parameter, that count.
        d: the largest size of an update.
        weight_decay: adds this times the parameter to its gradient.
        maximize: whether to go up instead of down.
        foreach: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    _later_options: ClassVar = {"foreach": None}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise at_call(ValueError, "Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise at_call(ValueError, f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise at_call(ValueError, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise at_call(ValueError, f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise at_call(ValueError, f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise at_call(ValueError, f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise at_call(ValueError, f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _step_group(self, group: dict[str, Any], params: list[Tensor]) -> None:
        if any(p.is_complex() for p in params):
            raise at_call(RuntimeError, "Adafactor does not support complex parameters")
        super()._step_group(group, params)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        shape, grad = list(p.shape), p.grad
        assert grad is not None
        if len(shape) < 2:
            return {"step": counter(), "variance": zeros_like(grad)}
        row, column = grad.new_zeros([*shape[:-1], 1]), grad.new_zeros([*shape[:-2], 1, shape[-1]])
        return {"step": counter(), "row_var": row, "col_var": column}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        eps1, eps2 = group["eps"]
        adafactor(
            params,
            grads,
            [own.get("row_var") for own in states],
            [own.get("col_var") for own in states],
            [own.get("variance") for own in states],
            [own["step"] for own in states],
            grad_scale=getattr(self, "grad_scale", None),
            found_inf=getattr(self, "found_inf", None),
            d=group["d"],
            lr=group["lr"],
            beta2_decay=group["beta2_decay"],
            weight_decay=group["weight_decay"],
            eps1=eps1,
            eps2=eps2,
            maximize=group["maximize"],
        )


def adafactor(
    params: list[Tensor],
    grads: list[Tensor],
    row_vars: list[Any],
    col_vars: list[Any],
    variances: list[Any],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float | None,
    eps2: float,
    maximize: bool,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    if grad_scale is not None or found_inf is not None:
        raise at_call(AssertionError, "Grad scaling should occur outside of optimizer.step()")
    check_steps(state_steps)
    count(state_steps)
    rate: Any = as_scalar(lr)
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        grad = -grad if maximize else grad
        if eps1 is None:
            eps1 = finfo(param.dtype).eps
        step = state_steps[i].item()
        fresh = step**beta2_decay
        size = max(eps2, param.norm(2).item() / param.numel() ** 0.5) * min(rate, 1 / step**0.5)
        if weight_decay != 0:
            param.mul_(1 - rate * weight_decay)
        if grad.dim() > 1:
            estimate = _from_row_and_column(grad, row_vars[i], col_vars[i], fresh, eps1)
        else:
            estimate = variances[i].lerp_(grad * grad, fresh).clone()
        update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        clipping = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * d))
        param.add_(update, alpha=-size / clipping)


def _from_row_and_column(grad: Tensor, row: Tensor, column: Tensor, fresh: float, eps: float) -> Tensor:
    """Averages the squares of a matrix of gradients by row and column; their product estimates all squares."""
    for average, dim in ((row, -1), (column, -2)):
        squares = _norm(grad, dim=dim, keepdim=True).square_()
        average.lerp_(squares.div_(grad.size(dim)), fresh)
    return (row @ column).div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps))
