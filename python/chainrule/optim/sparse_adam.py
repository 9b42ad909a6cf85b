"""SparseAdam: Adam for the rows that a sparse gradient has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from ..error_words import at_call
from .optimizer import Optimizer, ParamsT
from .update_rule import check_options, zeros_like

__all__ = ["SparseAdam"]

_sparse_adam = _core.functions["_sparse_adam_"]
_sparse = _core.functions["sparse_coo_tensor"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients: only the rows that a gradient has are changed, and their averages.

    Args:
        params: the dense tensors to change, or groups of them as dicts with options of their own.
        lr: how far a step goes.
        betas: how slowly the averages of gradients and of their squares change.
        eps: is added to what is divided by.
        maximize: whether to go up instead of down.

    >>> weight = torch.nn.Embedding(3, 2, sparse=True, _weight=torch.ones(3, 2))
    >>> optimizer = torch.optim.SparseAdam(weight.parameters(), lr=0.1)
    >>> weight(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> weight.weight
    Parameter containing:
    tensor([[1.0000, 1.0000],
            [0.9000, 0.9000],
            [1.0000, 1.0000]], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise at_call(ValueError, "Tensor lr must be 1-element")
        for name, value in (("learning rate", lr), ("epsilon value", eps)):
            if not value > 0.0:
                raise at_call(ValueError, f"Invalid {name}: {value}")
        check_options(betas=betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        sparse = [
            [g, i] for g, group in enumerate(self.param_groups) for i, p in enumerate(group["params"]) if p.is_sparse
        ]
        if sparse:
            raise at_call(ValueError, f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        places = [(g, i) for g, group in enumerate(self.param_groups) for i, _ in enumerate(group["params"])]
        numbers = [[g, i] for g, i in places if self.param_groups[g]["params"][i].is_complex()]
        if numbers:
            raise at_call(
                ValueError, f"Complex params at indices {numbers}: SparseAdam does not support complex parameters"
            )

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters once. `closure` calculates the loss and its gradients anew; its result is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if any(not p.grad.is_sparse for p in params):
                raise at_call(RuntimeError, "SparseAdam does not support dense gradients, please consider Adam instead")
            states = [self.state[p] for p in params]
            for p, own in zip(params, states, strict=True):
                if not own:
                    own.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
                own["step"] += 1
            sparse_adam(
                params,
                [p.grad for p in params],
                [own["exp_avg"] for own in states],
                [own["exp_avg_sq"] for own in states],
                [own["step"] for own in states],
                eps=group["eps"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                lr=float(group["lr"]),
                maximize=group.get("maximize", False),
            )
        return loss


def sparse_adam(
    params: list[Tensor],
    grads: list[Any],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[int],
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    maximize: bool,
) -> None:
    """One step over lists."""
    for param, grad, average, square, step in zip(params, grads, exp_avgs, exp_avg_sqs, state_steps, strict=True):
        grad = grad.coalesce()
        if grad.values().numel() == 0:
            continue
        size = lr * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        tables = (param, average, square)
        if grad.dtype in (_core.float32, _core.float64) and all(t.is_contiguous() for t in tables):
            rows, values = _rows_of(grad)
            flat = (t.view(-1, values.shape[1]) for t in tables)
            _sparse_adam(*flat, rows, values, beta1=beta1, beta2=beta2, eps=eps, step=size, maximize=maximize)
        else:
            _step_rows(param, -grad if maximize else grad, average, square, (beta1, beta2), eps, size)


def _rows_of(grad: Any) -> tuple[Tensor, Tensor]:
    """A coalesced gradient as rows of a matrix."""
    rows, values = grad.indices()[0], grad.values()
    for index, size in zip(grad.indices()[1:], grad.shape[1 : grad.sparse_dim()], strict=True):
        rows = rows * size + index
    return rows, values.reshape(len(rows), -1)


def _step_rows(
    param: Tensor, grad: Any, average: Tensor, square: Tensor, betas: tuple[float, float], eps: float, size: float
) -> None:
    def sparse(values: Tensor) -> Tensor:
        return _sparse(grad.indices(), values, grad.shape, is_coalesced=True)

    old, old_square = average.sparse_mask(grad).values(), square.sparse_mask(grad).values()
    by = (grad.values() - old) * (1 - betas[0])
    by_square = (grad.values().square() - old_square) * (1 - betas[1])
    average.add_(sparse(by))
    square.add_(sparse(by_square))
    param.add_(sparse(-size * ((by + old) / ((by_square + old_square).sqrt() + eps))))
