"""Messages from one process to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from .calls import check_tensor, rank_in_group
from .collectives import settle
from .groups import get_global_rank
from .mpi import library, memory, plain
from .process_group import ProcessGroup, default_group, member_group
from .work import Work


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Begins to send a tensor; it may not be changed before the handle says that it is done.

    Args:
        dst, group_dst: to whom: a rank in the world or in the group.
        tag: the receiver names the same.
    """
    check_tensor(tensor, "tensor")
    known = member_group(group, "isend")
    if known is None:
        return None
    peer = rank_in_group("isend", known, dst, group_dst)
    sent = plain(tensor)
    request = known.communicator.Isend(memory(sent), dest=peer, tag=tag)
    return Work(f"isend to rank {known.ranks[peer]}", known, request, (sent,))


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Begins to receive a tensor.

    Args:
        tensor: where it goes.
        src, group_src: from whom: a rank in the world or in the group; without it, from anybody.
        tag: as the sender named it.
    """
    check_tensor(tensor, "tensor")
    known = member_group(group, "irecv")
    if known is None:
        return None
    anybody = src is None and group_src is None
    peer = library().ANY_SOURCE if anybody else rank_in_group("irecv", known, src, group_src)
    room = plain(tensor)
    request = known.communicator.Irecv(memory(room), source=peer, tag=tag)
    name = "irecv from anybody" if anybody else f"irecv from rank {known.ranks[peer]}"
    return Work(name, known, request, (room,), lambda: settle(tensor, room), (tensor,))


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Sends a tensor to another process; see isend()."""
    known = member_group(group, "send")
    if known is None:
        return
    if rank_in_group("send", known, dst, group_dst) == known.rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: ProcessGroup | None = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receives a tensor from another process, and returns the sender's rank; see irecv()."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is not None:
        return src
    return get_global_rank(group or default_group(), work.source_rank())


class P2POp:
    """A message for batch_isend_irecv().

    Args:
        op: isend or irecv.
        tensor: what is sent or where it goes.
        peer, group_peer: the other process's rank, in the world or in the group.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: int | None = None,
        group: ProcessGroup | None = None,
        tag: int = 0,
        group_peer: int | None = None,
    ):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = group or default_group()
        self.group_peer = rank_in_group("P2POp", self.group, peer, group_peer)
        self.peer = get_global_rank(self.group, self.group_peer)

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__}, peer={self.peer}, group={self.group.group_name}, tag={self.tag})"


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begins several messages at once."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(message, P2POp) for message in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if any(message.group is not p2p_op_list[0].group for message in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    names = {isend: "group_dst", irecv: "group_src"}
    return [
        message.op(message.tensor, group=message.group, tag=message.tag, **{names[message.op]: message.group_peer})
        for message in p2p_op_list
    ]
