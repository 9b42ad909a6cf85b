"""Schedules that go up and down, the momentum against the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ...error_words import at_call
from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, dict_of_callable, per_group, set_option


def _check_momentum(optimizer: Optimizer) -> bool:
    """Whether the momentum is the first of the betas; raises if there is none."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise at_call(ValueError, "optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], momentum: Any, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _start_momentum(optimizer: Optimizer, least: list[Any], most: list[Any], use_beta1: bool) -> None:
    for low, high, group in zip(least, most, optimizer.param_groups, strict=True):
        _set_momentum(group, high, use_beta1)
        group["max_momentum"] = high
        group["base_momentum"] = low


class CyclicLR(LRScheduler):
    """Goes up and down between two learning rates, in straight lines, with each batch.

    Args:
        optimizer: whose learning rates are set.
        base_lr, max_lr: the lowest and the highest rate.
        step_size_up, step_size_down: how many steps the rate rises and falls.
        mode: "triangular", "triangular2" (half as high each time) or "exp_range".
        gamma: of "exp_range".
        scale_fn, scale_mode: another shape, and whether it is a function of the cycle or of the step.
        cycle_momentum, base_momentum, max_momentum: whether momentum falls while the rate rises, and its limits.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.5, 1., step_size_up=2, cycle_momentum=False)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    0.5
    0.75
    1.0
    0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise at_call(ValueError, "mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_ref: Callable[[float], float]
        self._scale_fn_custom: Any = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _check_momentum(optimizer)
            self.base_momentums = per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = per_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                _start_momentum(optimizer, self.base_momentums, self.max_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"
        self._scale_fn_ref = {
            "triangular": self._triangular_scale_fn,
            "triangular2": self._triangular2_scale_fn,
            "exp_range": partial(self._exp_range_scale_fn, self.gamma),
        }[self.mode]

    def scale_fn(self, x: float) -> float:
        """By how much a cycle's height is scaled, from its number or that of the batch (`scale_mode`)."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        """The next learning rates. It sets the momenta as well."""
        self._warn_if_asked_from_outside()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        number = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self.cycle_momentum:
            momenta = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in momenta:
                _set_momentum(group, high - (high - low) * height * self.scale_fn(number), self.use_beta1)
        rates = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * self.scale_fn(number) for low, high in rates]

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows; of a scale_fn only the attributes of an object."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state.pop("_scale_fn_custom")
        return {**state, "_scale_fn_custom": None if custom is None else dict_of_callable(custom)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave; a scale_fn stays this schedule's own."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])
        self._init_scale_fn()


class OneCycleLR(LRScheduler):
    """Goes up to max_lr once and then down to nearly nothing, within a given number of batches.

    Args:
        optimizer: whose learning rates are set.
        max_lr: the highest rate.
        total_steps: of the cycle; or epochs and steps_per_epoch, whose product it is.
        pct_start: the part of the cycle in which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum, base_momentum, max_momentum: whether momentum falls while the rate rises, and its limits.
        div_factor: max_lr by the first rate.
        final_div_factor: the first rate by the last one.
        three_phase: whether the rate falls back to the first one before it falls further.
        last_epoch: how many steps are done already, less one.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1., total_steps=5)
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     scheduler.step()
    0.04
    0.9505
    0.6113
    0.1883
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise at_call(ValueError, f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if anneal_strategy not in ("cos", "linear"):
            raise at_call(
                ValueError, f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for top, group in zip(per_group("max_lr", optimizer, max_lr), optimizer.param_groups, strict=True):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _check_momentum(optimizer)
            most = per_group("max_momentum", optimizer, max_momentum)
            least = per_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                _start_momentum(optimizer, least, most, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, fraction: float) -> Any:
        """The value between start and end at a fraction of the way."""
        if self._anneal_func_type == "linear":
            return (end - start) * fraction + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * fraction) + 1)

    def get_lr(self) -> list[Any]:
        """The next learning rates. It sets the momenta as well."""
        self._warn_if_asked_from_outside()
        step = self.last_epoch
        if step > self.total_steps:
            raise at_call(
                ValueError, f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        begin, phase = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step <= phase["end_step"]:
                break
            begin, phase = phase["end_step"], following
        fraction = (step - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], fraction))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._anneal_func(*ends, fraction), self.use_beta1)
        return rates


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """The number of batches, from either way to give it."""
    given = (
        {"total_steps": total_steps}
        if total_steps is not None
        else {
            "epochs": epochs,
            "steps_per_epoch": steps_per_epoch,
        }
    )
    if None in given.values():
        raise at_call(ValueError, "You must define either total_steps OR (epochs AND steps_per_epoch)")
    total = 1
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise at_call(ValueError, f"Expected positive integer {name}, but got {value}")
        total *= value
    return total


def _phases(total: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and between which options of a group it goes."""

    def phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
        momenta = {"start_momentum": f"{start_momentum}_momentum", "end_momentum": f"{end_momentum}_momentum"}
        return {"end_step": end, "start_lr": f"{start_lr}_lr", "end_lr": f"{end_lr}_lr", **momenta}

    up = phase(float(pct_start * total) - 1, "initial", "max", "max", "base")
    if not three_phase:
        return [up, phase(total - 1, "max", "min", "base", "max")]
    down = phase(float(2 * pct_start * total) - 2, "max", "initial", "base", "max")
    return [up, down, phase(total - 1, "initial", "min", "max", "max")]
