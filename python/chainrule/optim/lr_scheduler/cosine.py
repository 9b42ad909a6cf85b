"""Schedules that follow a cosine."""

from __future__ import annotations

import math
from typing import Any

from ...error_words import at_call
from ..optimizer import Optimizer
from .scheduler import LRScheduler


def _falling(top: Any, bottom: float, fraction: float) -> Any:
    """Half a wave from top to bottom."""
    return bottom + (top - bottom) * (1 + math.cos(math.pi * fraction)) / 2


class CosineAnnealingLR(LRScheduler):
    """Falls along half a cosine to eta_min within T_max epochs, then rises again.

    Args:
        optimizer: whose learning rates are set.
        T_max: how many steps half a wave takes.
        eta_min: the lowest rate.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.8536
    0.5
    0.1464
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self._is_initial:
            return self._kept()
        epoch, period, least = self.last_epoch, self.T_max, self.eta_min
        groups = self.optimizer.param_groups
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - period) % (2 * period) == 0:  # at the bottom, where a ratio of heights says nothing
            rise = (1 - math.cos(math.pi / period)) / 2
            return [g["lr"] + (base - least) * rise for base, g in zip(self.base_lrs, groups, strict=True)]
        ratio = (1 + math.cos(math.pi * epoch / period)) / (1 + math.cos(math.pi * (epoch - 1) / period))
        return [ratio * (g["lr"] - least) + least for g in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return [_falling(base, self.eta_min, self.last_epoch / self.T_max) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Falls along half a cosine to eta_min and starts again at the top, after T_0 epochs, then T_0 * T_mult, ...

    Args:
        optimizer: whose learning rates are set.
        T_0: how many steps the first wave takes.
        T_mult: how much longer each next one is.
        eta_min: the lowest rate.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.5
    1.0
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise at_call(ValueError, f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise at_call(ValueError, f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise at_call(ValueError, f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        return [_falling(base, self.eta_min, self.T_cur / self.T_i) for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Sets the learning rates of the next epoch, or of a given one, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.get_lr)

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise at_call(ValueError, f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**restarts
