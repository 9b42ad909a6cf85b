"""Averages of models over the course of training."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, Literal

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call
from ..nn import Module
from ..nn.modules.batchnorm import _BatchNorm
from ..user_warning import warn_user
from .lr_scheduler.scheduler import LRScheduler, per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

_Tensors = list[Tensor] | tuple[Tensor, ...]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise at_call(ValueError, f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _is_inexact(t: Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A function that lets averages fade towards the current tensors: exponential moving averages, list by list.

    >>> averages = [torch.tensor([0.])]
    >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)(averages, [torch.tensor([1.])], 1)
    >>> averages
    [tensor([0.1000])]
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: _Tensors, current_param_list: _Tensors, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if _is_inexact(ema_param_list[0]):
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A function that adds the current tensors to plain averages, list by list.

    >>> averages = [torch.tensor([0.])]
    >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(averages, [torch.tensor([1.])], torch.tensor(1))
    >>> averages
    [tensor([0.5000])]
    """

    @no_grad()
    def swa_update(averaged_param_list: _Tensors, current_param_list: _Tensors, num_averaged: Tensor | int) -> None:
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if _is_inexact(averaged_param_list[0]):
                average.lerp_(current, float(1 / (num_averaged + 1)))
            elif isinstance(num_averaged, Tensor):
                average.addcdiv_(current - average, num_averaged + 1)
            else:
                average.add_(current - average, alpha=1.0 / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """A function that gives an exponential moving average, one tensor at a time.

    >>> torch.optim.swa_utils.get_ema_avg_fn(0.9)(torch.tensor(0.), torch.tensor(1.), 1)
    tensor(0.1000)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """A function that gives a plain average, one tensor at a time.

    >>> torch.optim.swa_utils.get_swa_avg_fn()(torch.tensor(0.), torch.tensor(1.), 1)
    tensor(0.5000)
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those given to `update_parameters`.

    Args:
        model: whose parameters are averaged; it is copied.
        device: where the averages live.
        avg_fn: (average, parameter, count) to the new average; without one all count alike.
        multi_avg_fn: the same for lists, in place.
        use_buffers: whether buffers are averaged too.

    >>> model = torch.nn.Linear(1, 1)
    >>> average = torch.optim.swa_utils.AveragedModel(model)
    >>> average.update_parameters(model)
    >>> average.n_averaged
    tensor(1)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[[Tensor, Tensor, Any], Tensor] | None = None,
        multi_avg_fn: Callable[[_Tensors, _Tensors, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise at_call(AssertionError, "Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _core.functions["tensor"](0, dtype=_core.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Adds a model's parameters to the averages; the first ones are taken as they are."""
        averages = [t.detach() for t in self._tensors(self.module)]
        currents = [t.detach() for t in self._tensors(model)]
        pairs = list(zip(averages, currents, strict=False))
        if self.n_averaged == 0:
            for average, current in pairs:
                average.copy_(current)
        elif self.multi_avg_fn is None:
            average_of = self.avg_fn or get_swa_avg_fn()
            for average, current in pairs:
                average.copy_(average_of(average, current, self.n_averaged))
        else:
            by_dtype: defaultdict[Any, list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for average, current in pairs:
                by_dtype[average.dtype].append((average, current))
            for group in by_dtype.values():
                self.multi_avg_fn([a for a, _ in group], [c for _, c in group], self.n_averaged)
        if not self.use_buffers:
            for mine, other in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(other.detach())
        self.n_averaged += 1

    def _tensors(self, model: Module) -> Iterable[Tensor]:
        return chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Calculates the running averages of batch normalisation anew, by one pass over the data.

    >>> model = torch.nn.BatchNorm1d(1)
    >>> torch.optim.swa_utils.update_bn([torch.tensor([[1.], [3.]])], model)
    >>> model.running_mean
    tensor([2.])
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Goes to a learning rate for averaging within some epochs, and stays there.

    Args:
        optimizer: whose learning rates are set.
        swa_lr: the rate that is held in the end, one or one for each group.
        anneal_epochs: how many steps it takes to get there.
        anneal_strategy: "cos" or "linear".
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.05).get_last_lr()
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise at_call(
                ValueError, f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise at_call(ValueError, f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, anneal_strategy: Literal["cos", "linear"]) -> None:
        self._anneal_strategy: Literal["cos", "linear"] = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _share(self, step: float) -> float:
        """How much of the way has been gone after a step."""
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        if not self._get_lr_called_within_step:
            warn_user(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning
            )
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            final = group["swa_lr"]
            initial = final if before == 1 else (group["lr"] - before * final) / (1 - before)
            rates.append(final * share + initial * (1 - share))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows, except the optimiser."""
        return {key: value for key, value in super().state_dict().items() if key != "anneal_func"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)
