"""Adamax: Adam with the largest recent gradient in place of the average of squares."""

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

__all__ = ["Adamax", "adamax"]

_fused_adamax = _core.functions["_fused_adamax_"]
_maximum = _core.functions["maximum"]
_stack = _core.functions["stack"]


class Adamax(UpdateRule):
    """Scales each step by a running average of the gradient and by its largest recent size.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        betas: how slowly the average of the gradient and the bound of its size move.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    _later_options: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "exp_avg": zeros_like(p), "exp_inf": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        beta1, beta2 = group["betas"]
        adamax(
            params,
            grads,
            [own["exp_avg"] for own in states],
            [own["exp_inf"] for own in states],
            [own["step"] for own in states],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            eps=group["eps"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
        )


def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    lists = list(params), list(grads), list(exp_avgs), list(exp_infs)
    if kernel_fits(False, lists, lr, weight_decay):
        numbers = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps}
        _fused_adamax(*lists, state_steps, **numbers, weight_decay=weight_decay, maximize=maximize)
        return
    rate: Any = as_scalar(lr)
    for param, grad, average, largest, step in zip(*lists, state_steps, strict=True):
        grad = decayed(-grad if maximize else grad, param, weight_decay)
        average.lerp_(grad, 1 - beta1)
        largest.mul_(beta2)
        size = grad.abs().add_(eps)
        # `maximum` would save `largest`, which is overwritten here; a stacked copy is not.
        largest.copy_(_stack([largest, size]).amax(0) if differentiable else _maximum(largest, size))
        param.addcdiv_(average, largest, value=-(rate / (1 - beta1 ** step.item())))
