"""The base of all schedules: when the learning rates change and where they are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any
from weakref import ref

from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user
from ..optimizer import Optimizer
from ..update_rule import as_scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_ORDER = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value for each parameter group."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [_copied(value) for _ in range(groups)]
    if len(value) != groups:
        raise at_call(
            ValueError,
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {groups}.",
        )
    return [_copied(each) for each in value]


def of_groups(optimizer: Optimizer, key: str) -> list[Any]:
    """An option of each group; tensors are copied, since they change in place."""
    return [_copied(group[key]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets an option of a group; in place if it is a tensor."""
    if isinstance(group[key], Tensor):
        group[key].fill_(as_scalar(value))
    else:
        group[key] = value


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise at_call(TypeError, f"{type(optimizer).__name__} is not an Optimizer")


def dict_of_callable(function: Any) -> dict[str, Any] | None:
    """What a state dict keeps of a callable: the attributes of an object, nothing of a function."""
    return None if isinstance(function, FunctionType) else function.__dict__.copy()


class LRScheduler:
    """Changes the learning rates of an optimiser with each `step()`; a subclass says to what, in `get_lr()`.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
    >>> isinstance(torch.optim.lr_scheduler.StepLR(optimizer, 10), torch.optim.lr_scheduler.LRScheduler)
    True
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    base_lrs: list[Any]
    _last_lr: list[Any]
    _step_count: int

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
                    "a fresh training run (not recommended)"
                )
        self.base_lrs = of_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """The first step, which makes the first learning rates."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All that the schedule knows, except the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what state_dict() gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates that this schedule set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The next learning rates. It is called by `step`; for the present ones ask get_last_lr()."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Sets the learning rates of the next epoch."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warn_user(EPOCH_DEPRECATION_WARNING, UserWarning)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warn_user(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_ORDER}",
                UserWarning,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warn_user(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                f"do this will result in PyTorch skipping the first value of the learning rate schedule. {_ORDER}",
                UserWarning,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self._set_rates(closed_form or self.get_lr)

    def _set_rates(self, calculate: Callable[[], list[Any]]) -> None:
        self._get_lr_called_within_step = True
        try:
            rates = calculate()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_option(group, "lr", rate)
        self._last_lr = of_groups(self.optimizer, "lr")

    def _warn_if_asked_from_outside(self) -> None:
        if not self._get_lr_called_within_step:
            warn_user(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", UserWarning
            )

    # ---- what get_lr() is made of

    def _kept(self) -> list[Any]:
        """The present learning rates."""
        return of_groups(self.optimizer, "lr")

    def _scaled(self, factor: float) -> list[Any]:
        """The present learning rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _scaled_base(self, factor: float) -> list[Any]:
        """The first learning rates times a factor."""
        return [base_lr * factor for base_lr in self.base_lrs]


class _LRScheduler(LRScheduler):
    pass


def _watch_steps(optimizer: Optimizer) -> None:
    """Lets the optimiser note that it made a step, so that a schedule can warn about the wrong order."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    method: Any = optimizer.step
    step: Callable[..., Any] = method.__func__
    owner = ref(optimizer)

    @wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        watched: Any = owner()
        watched._opt_called = True
        return step(watched, *args, **kwargs)

    watching: Any = wrapper
    watching._wrapped_by_lr_sched = True
    optimizer.step = watching
