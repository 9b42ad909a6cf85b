"""One call of checkpoint(use_reentrant=False): what it saves in place of tensors, and how it calculates them again."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Callable
from typing import Any

from .. import _core, cuda
from .._core import Tensor
from ..amp import autocast
from ..amp.state import get_autocast_dtype, is_autocast_enabled
from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..error_words import at_call
from .checkpoint_log import OperationLog, told
from .checkpoint_random import RandomStates


class CheckpointError(RuntimeError):
    """Doing the calculation again did not give what the first time gave."""


class _EnoughError(Exception):
    """Everything that backward needs has been calculated again."""


class GraphExecGroup:
    """Within it, several backward passes through parts of one checkpointed calculation share its second run. No two of
    them may need the same saved tensor.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(torch.square, x, use_reentrant=False)
    >>> with torch.utils.checkpoint.GraphExecGroup():
    ...     torch.autograd.grad(y, x)
    (tensor(6.),)
    """

    current: GraphExecGroup | None = None

    def __enter__(self) -> None:
        if GraphExecGroup.current is not None:
            raise at_call(RuntimeError, "GraphExecGroup contexts cannot be nested.")
        GraphExecGroup.current = self

    def __exit__(self, *error: object) -> None:
        GraphExecGroup.current = None


_outside = itertools.count(-1, -1)  # each use of a saved tensor outside of a pass is a pass of its own


def _current_pass() -> Any:
    return GraphExecGroup.current or _core.current_run() or next(_outside)


def current_autocast() -> Callable[[], contextlib.ExitStack]:
    """What begins regions like those we are in, for doing the calculation again."""
    caches = _core.is_autocast_cache_enabled()
    kinds = [
        (kind, get_autocast_dtype(kind), is_autocast_enabled(kind))
        for kind in ("cpu", "cuda")
        if kind == "cpu" or cuda.is_initialized()
    ]

    def regions() -> contextlib.ExitStack:
        with contextlib.ExitStack() as stack:
            for kind, dtype, enabled in kinds:
                stack.enter_context(autocast(kind, dtype, enabled, caches))
            return stack.pop_all()

    return regions


class _Place:
    """Stands for a saved tensor; its values, by pass, live no longer than the node that holds it."""

    __slots__ = ("__weakref__", "frame", "number", "values")

    def __init__(self, frame: Frame, number: int):
        self.frame, self.number = frame, number
        self.values: dict[Any, Tensor | None] = {}  # None: it was given out


class Frame:
    """One call of checkpoint: how to do it again, and the places that wait for its tensors."""

    def __init__(
        self, function: Callable, args: tuple, kwargs: dict, keep_random: bool, context: Any, check: str, early: bool
    ):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.versions = [(t, t._version) for t in args if isinstance(t, Tensor) and not t.is_inference()]
        self.random_states = RandomStates(args) if keep_random else None
        self.precision = current_autocast()
        self.context, self.check, self.early = context, check, early
        self.log: OperationLog | None = None  # of the first calculation, where differences are to be explained
        self.places: list[weakref.ref[_Place]] = []
        self.shapes: list[tuple] = []
        self.completed = False  # whether the first calculation is over; it may differentiate parts of itself
        self.recomputed: set = set()  # the passes for which all was calculated again

    def pack(self, tensor: Tensor) -> _Place:
        place = _Place(self, len(self.places))
        self.places.append(weakref.ref(place))
        self.shapes.append(_description(tensor))
        return place

    @staticmethod
    def unpack(place: _Place) -> Tensor:
        run = _current_pass()
        if run not in place.frame.recomputed:
            place.frame.recompute_logged(run)
        value = place.values.get(run)
        if value is None:
            if isinstance(run, GraphExecGroup):
                raise CheckpointError(
                    "Performing two backward calls that overlap (i.e. require the same saved activation in order to "
                    "compute gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context."
                )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once."
            )
        place.values[run] = None
        return value

    def recompute_logged(self, run: Any) -> None:
        if self.log is None:
            return self.recompute(run)
        log = OperationLog()
        try:
            with log:
                self.recompute(run)
        except CheckpointError as error:
            raise CheckpointError(told(error, self.log, log)) from error

    def recompute(self, run: Any) -> None:
        for tensor, version in self.versions:
            if tensor._version != version:
                raise at_call(
                    RuntimeError,
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"an argument of checkpoint, of shape {list(tensor.shape)}, is at version {tensor._version}; "
                    f"expected version {version} instead.",
                )
        second = _Second(self, run)
        with contextlib.ExitStack() as stack:
            if self.random_states is not None:
                stack.enter_context(self.random_states.resumed())
            stack.enter_context(enable_grad())
            stack.enter_context(self.precision())
            stack.enter_context(self.context)
            stack.enter_context(saved_tensors_hooks(second.fill, lambda tensor: tensor))
            with contextlib.suppress(_EnoughError):
                self.function(*self.args, **self.kwargs)
        self.recomputed.add(run)
        second.check()


class _Second:
    """A second calculation."""

    def __init__(self, frame: Frame, run: Any):
        self.frame, self.run = frame, run
        self.count = 0
        self.incomplete = False  # the first one is still running, and this one goes further
        self.differing: list[str] = []

    def fill(self, tensor: Tensor) -> Tensor:
        frame, number = self.frame, self.count
        self.count += 1
        if number >= len(frame.places):
            if frame.completed:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    f"forward pass.\nNumber of tensors saved during forward: {len(frame.places)}."
                )
            self.incomplete = True
            return tensor
        if frame.check == "default" and _description(tensor) != frame.shapes[number]:
            self.differing.append(
                f"tensor at position {number}:\nsaved metadata: {_shown(frame.shapes[number])}\n"
                f"recomputed metadata: {_shown(_description(tensor))}"
            )
        place: Any = frame.places[number]()
        if place is not None:
            place.values[self.run] = tensor.detach() if tensor.requires_grad else tensor
        if frame.early and self.count == len(frame.places):
            raise _EnoughError
        return tensor

    def check(self) -> None:
        wanted = len(self.frame.places)
        if self.count != wanted and not self.incomplete:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {wanted}\n"
                f"Number of tensors saved during recomputation: {self.count}."
            )
        if self.differing:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                "during the forward pass.\n" + "\n".join(self.differing)
            )


def _description(tensor: Tensor) -> tuple:
    return tensor.shape, tensor.dtype, tensor.device


def _shown(description: tuple) -> dict[str, Any]:
    return dict(zip(("shape", "dtype", "device"), description, strict=True))
