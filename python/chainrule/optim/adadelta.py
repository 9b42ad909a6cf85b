"""Adadelta: steps scaled by the ratio of past steps to past gradients."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
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

__all__ = ["Adadelta", "adadelta"]

_fused_adadelta = _core.functions["_fused_adadelta_"]


class Adadelta(UpdateRule):
    """Scales each step by the ratio of running averages: of past steps to past gradients.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: what the step is multiplied by.
        rho: how slowly the averages of squares move.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([x], lr=1.)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9968], requires_grad=True)
    """

    _later_options: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise at_call(ValueError, f"Invalid rho value: {rho}")
        check_options(eps=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "square_avg": zeros_like(p), "acc_delta": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        adadelta(
            params,
            grads,
            [own["square_avg"] for own in states],
            [own["acc_delta"] for own in states],
            [own["step"] for own in states],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            lr=group["lr"],
            rho=group["rho"],
            eps=group["eps"],
            weight_decay=group["weight_decay"],
            maximize=group["maximize"],
        )


def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    lists = list(params), list(grads), list(square_avgs), list(acc_deltas)
    if kernel_fits(False, lists, lr, weight_decay):
        _fused_adadelta(*lists, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)
        return
    rate: Any = as_scalar(lr)
    for param, grad, squares, deltas in zip(*lists, strict=True):
        grad = decayed(-grad if maximize else grad, param, weight_decay)
        squares.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = deltas.add(eps).sqrt_()
        delta = delta.clone() if differentiable else delta
        delta.div_(squares.add(eps).sqrt_()).mul_(grad)
        deltas.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-rate)
