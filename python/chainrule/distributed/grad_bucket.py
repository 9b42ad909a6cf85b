"""GradBucket: what a communication hook of DistributedDataParallel gets."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import Tensor
from ..autograd.grad_mode import no_grad


class GradBucket:
    """The gradients of some parameters, one after the other in one piece of memory, ready to be reduced.

    Args:
        index: its number in the pass, from 0 on.
        count: how many there are.
        memory: all gradients, flat.
        gradients: each by itself, in that memory.
        parameters: whose they are.
    """

    def __init__(
        self, index: int, count: int, memory: Tensor, gradients: Sequence[Tensor], parameters: Sequence[Tensor]
    ):
        self._index, self._count, self._memory = index, count, memory
        self._gradients, self._parameters = list(gradients), list(parameters)

    def index(self) -> int:
        """Its number in the pass, from 0 on."""
        return self._index

    def buffer(self) -> Tensor:
        """All its gradients in one flat tensor."""
        return self._memory

    def set_buffer(self, tensor: Tensor) -> None:
        """Replaces the gradients."""
        with no_grad():
            self._memory.copy_(tensor)

    def gradients(self) -> list[Tensor]:
        """Each gradient by itself; they share the buffer's memory."""
        return self._gradients

    def parameters(self) -> list[Tensor]:
        """The parameters, in the order of the gradients."""
        return self._parameters

    def is_last(self) -> bool:
        """Whether no other one comes in this pass."""
        return self._index == self._count - 1
