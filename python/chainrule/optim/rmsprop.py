"""RMSprop: steps scaled by a running average of squared gradients."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from .optimizer import ParamsT
from .update_rule import (
    UpdateRule,
    as_scalar,
    check_options,
    check_steps,
    count,
    counter,
    decayed,
    kernel_fits,
    zeros_like,
)

__all__ = ["RMSprop", "rmsprop"]

_fused_rmsprop = _core.functions["_fused_rmsprop_"]


class RMSprop(UpdateRule):
    """Scales each step by a running average of squared gradients, or of their variance (`centered`).

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        alpha: how slowly the average of squares moves.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        momentum: how much of the step before is added.
        centered: whether to divide by the deviation instead of the size.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([5.9605e-08], requires_grad=True)
    """

    _later_options: ClassVar = {
        "momentum": 0,
        "centered": False,
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = {"step": counter(), "square_avg": zeros_like(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(p)
        if group["centered"]:
            state["grad_avg"] = zeros_like(p)
        return state

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        rmsprop(
            params,
            grads,
            [own["square_avg"] for own in states],
            [own["grad_avg"] for own in states] if group["centered"] else [],
            [own["momentum_buffer"] for own in states] if group["momentum"] > 0 else [],
            [own["step"] for own in states],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lr=group["lr"],
            alpha=group["alpha"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            centered=group["centered"],
        )


def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    buffers = list(momentum_buffer_list) if momentum > 0 else []
    averages = list(grad_avgs) if centered else []
    lists = list(params), list(grads), list(square_avgs), buffers, averages
    if kernel_fits(False, lists, lr, weight_decay):
        numbers = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        _fused_rmsprop(*lists, **numbers, momentum=momentum, maximize=maximize)
        return
    rate: Any = as_scalar(lr)
    for i, (param, grad, squares) in enumerate(zip(*lists[:3], strict=True)):
        grad = decayed(-grad if maximize else grad, param, weight_decay)
        squares.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        spread = squares
        if centered:
            averages[i].lerp_(grad, 1 - alpha)
            spread = squares.addcmul(averages[i], averages[i], value=-1)
        denominator = spread.sqrt().add(eps)
        if momentum > 0:
            buffers[i].mul_(momentum).addcdiv_(grad, denominator)
            param.add_(buffers[i], alpha=-rate)
        else:
            param.addcdiv_(grad, denominator, value=-rate)
