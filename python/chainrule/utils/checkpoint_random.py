"""The random numbers of a calculation that is done again: the second time they are those of the first."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from ..pytree import tree_leaves
from ..random import fork_rng, get_rng_state, set_rng_state


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The GPUs on which the tensors are, and the states of their default generators.

    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    found = sorted({t.get_device() for t in tree_leaves(args) if isinstance(t, Tensor) and t.device.type == "cuda"})
    if not found:
        return [], []
    from .. import cuda

    return found, [cuda.get_rng_state(index) for index in found]


def set_device_states(devices: list[int], states: list[Tensor], *, device_type: str | None = None) -> None:
    """Takes the states that get_device_states() gave.

    >>> torch.utils.checkpoint.set_device_states([], [])
    """
    if device_type not in (None, "cuda") and len(devices):
        raise at_call(RuntimeError, f"{len(devices)} devices of type {device_type!r}: chainrule has none")
    for index, state in zip(devices, states, strict=True):
        from .. import cuda

        cuda.set_rng_state(state, index)


class RandomStates:
    """Where the generators stand that a calculation with these arguments draws from."""

    def __init__(self, args: tuple):
        self.of_cpu = get_rng_state()
        self.devices, self.states = get_device_states(*args)

    @contextlib.contextmanager
    def resumed(self) -> Iterator[None]:
        """A block that draws the same numbers again; after it the generators stand where they stood before it."""
        with fork_rng(devices=self.devices):
            set_rng_state(self.of_cpu)
            set_device_states(self.devices, self.states)
            yield
