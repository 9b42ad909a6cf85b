"""Adam: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .optimizer import ParamsT
from .update_rule import (
    UpdateRule,
    as_scalar,
    check_fused_dtype,
    check_options,
    check_steps,
    count,
    counter,
    decayed,
    kernel_fits,
    zeros_like,
)

__all__ = ["Adam", "adam"]

_fused_adam, _fused_adamw = _core.functions["_fused_adam_"], _core.functions["_fused_adamw_"]
_maximum = _core.functions["maximum"]


class Adam(UpdateRule):
    """Scales each step by running averages of the gradient and of its square.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        betas: how slowly the averages of the gradient and of its square move.
        eps: is added to what is divided by.
        weight_decay: adds this times the parameter to its gradient.
        amsgrad: whether to divide by the largest average so far.
        maximize: whether to go up instead of down.
        foreach, fused, capturable, differentiable: how PyTorch would calculate the same.
        decoupled_weight_decay: whether the decay shrinks the parameter itself, as AdamW's does.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adam([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    _later_options: ClassVar = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise at_call(ValueError, "lr as a Tensor is not supported for capturable=False and foreach=True")
        check_options(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        _check_kinds(betas, foreach=foreach, capturable=capturable)
        defaults = {
            "lr": lr,
            "betas": tuple(map(as_scalar, betas)),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        if fused:
            self._refuse_fused_with(differentiable=differentiable, foreach=foreach)

    def _refuse_sparse(self, params: list[Any]) -> None:
        if any(p.grad.is_sparse for p in params):
            raise at_call(RuntimeError, "Adam does not support sparse gradients, please consider SparseAdam instead")

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if group["fused"]:
            check_fused_dtype(p)
        state = {"step": counter(fused=group["fused"]), "exp_avg": zeros_like(p), "exp_avg_sq": zeros_like(p)}
        return {**state, "max_exp_avg_sq": zeros_like(p)} if group["amsgrad"] else state

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        lr = group["lr"]
        if group["foreach"] and isinstance(lr, Tensor) and not group["capturable"]:
            raise at_call(RuntimeError, "lr as a Tensor is not supported for capturable=False and foreach=True")
        beta1, beta2 = group["betas"]
        adam(
            params,
            grads,
            [own["exp_avg"] for own in states],
            [own["exp_avg_sq"] for own in states],
            [own["max_exp_avg_sq"] for own in states] if group["amsgrad"] else [],
            [own["step"] for own in states],
            capturable=group["capturable"],
            differentiable=group["differentiable"],
            fused=group["fused"],
            decoupled_weight_decay=group["decoupled_weight_decay"],
            amsgrad=group["amsgrad"],
            beta1=beta1,
            beta2=beta2,
            lr=lr,
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
            **self._scaling(group),
        )


def _check_kinds(betas: tuple[Any, Any], *, foreach: bool | None, capturable: bool) -> None:
    """Betas are two floats, or two tensors of one element."""
    kinds = [Tensor if isinstance(beta, Tensor) else float if isinstance(beta, float) else None for beta in betas[:2]]
    if None in kinds or kinds[0] is not kinds[1]:
        raise at_call(ValueError, "betas must be either both floats or both Tensors")
    if kinds[0] is float:
        return
    for i, beta in enumerate(betas):
        if not capturable and foreach:
            raise at_call(ValueError, f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if beta.numel() != 1:
            raise at_call(ValueError, f"Tensor betas[{i}] must be 1-element")


def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: Any,
    beta2: Any,
    lr: Any,
    weight_decay: Any,
    eps: float,
    maximize: bool,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    lists = list(params), list(grads), list(exp_avgs), list(exp_avg_sqs), list(max_exp_avg_sqs)
    if kernel_fits(fused, lists, lr, beta1, beta2, weight_decay):
        (_fused_adamw if decoupled_weight_decay else _fused_adam)(
            *lists,
            state_steps,
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            weight_decay=weight_decay,
            eps=eps,
            amsgrad=amsgrad,
            maximize=maximize,
            grad_scale=grad_scale,
            found_inf=found_inf,
        )
        if found_inf is not None:
            for step in state_steps:
                step.sub_(found_inf.to(step.device))
        return
    if grad_scale is not None or found_inf is not None:
        raise at_call(AssertionError, "Expected grad_scale and found_inf to be None")
    lr, beta1, beta2 = as_scalar(lr), as_scalar(beta1), as_scalar(beta2)
    for i, (param, grad, exp_avg, exp_avg_sq, *_) in enumerate(zip(*lists[:4], strict=True)):
        grad = -grad if maximize else grad
        if decoupled_weight_decay and weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        else:
            grad = decayed(grad, param, weight_decay)
        exp_avg.lerp_(grad, 1 - (beta1.to(param.dtype) if isinstance(beta1, Tensor) else beta1))
        if getattr(beta2, "requires_grad", False):
            exp_avg_sq.lerp_(grad.square(), 1 - beta2)
        else:
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if amsgrad:
            largest = lists[4][i]
            largest.copy_(_maximum(largest.clone() if differentiable else largest, exp_avg_sq))
            exp_avg_sq = largest
        if differentiable:
            _move_recorded(param, exp_avg, exp_avg_sq, state_steps[i], lr, beta1, beta2, eps)
        else:
            step = state_steps[i].item()
            step_size, scale = lr / (1 - beta1**step), (1 - beta2**step) ** 0.5
            param.addcdiv_(exp_avg, (exp_avg_sq.sqrt() / scale).add_(eps), value=-step_size)


def _move_recorded(
    param: Tensor, average: Tensor, squares: Tensor, count: Tensor, lr: Any, beta1: Any, beta2: Any, eps: float
) -> None:
    """The last part of a step with everything in tensors, so that gradients flow to all of them."""
    step = count.clone()
    negative_size = (lr / (1 - beta1**step)).neg()
    scale = (1 - beta2**step).sqrt()
    denominator = (squares.sqrt() / (scale * negative_size)).add_(eps / negative_size)
    param.addcdiv_(average.clone(), denominator)
