"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .optimizer import ParamsT
from .update_rule import UpdateRule, as_scalar, check_fused_dtype, decayed, kernel_fits, zeros_like

__all__ = ["SGD", "sgd"]

_fused_sgd = _core.functions["_fused_sgd_"]


class SGD(UpdateRule):
    """Moves each parameter against its gradient, or against a running sum of gradients (`momentum`).

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        momentum: how much of the step before is added.
        dampening: how much of the gradient is left out where there is momentum.
        weight_decay: adds this times the parameter to its gradient.
        nesterov: whether to look ahead along the momentum.
        maximize: whether to go up instead of down.
        foreach, differentiable, fused: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.8000], requires_grad=True)
    """

    _later_options: ClassVar = {
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }
    _counters = ()
    _takes_sparse = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise at_call(ValueError, "Tensor lr must be 1-element")
        # Not check_options: PyTorch's SGD lets NaN pass.
        for name, value in (("learning rate", lr), ("momentum value", momentum), ("weight_decay value", weight_decay)):
            if value < 0.0:
                raise at_call(ValueError, f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise at_call(ValueError, "Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        if fused:
            self._refuse_fused_with(differentiable=differentiable, foreach=foreach)

    def _step_group(self, group: dict[str, Any], params: list[Tensor]) -> None:
        # Without momentum there is no state, and none is made.
        grads = [p.grad for p in params]
        states = [self.state[p] for p in params] if group["momentum"] != 0 else []
        buffers = [own.get("momentum_buffer") for own in states]
        if group["fused"]:
            for p in params:
                check_fused_dtype(p)
        sgd(
            params,
            grads,
            buffers,
            fused=group["fused"],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            **self._scaling(group),
        )
        for own, buffer in zip(states, buffers, strict=True):
            own["momentum_buffer"] = buffer


def sgd(
    params: list[Tensor],
    d_p_list: list[Tensor],
    momentum_buffer_list: list[Any],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float | Tensor,
    momentum: float,
    lr: float | Tensor,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """One step over lists; where a momentum buffer is None, it is made. (`foreach` chooses between ways of PyTorch.)"""
    if fused and (has_sparse_grad or (_core.any_sparse() and any(g.is_sparse for g in d_p_list))):
        raise at_call(RuntimeError, "`_fused_sgd` does not support sparse gradients")
    fresh = [i for i, buffer in enumerate(momentum_buffer_list) if buffer is None]
    for i in fresh:
        momentum_buffer_list[i] = zeros_like(d_p_list[i])
    lists = params, grads, buffers = list(params), list(d_p_list), list(momentum_buffer_list)
    if kernel_fits(fused, lists, lr, weight_decay):
        numbers: dict[str, Any] = {"weight_decay": weight_decay, "momentum": momentum, "lr": lr}
        numbers.update(dampening=dampening, nesterov=nesterov, maximize=maximize)
        numbers.update(grad_scale=grad_scale, found_inf=found_inf)
        if not fresh or len(fresh) == len(params):
            _fused_sgd(params, grads, buffers, is_first_step=bool(fresh), **numbers)
            return
        for first in (True, False):
            some = [i for i in range(len(params)) if (i in fresh) == first]
            _fused_sgd(*([each[i] for i in some] for each in lists), is_first_step=first, **numbers)
        return
    rate: Any = as_scalar(lr)
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        grad = decayed(-grad if maximize else grad, param, weight_decay)
        if momentum != 0:
            buffer = buffers[i]
            if i in fresh and _core.sparse_parts(grad) is not None:
                buffer = momentum_buffer_list[i] = grad.detach().clone()
            elif i in fresh:
                buffer.copy_(grad.detach())
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
        if getattr(rate, "requires_grad", False):
            param.addcmul_(grad, rate, value=-1)
        else:
            param.add_(grad, alpha=-rate)
