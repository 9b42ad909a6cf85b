"""Adagrad: steps scaled by the sum of all squared gradients so far."""

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
)

__all__ = ["Adagrad", "adagrad"]

_fused_adagrad = _core.functions["_fused_adagrad_"]
_full_like = _core.functions["full_like"]
_sparse = _core.functions["sparse_coo_tensor"]


class Adagrad(UpdateRule):
    """Scales each step by the sum of all squared gradients so far.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        lr_decay: how fast the learning rate falls with the steps.
        weight_decay: adds this times the parameter to its gradient.
        initial_accumulator_value: where the sums of squares start.
        eps: is added to what is divided by.
        maximize: whether to go up instead of down.
        foreach, differentiable, fused: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    _takes_sparse = True
    _later_options: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_options(
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        if fused:
            self._refuse_fused_with(differentiable=differentiable, foreach=foreach)
        # As in PyTorch the state exists from the beginning, for parameters without gradient too.
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(self._new_state(p, group))

    def share_memory(self) -> None:
        """Moves the sums of squares to memory that other processes see."""
        for own in self.state.values():
            own["sum"].share_memory_()

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        value = self.defaults["initial_accumulator_value"]
        start = complex(value, value) if p.is_complex() else value
        return {"step": counter(fused=group["fused"]), "sum": _full_like(p, start)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        if group["fused"]:
            for p in params:
                check_fused_dtype(p)
        adagrad(
            params,
            grads,
            [own["sum"] for own in states],
            [own["step"] for own in states],
            fused=group["fused"],
            differentiable=group["differentiable"],
            lr=group["lr"],
            weight_decay=group["weight_decay"],
            lr_decay=group["lr_decay"],
            eps=group["eps"],
            maximize=group["maximize"],
            **self._scaling(group),
        )


def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float | Tensor,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    if fused and (has_sparse_grad or (_core.any_sparse() and any(g.is_sparse for g in grads))):
        raise at_call(RuntimeError, "`fused` does not support sparse grad or complex param")
    check_steps(state_steps)
    count(state_steps)
    lists = list(params), list(grads), list(state_sums)
    if kernel_fits(fused, lists, lr, weight_decay):
        _fused_adagrad(
            *lists,
            state_steps,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            eps=eps,
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
    rate: Any = as_scalar(lr)
    for param, grad, total, step in zip(*lists, state_steps, strict=True):
        grad, clr = -grad if maximize else grad, rate / (1 + (step.item() - 1) * lr_decay)
        if grad.is_sparse:
            _step_rows(param, grad, total, clr, eps, weight_decay)
            continue
        grad = decayed(grad, param, weight_decay)
        total.addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, total.sqrt() + eps, value=-clr)


def _step_rows(param: Tensor, grad: Any, total: Tensor, rate: Any, eps: float, weight_decay: Any) -> None:
    """The same for the elements that a sparse gradient has."""
    if weight_decay != 0:
        raise at_call(RuntimeError, "weight_decay option is not compatible with sparse gradients")
    grad = grad.coalesce()
    total.add_(grad * grad)
    roots = total.sparse_mask(grad).sqrt()
    values = grad.values() / (roots.values() + eps)
    param.add_(_sparse(grad.indices(), values, grad.shape, is_coalesced=True), alpha=-rate)
