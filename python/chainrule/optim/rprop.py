"""Rprop: a step size per element that grows while the gradient keeps its sign."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .optimizer import ParamsT
from .update_rule import UpdateRule, as_scalar, check_options, check_steps, count, counter, kernel_fits, zeros_like

__all__ = ["Rprop", "rprop"]

_fused_rprop = _core.functions["_fused_rprop_"]
_full_like = _core.functions["full_like"]
_where = _core.functions["where"]


class Rprop(UpdateRule):
    """Looks at the signs of gradients alone: the step of each element grows or shrinks by `etas`.

    Args:
        params: the tensors to change, or groups of them as dicts with options of their own.
        lr: the first size of a step.
        etas: what a step's size is multiplied by when the sign changes, and when it stays.
        step_sizes: the smallest and the largest.
        maximize: whether to go up instead of down.
        foreach, capturable, differentiable: how PyTorch would calculate the same.

    >>> x = torch.tensor([1.], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.9000], requires_grad=True)
    """

    _later_options: ClassVar = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_options(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise at_call(ValueError, f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def _new_state(self, p: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        lr = float(as_scalar(group["lr"]))
        size = complex(lr, lr) if p.is_complex() else lr
        return {"step": counter(), "prev": zeros_like(p), "step_size": _full_like(p, size)}

    def _update(self, group: dict[str, Any], params: list[Tensor], grads: list[Any], states: list[dict]) -> None:
        smaller, larger = group["etas"]
        least, most = group["step_sizes"]
        rprop(
            params,
            grads,
            [own["prev"] for own in states],
            [own["step_size"] for own in states],
            [own["step"] for own in states],
            capturable=group["capturable"],
            maximize=group["maximize"],
            differentiable=group["differentiable"],
            step_size_min=least,
            step_size_max=most,
            etaminus=smaller,
            etaplus=larger,
        )


def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """One step over lists. (`foreach` and `has_complex` choose between ways that PyTorch has.)"""
    check_steps(state_steps, capturable)
    count(state_steps)
    lists = list(params), list(grads), list(prevs), list(step_sizes)
    if kernel_fits(False, lists):
        _fused_rprop(
            *lists,
            step_size_min=step_size_min,
            step_size_max=step_size_max,
            etaminus=etaminus,
            etaplus=etaplus,
            maximize=maximize,
        )
        return
    for param, grad, previous, size in zip(*lists, strict=True):
        grad = -grad if maximize else grad
        sign = grad.mul(previous.clone() if differentiable else previous).sign()
        factor = _where(sign.gt(0), etaplus, _where(sign.lt(0), etaminus, sign))
        factor = factor.masked_fill(sign.eq(0), 1)
        size.mul_(factor).clamp_(step_size_min, step_size_max)
        grad = grad.masked_fill(factor.eq(etaminus), 0)
        param.addcmul_(grad.sign(), size, value=-1)
        previous.copy_(grad)
