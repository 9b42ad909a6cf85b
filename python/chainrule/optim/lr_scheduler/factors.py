"""Schedules that multiply learning rates by a factor of the epoch."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ...error_words import at_call
from ..optimizer import Optimizer
from .scheduler import LRScheduler, dict_of_callable


class _ByFunctions(LRScheduler):
    """A function of the epoch for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        if len(lr_lambda) != groups:
            raise at_call(ValueError, f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows. Of the functions only those that are objects are kept, by their attributes."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [dict_of_callable(function) for function in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave; functions are not in it."""
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_ByFunctions):
    """The first learning rate times a function of the epoch.

    Args:
        optimizer: whose learning rates are set.
        lr_lambda: the number of the step to what the first rate is multiplied by; one, or one for each group.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.5
    0.3333
    0.25
    """

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunctions):
    """The last learning rate times a function of the epoch.

    Args:
        optimizer: whose learning rates are set.
        lr_lambda: the number of the step to what the rate is multiplied by; one, or one for each group.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.5
    0.25
    0.125
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Any,
        last_epoch: int = -1,
    ) -> None:
        single = not isinstance(lr_lambda, (list, tuple))
        for function in [lr_lambda] if single else lr_lambda:
            if not callable(function):
                raise at_call(TypeError, f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self._is_initial:
            return self._kept()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]


class StepLR(LRScheduler):
    """Times gamma every `step_size` epochs.

    Args:
        optimizer: whose learning rates are set.
        step_size: after how many steps the rate falls.
        gamma: what it is multiplied by.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    1.0
    0.1
    0.1
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._kept()
        return self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._scaled_base(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times gamma at each of the milestones.

    Args:
        optimizer: whose learning rates are set.
        milestones: the steps at which the rate falls.
        gamma: what it is multiplied by.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.1)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.1
    0.1
    0.01
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self.last_epoch not in self.milestones:
            return self._kept()
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        return self._scaled_base(self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch))


class ConstantLR(LRScheduler):
    """Times a factor during the first `total_iters` epochs.

    Args:
        optimizer: whose learning rates are set.
        factor: what the rate is multiplied by at first.
        total_iters: for how many steps.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    0.5
    0.5
    1.0
    1.0
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise at_call(ValueError, "Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._kept() if self.last_epoch != self.total_iters else self._scaled(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._scaled_base(self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


class LinearLR(LRScheduler):
    """Times a factor that goes from start_factor to end_factor in equal steps during the first epochs.

    Args:
        optimizer: whose learning rates are set.
        start_factor, end_factor: what the rate is multiplied by at first and in the end.
        total_iters: how many steps it takes.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    0.5
    0.75
    1.0
    1.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise at_call(
                ValueError, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise at_call(ValueError, "Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._kept()
        rise = self.end_factor - self.start_factor
        return self._scaled(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch)
        rise = self.end_factor - self.start_factor
        return self._scaled_base(self.start_factor + rise * done / self.total_iters)


class ExponentialLR(LRScheduler):
    """Times gamma every epoch.

    Args:
        optimizer: whose learning rates are set.
        gamma: what the rate is multiplied by in each step.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.5
    0.25
    0.125
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        return self._kept() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._scaled_base(self.gamma**self.last_epoch)


class PolynomialLR(LRScheduler):
    """Falls to zero within `total_iters` epochs, as a power of the epochs that are left.

    Args:
        optimizer: whose learning rates are set.
        total_iters: after how many steps the rate is 0.
        power: of the polynomial.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    1.0
    0.75
    0.5
    0.25
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates."""
        self._warn_if_asked_from_outside()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._kept()
        left, left_before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._scaled((left / left_before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch)
        return self._scaled_base((1.0 - done / self.total_iters) ** self.power)
