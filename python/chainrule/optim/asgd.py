"""ASGD: gradient descent that also averages the parameters."""

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

__all__ = ["ASGD", "asgd"]

_fused_asgd = _core.functions["_fused_asgd_"]


class ASGD(UpdateRule):
    """Gradient descent with a falling rate; the average of the parameters is kept in the state as `ax`.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        lambd: how fast parameters decay.
        alpha: how the learning rate falls.
        t0: the step from which on parameters are averaged.
        weight_decay: adds this times the parameter to its gradient.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.8000], requires_grad=True)
    """

    _later_options: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
    _counters = ("step", "eta", "mu")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_options(lr=lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        counters = {"step": counter(), "eta": counter(float(as_scalar(group["lr"]))), "mu": counter(1.0)}
        return {**counters, "ax": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        asgd(
            params,
            grads,
            [own["ax"] for own in states],
            [own["mu"] for own in states],
            [own["eta"] for own in states],
            [own["step"] for own in states],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            lambd=group["lambd"],
            lr=group["lr"],
            t0=group["t0"],
            alpha=group["alpha"],
            weight_decay=group["weight_decay"],
        )


def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float | Tensor,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable, "params, mus, etas, and state_steps")
    count(state_steps)
    lists = list(params), list(grads), list(axs)
    if kernel_fits(False, lists, lr, weight_decay):
        numbers = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0}
        _fused_asgd(*lists, mus, etas, state_steps, **numbers, weight_decay=weight_decay, maximize=maximize)
        return
    lr = as_scalar(lr)
    for param, grad, average, mu, eta, count_tensor in zip(*lists, mus, etas, state_steps, strict=True):
        grad = decayed(-grad if maximize else grad, param, weight_decay)
        rate, step = eta.item(), count_tensor.item()
        param.mul_(1 - lambd * rate)
        param.add_(grad, alpha=-rate)
        if mu.item() != 1:
            average.add_(param.sub(average).mul_(mu))
        else:
            average.copy_(param)
        # Rounded as a new step count would be, even where a state dict made them wider.
        eta.copy_(counter(float(lr / (1 + lambd * lr * step) ** alpha)))
        mu.copy_(counter(1 / max(1, step - t0)))
