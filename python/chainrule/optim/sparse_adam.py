"""SparseAdam: named here, but there are no sparse gradients for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import enable_grad
from ..error_words import at_call
from .optimizer import Optimizer, ParamsT
from .update_rule import check_options

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Refuses every gradient as PyTorch's refuses dense ones: chainrule has no sparse tensors. Use Adam.

    >>> torch.optim.SparseAdam([torch.ones(2, requires_grad=True)]).defaults["lr"]
    0.001
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
        places = [(g, i) for g, group in enumerate(self.param_groups) for i, _ in enumerate(group["params"])]
        numbers = [[g, i] for g, i in places if self.param_groups[g]["params"][i].is_complex()]
        if numbers:
            raise at_call(
                ValueError, f"Complex params at indices {numbers}: SparseAdam does not support complex parameters"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Raises as soon as there is a gradient."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if any(p.grad is not None for group in self.param_groups for p in group["params"]):
            raise at_call(
                RuntimeError,
                "SparseAdam does not support dense gradients, please consider Adam instead "
                "(chainrule has no sparse tensors)",
            )
        return loss
