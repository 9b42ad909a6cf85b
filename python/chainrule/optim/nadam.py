"""NAdam: Adam with Nesterov's momentum."""

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

__all__ = ["NAdam", "nadam"]

_fused_nadam = _core.functions["_fused_nadam_"]


class NAdam(UpdateRule):
    """Adam that looks one step of its momentum ahead.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        betas: how slowly the averages of the gradient and of its square move.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        momentum_decay: how fast the momentum settles.
        decoupled_weight_decay: whether the decay shrinks the parameter itself, as AdamW's does.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.8944], requires_grad=True)
    """

    _later_options: ClassVar = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    _counters = ("step", "mu_product")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        counters = {"step": counter(), "mu_product": counter(1.0)}
        return {**counters, "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        beta1, beta2 = group["betas"]
        nadam(
            params,
            grads,
            [own["exp_avg"] for own in states],
            [own["exp_avg_sq"] for own in states],
            [own["mu_product"] for own in states],
            [own["step"] for own in states],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            maximize=group["maximize"],
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            momentum_decay=group["momentum_decay"],
            eps=group["eps"],
        )


def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float | Tensor,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable, "params, mu_products and state_steps")
    if not all(isinstance(product, Tensor) for product in mu_products):
        raise at_call(RuntimeError, "API has changed, `mu_products` argument must contain a list of singleton tensors")
    count(state_steps)
    lists = list(params), list(grads), list(exp_avgs), list(exp_avg_sqs)
    if kernel_fits(False, lists, lr, weight_decay):
        _fused_nadam(
            *lists,
            mu_products,
            state_steps,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            momentum_decay=momentum_decay,
            eps=eps,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize,
        )
        return
    rate: Any = as_scalar(lr)
    for param, grad, average, squares, product, count_tensor in zip(*lists, mu_products, state_steps, strict=True):
        step = count_tensor.item()
        grad = -grad if maximize else grad
        if decoupled_weight_decay and weight_decay != 0:
            param.mul_(1 - rate * weight_decay)
        else:
            grad = decayed(grad, param, weight_decay)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * momentum_decay))
        product.mul_(mu)
        average.lerp_(grad, 1 - beta1)
        squares.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        denominator = squares.div(1 - beta2**step).sqrt().add(eps)
        product_now: Any = product if differentiable else product.item()
        of_gradient = -rate * (1.0 - mu) / (1.0 - product_now)
        of_average = -rate * mu_next / (1.0 - product_now * mu_next)
        if differentiable:
            param.addcdiv_(grad * of_gradient, denominator)
            param.addcdiv_(average * of_average, denominator)
        else:
            param.addcdiv_(grad, denominator, value=of_gradient)
            param.addcdiv_(average, denominator, value=of_average)
