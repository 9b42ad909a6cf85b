"""Collectives on one tensor: all_reduce, reduce, broadcast, and barriers."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..user_warning import warn_user
from .calls import check_one_dtype, check_tensor, check_tensors, describe, rank_in_group, start
from .errors import DistBackendError
from .mpi import library, memory, plain
from .process_group import ProcessGroup, _checked_timeout, member_group
from .reduce_ops import ReduceOp, operation
from .work import Work


def settle(tensor: Tensor, sent: Tensor, op: ReduceOp | None = None, size: int = 1) -> None:
    """Puts a result into the caller's tensor: divides an average, and copies back what was not sent from it."""
    with no_grad():
        if op is ReduceOp.AVG:
            sent.div_(size)
        if sent.data_ptr() != tensor.data_ptr() or not tensor.is_contiguous():
            tensor.detach().copy_(sent)


def all_reduce(
    tensor: Tensor, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Reduces the tensors of all processes; each gets the result in its tensor.

    Args:
        tensor: of the same shape and dtype everywhere; changed in place.
        op: how; the sum without it.
        group: the processes; all without it.
        async_op: whether to return a handle instead of waiting.
    """
    check_tensor(tensor, "tensor")
    known = member_group(group, "all_reduce")
    if known is None:
        return None
    mpi_op = operation("all_reduce", op, tensor)
    sent = plain(tensor)
    return start(
        "all_reduce",
        known,
        lambda: known.communicator.Iallreduce(library().IN_PLACE, memory(sent), op=mpi_op),
        facts=f"{describe(tensor)}, {op.name}",
        memory=(sent,),
        outputs=(tensor,),
        finish=lambda: settle(tensor, sent, op, known.size()),
        async_op=async_op,
    )


def all_reduce_coalesced(
    tensors: Any, op: ReduceOp = ReduceOp.SUM, group: ProcessGroup | None = None, async_op: bool = False
) -> list[Work] | None:
    """all_reduce of several tensors; with async_op, a list of handles."""
    tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    check_tensors(tensors, "tensor")
    check_one_dtype(tensors)
    works = [work for tensor in tensors if (work := all_reduce(tensor, op, group, True)) is not None]
    if async_op:
        return works
    for work in works:
        work.wait()
    return None


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduces the tensors of all processes; one gets the result in its tensor, those of the others stay as they are.

    Args:
        dst, group_dst: the rank that gets it, in the world or in the group.
    """
    check_tensor(tensor, "tensor")
    known = member_group(group, "reduce")
    if known is None:
        return None
    root = rank_in_group("reduce", known, dst, group_dst)
    mpi_op = operation("reduce", op, tensor)
    sent, is_root = plain(tensor), known.rank() == root
    ends = (library().IN_PLACE, memory(sent)) if is_root else (memory(sent), None)
    return start(
        "reduce",
        known,
        lambda: known.communicator.Ireduce(*ends, op=mpi_op, root=root),
        facts=f"{describe(tensor)}, {op.name}, dst={root}",
        memory=(sent,),
        outputs=(tensor,) if is_root else (),
        finish=(lambda: settle(tensor, sent, op, known.size())) if is_root else None,
        async_op=async_op,
    )


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Copies one process's tensor into those of all others.

    Args:
        tensor: of the same shape and dtype everywhere.
        src, group_src: the rank whose tensor it is, in the world or in the group.
    """
    check_tensor(tensor, "tensor")
    known = member_group(group, "broadcast")
    if known is None:
        return None
    root = rank_in_group("broadcast", known, src, group_src)
    sent, is_root = plain(tensor), known.rank() == root
    return start(
        "broadcast",
        known,
        lambda: known.communicator.Ibcast(memory(sent), root=root),
        facts=f"{describe(tensor)}, src={root}",
        memory=(sent,),
        outputs=() if is_root else (tensor,),
        finish=None if is_root else lambda: settle(tensor, sent),
        async_op=async_op,
    )


def barrier(
    group: ProcessGroup | None = None,
    async_op: bool = False,
    device_ids: Any = None,
    timeout: timedelta | None = None,
) -> Work | None:
    """Waits until all processes have come here.

    Args:
        timeout: at most so long; without it, the group's time limit.
    """
    if device_ids is not None:
        raise ValueError("barrier: device_ids is not supported: there are no GPUs")
    known = member_group(group, "barrier")
    if known is None:
        return None
    work = start("barrier", known, lambda: known.communicator.Ibarrier(), async_op=True)
    if async_op or work is None:
        return work
    work.wait(timeout)
    return None


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | float | None = None, wait_all_ranks: bool = False
) -> None:
    """A barrier that names who did not come in time.

    Args:
        timeout: how long rank 0 waits for each of the others; the group's time limit without it.
        wait_all_ranks: whether it waits for all before it names those who are missing, instead of for the first one.
    """
    known = member_group(group, "monitored_barrier")
    if known is None:
        return
    if isinstance(timeout, float):
        warn_user(
            f"Please specify timeout arg as a timedelta. Converting current value of {timeout} assuming it represents "
            "seconds"
        )
        timeout = timedelta(seconds=timeout)
    limit = known.timeout if timeout is None else _checked_timeout(timeout)
    if known.rank() == 0:
        missing = _missing(known, limit, wait_all_ranks)
        if missing:
            names = ", ".join(str(known.ranks[rank]) for rank in missing)
            milliseconds = int(limit.total_seconds() * 1000)
            raise DistBackendError(
                f"Rank{'s' if len(missing) > 1 else ''} {names} failed to pass monitoredBarrier in {milliseconds} ms"
            )
        peers = list(range(1, known.size()))
        _tell(known, peers)
        return
    _tell(known, [0])
    word = bytearray(1)
    request = known.records.Irecv([word, library().BYTE], source=0, tag=_ARRIVED)
    Work("monitored_barrier (rank 0 has not let this process pass)", known, request).wait(limit)


_ARRIVED = 7  # the tag


def _tell(group: ProcessGroup, peers: list[int]) -> None:
    for peer in peers:
        request = group.records.Isend([bytearray(1), library().BYTE], dest=peer, tag=_ARRIVED)
        Work("monitored_barrier", group, request).wait()


def _missing(group: ProcessGroup, limit: timedelta, wait_all: bool) -> list[int]:
    """Who has not come within the time limit; only the first of them unless wait_all."""
    byte, deadline = library().BYTE, time.monotonic() + limit.total_seconds()
    waiting = {
        rank: group.records.Irecv([bytearray(1), byte], source=rank, tag=_ARRIVED) for rank in range(1, group.size())
    }
    while waiting and time.monotonic() < deadline:
        waiting = {rank: request for rank, request in waiting.items() if not request.Test()}
        time.sleep(5e-4)
    for request in waiting.values():
        request.Cancel()
        request.Wait()
    return list(waiting) if wait_all else list(waiting)[:1]
