"""Join: processes with different numbers of batches; those that are done shadow the collectives of the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

from ... import _core
from ...user_warning import warn_user
from ..collectives import all_reduce
from ..work import Work

__all__ = ["Join", "JoinHook", "Joinable"]

_functions = _core.functions
_MANY = 1000  # passes that a process goes along with before it warns


class JoinHook:
    """What a process does when it has no more batches; subclasses override one method or both."""

    def main_hook(self) -> None:
        """Called once for each pass of the others, to take part in its collectives."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once, when no process has batches any more.

        Args:
            is_last_joiner: whether this one was among the last.
        """


class _JoinConfig(NamedTuple):
    """How a Joinable takes part in the context that it is in, if any."""

    enable: bool = False
    throw_on_early_termination: bool = False
    is_first_joinable: bool = False


class Joinable(ABC):
    """Something with collectives in each pass, that can be used in a Join."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What is done for it when this process has no more batches.

        Args:
            kwargs: those of the Join.
        """

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """Where its tensors are."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The processes."""


class Join:
    """A context for passes over different numbers of batches: who is done goes along until all are.

    The first joinable has to call notify_join_context() in each pass, before any other collective.

    Args:
        joinables: what has collectives, in the order in which a pass uses them; all on one group.
        enable: whether the context does anything.
        throw_on_early_termination: whether all processes raise as soon as one has no more batches.
        kwargs: for the joinables' hooks.
    """

    def __init__(
        self,
        joinables: Sequence[Joinable],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables, self._enable, self._throws = list(joinables), enable, throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        groups = [joinable.join_process_group for joinable in joinables]
        if any(group is not groups[0] for group in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._group = groups[0]
        for joinable in joinables:
            joinable._join_config = _JoinConfig(enable, throw_on_early_termination, joinable is joinables[0])

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if self._enable and kind is None:
                self._go_along()
        finally:
            for joinable in self._joinables:
                joinable._join_config = _JoinConfig()

    def _go_along(self) -> None:
        passes = 0
        while self._how_many_have_batches():
            if self._throws:
                all_reduce(_functions["ones"](1), group=self._group)
                raise RuntimeError(f"Rank {self._group.rank()} exhausted all inputs.")
            for hook in self._hooks:
                hook.main_hook()
            passes += 1
            if passes == _MANY:
                warn_user(
                    f"Detected uneven input skew of greater than {_MANY}. This means that rank {self._group.rank()} "
                    f"has at least {_MANY} fewer inputs than other currently-active ranks."
                )
        for hook in self._hooks:
            hook.post_hook(is_last_joiner=passes == 0)

    def _how_many_have_batches(self) -> int:
        count = _functions["zeros"](1)
        all_reduce(count, group=self._group)
        return int(count.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tells processes without batches that this one has one; called by a joinable, before its collectives.

        Returns a handle for the context's first joinable, None for the others and outside of a context.
        """
        config = getattr(joinable, "_join_config", None)
        if config is None:
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        if not (config.enable and config.is_first_joinable):
            return None
        group = joinable.join_process_group
        work = all_reduce(_functions["ones"](1), group=group, async_op=True)
        if config.throw_on_early_termination:
            ended = _functions["zeros"](1)
            all_reduce(ended, group=group)
            if ended.item():
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
