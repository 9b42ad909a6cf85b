"""Buckets: parameters whose gradients travel together, in one piece of memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _core
from ..._core import Tensor
from ...futures import Future

_functions = _core.functions
FIRST_BUCKET_BYTES = 1 << 20  # small, so that the first reduction starts early


class Bucket:
    """The gradients of some parameters of one dtype.

    Args:
        members: the parameters' numbers, in the order in which their gradients are expected.
        params: all parameters, by number.
    """

    def __init__(self, members: Sequence[int], params: Sequence[Tensor]):
        self.members = list(members)
        chosen = [params[i] for i in members]
        self.memory = _functions["zeros"](
            sum(p.numel() for p in chosen), dtype=chosen[0].dtype, device=chosen[0].device
        )
        pieces = self.memory.split([p.numel() for p in chosen])
        self.views = {i: piece.view(p.shape) for i, p, piece in zip(members, chosen, pieces, strict=True)}
        self.missing = 0  # gradients that have not come in this pass
        self.reduction: Any = None  # under way: a handle, or a future of what the user's hook makes

    def advance(self) -> None:
        """Moves what is under way."""
        if isinstance(self.reduction, Future):
            self.reduction.done()
        else:
            self.reduction.advance()

    def expect(self) -> None:
        """Waits for all gradients anew."""
        self.missing = len(self.members)
        self.reduction = None


def cut(order: Sequence[int], params: Sequence[Tensor], limit: int, first: int | None = None) -> list[list[int]]:
    """The parameters' numbers in groups of one dtype and about `limit` bytes.

    Args:
        order: in which gradients are expected.
        limit: a group is closed when it has so many bytes.
        first: the limit of the first one; PyTorch's 1 MB without it.
    """
    finished: list[list[int]] = []
    open_groups: dict[Any, tuple[list[int], int]] = {}
    bound = min(limit, FIRST_BUCKET_BYTES if first is None else first)
    for i in order:
        group, size = open_groups.pop(params[i].dtype, ([], 0))
        group.append(i)
        size += params[i].numel() * params[i].element_size()
        if size >= bound:
            finished.append(group)
            bound = limit
        else:
            open_groups[params[i].dtype] = (group, size)
    return finished + [group for group, _ in open_groups.values()]
