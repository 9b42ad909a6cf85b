"""DistributedDataParallel with different numbers of batches: processes that are done go along with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _core
from ...distributed.algorithms.join import Join, JoinHook
from ...distributed.collectives import all_reduce
from ...distributed.reduce_ops import ReduceOp

if TYPE_CHECKING:
    from .distributed import DistributedDataParallel

_functions = _core.functions

"""In each pass, whoever has a batch says so (Join), and all agree on three numbers: how many they are, the rank whose
buffers count, and whether gradients are reduced at the end. Whoever has none takes part in everything that follows:
its buffers are overwritten, and it adds zeros to the gradients. It gets the averages like all others, so that an
optimiser that keeps its state in shares goes on to work.
"""


def announce(model: DistributedDataParallel, syncs: bool) -> tuple[int, int]:
    """Says that this process has a batch; gives the rank whose buffers count, and what gradients are divided by."""
    work = Join.notify_join_context(model)
    source, _, active = _agree(model, has_batch=True, syncs=syncs)
    if work is not None:
        work.wait()
    return source, _divisor(model, active)


def _agree(model: DistributedDataParallel, has_batch: bool, syncs: bool) -> tuple[int, bool, int]:
    """The highest rank that has a batch, whether gradients are reduced, and how many processes have a batch."""
    group = model.process_group
    facts = _functions["zeros"](group.size() + 1, dtype=_core.int32)
    facts[group.rank()] = int(has_batch)
    facts[-1] = int(syncs)
    all_reduce(facts, ReduceOp.MAX, group)
    *active, reduces = facts.tolist()
    return max(rank for rank, has in enumerate(active) if has), bool(reduces), sum(active)


def _divisor(model: DistributedDataParallel, active: int) -> int:
    return model.process_group.size() if model._divide_by_initial_world_size else active


class GoingAlong(JoinHook):
    """What a process does that has no more batches. See above."""

    def __init__(self, model: DistributedDataParallel):
        self.model = model

    def main_hook(self) -> None:
        """Takes part in one pass of those that have a batch."""
        model = self.model
        source, reduces, active = _agree(model, has_batch=False, syncs=False)
        model._copy_buffers(source)
        model.require_forward_param_sync = reduces
        if reduces:
            model.reducer.go_along(_divisor(model, active))

    def post_hook(self, is_last_joiner: bool) -> None:
        """Copies the model of a process that had batches to the end into all others."""
        group = self.model.process_group
        rank = _functions["tensor"]([group.rank() if is_last_joiner else -1])
        all_reduce(rank, ReduceOp.MAX, group)
        self.model._copy_model(int(rank.item()))
