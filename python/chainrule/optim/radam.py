"""RAdam: Adam that trusts its average of squares only once it has seen enough gradients."""

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

__all__ = ["RAdam", "radam"]

_fused_radam = _core.functions["_fused_radam_"]


class RAdam(UpdateRule):
    """Adam with a rectification of the first steps, when the average of squares is still uncertain.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        betas: how slowly the averages of the gradient and of its square move.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        decoupled_weight_decay: whether the decay shrinks the parameter itself, as AdamW's does.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.8000], requires_grad=True)
    """

    _later_options: ClassVar = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "capturable": False,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        beta1, beta2 = group["betas"]
        radam(
            params,
            grads,
            [own["exp_avg"] for own in states],
            [own["exp_avg_sq"] for own in states],
            [own["step"] for own in states],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            differentiable=group["differentiable"],
            capturable=group["capturable"],
            maximize=group["maximize"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
        )


def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    lists = list(params), list(grads), list(exp_avgs), list(exp_avg_sqs)
    if kernel_fits(False, lists, lr, weight_decay):
        _fused_radam(
            *lists,
            state_steps,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            eps=eps,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
        )
        return
    rate: Any = as_scalar(lr)
    for param, grad, average, squares, count_tensor in zip(*lists, state_steps, strict=True):
        step = count_tensor.item()
        grad = -grad if maximize else grad
        if decoupled_weight_decay and weight_decay != 0:
            param.mul_(1 - rate * weight_decay)
        else:
            grad = decayed(grad, param, weight_decay)
        average.lerp_(grad, 1 - beta1)
        squares.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        update = average / (1 - beta1**step) * rate
        correction2 = 1 - beta2**step
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * step * beta2**step / correction2
        if length > 5.0:
            trust = ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5
            update = update * (correction2**0.5 / squares.sqrt().add(eps)) * trust
        param.add_(update, alpha=-1.0)
