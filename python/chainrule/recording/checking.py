"""Runs a step both ways: replayed, and as usual from the same state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..pytree import tree_leaves


class State:
    """What a step starts from, or leaves behind: tensors, their gradients, and the random numbers to come."""

    def __init__(self, tensors: list[Tensor]) -> None:
        from ..random import get_rng_state

        self._tensors = tensors
        self._values = [t.detach().clone() for t in tensors]
        self._grads = [(t.grad, None if t.grad is None else t.grad.detach().clone()) for t in tensors]
        self._random = get_rng_state()

    def restore(self) -> None:
        from ..random import set_rng_state

        recording = _core.is_grad_enabled()
        _core.set_grad_enabled(False)
        try:
            for t, value, (grad, values) in zip(self._tensors, self._values, self._grads, strict=True):
                if not _is_equal(t, value):
                    t.copy_(value)
                t.grad = None if values is None else grad.copy_(values)
        finally:
            _core.set_grad_enabled(recording)
        set_rng_state(self._random)
        self._grads.clear()  # a recording wants its gradients for itself

    def difference(self, other: State) -> str:
        """What differs, or ""."""
        for i, (a, b) in enumerate(zip(self._values, other._values, strict=True)):
            if not _is_equal(a, b):
                return f"tensor {i} of those that it depends on, of shape {tuple(a.shape)}"
        for i, ((_, a), (_, b)) in enumerate(zip(self._grads, other._grads, strict=True)):
            if (a is None) != (b is None) or (a is not None and not _is_equal(a, b)):
                return f"the gradient of tensor {i} of those that it depends on"
        return "" if _is_equal(self._random, other._random) else "the random numbers to come"


def _is_equal(a: Tensor, b: Tensor | None) -> bool:
    """To the bit."""
    if b is None or a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())


def checked_call(call: Any, watched: list[Tensor], given: list[Tensor], ordinary: Callable[[], Any]) -> Any:
    """The results of the replayed step, if the step as usual gives the same; None if it cannot be replayed."""
    if not call.fits(*given):
        return None
    tensors = [*watched, *given]
    before = State(tensors)
    expected = [x.detach().clone() for x in tree_leaves(ordinary()) if isinstance(x, Tensor)]
    left_behind = State(tensors)
    before.restore()
    found = call(*given)
    if found is None:
        raise at_call(RuntimeError, f"a step that is checked cannot be replayed: {call.changed} is another one")
    difference = State(tensors).difference(left_behind)
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if not _is_equal(a.detach(), b):
            difference = f"result {i}"
    if difference:
        raise at_call(RuntimeError, f"a replayed step differs from the step itself: {difference}")
    return found
