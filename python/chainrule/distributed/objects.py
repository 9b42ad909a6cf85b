"""Collectives of Python objects. They are pickled: only exchange objects with processes that you trust."""

from __future__ import annotations

import pickle
from typing import Any

from .. import _core
from .._core import Tensor
from .calls import rank_in_group
from .collectives import broadcast
from .exchanges import all_gather, check_list_on_root, scatter
from .point_to_point import recv, send
from .process_group import ProcessGroup, get_world_size, member_group

_functions = _core.functions


def _packed(value: Any) -> Tensor:
    return _functions["frombuffer"](bytearray(pickle.dumps(value)), dtype=_core.uint8)


def _unpacked(data: Tensor) -> Any:
    return pickle.loads(bytes(memoryview(data)))


def _sizes(values: list[int]) -> Tensor:
    return _functions["tensor"](values, dtype=_core.int64)


def _room(size: int) -> Tensor:
    return _functions["empty"](size, dtype=_core.uint8)


def _padded(data: Tensor, size: int) -> Tensor:
    room = _functions["zeros"](size, dtype=_core.uint8)
    room[: data.numel()] = data
    return room


def _all_bytes(value: Any, group: ProcessGroup) -> list[Tensor]:
    """Everybody's pickled object."""
    data, count = _packed(value), group.size()
    sizes = _functions["zeros"](count, dtype=_core.int64)
    all_gather(list(sizes.split(1)), _sizes([data.numel()]), group)
    longest = int(sizes.max())
    room = _room(count * longest)
    all_gather(list(room.split(longest)), _padded(data, longest), group)
    return [piece[:size] for piece, size in zip(room.split(longest), sizes.tolist(), strict=True)]


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Gives each process the objects of all.

    Args:
        object_list: where they go; as long as there are processes.
        obj: this process's own.
    """
    known = member_group(group, "all_gather_object")
    if known is None:
        return
    for i, data in enumerate(_all_bytes(obj, known)):
        object_list[i] = _unpacked(data)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    group_dst: int | None = None,
) -> None:
    """Gives one process the objects of all.

    Args:
        obj: this process's own.
        object_gather_list: where they go, on that process only.
        dst, group_dst: its rank, in the world or in the group; 0 without it.
    """
    known = member_group(group, "gather_object")
    if known is None:
        return
    root = rank_in_group("gather_object", known, 0 if dst is None and group_dst is None else dst, group_dst)
    check_list_on_root(known.rank(), root, object_gather_list)
    gathered = _all_bytes(obj, known)
    if object_gather_list is not None and known.rank() == root:
        for i, data in enumerate(gathered):
            object_gather_list[i] = _unpacked(data)


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Copies one process's list of objects into those of all others.

    Args:
        object_list: of the same length everywhere; changed in place.
        src, group_src: the rank whose list it is, in the world or in the group; 0 without it.
        device: of the tensors that carry the objects; there is the CPU.
    """
    known = member_group(group, "broadcast_object_list")
    if known is None:
        return
    _check_device("broadcast_object_list", device)
    root = rank_in_group("broadcast_object_list", known, 0 if src is None and group_src is None else src, group_src)
    if known.rank() == root:
        data = [_packed(value) for value in object_list]
        broadcast(_sizes([piece.numel() for piece in data]), group=known, group_src=root)
        broadcast(_functions["cat"](data) if data else _room(0), group=known, group_src=root)
        return
    sizes = _sizes([0] * len(object_list))
    broadcast(sizes, group=known, group_src=root)
    room = _room(int(sizes.sum()))
    broadcast(room, group=known, group_src=root)
    for i, piece in enumerate(room.split(sizes.tolist()) if object_list else ()):
        object_list[i] = _unpacked(piece)


def _check_device(call: str, device: Any) -> None:
    if device is not None and _core.device(device).type != "cpu":
        raise ValueError(f"{call}: device is {device}, but chainrule has the CPU only")


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    group_src: int | None = None,
) -> None:
    """Gives each process one of the objects that one process has.

    Args:
        scatter_object_output_list: this process's goes into its first place.
        scatter_object_input_list: the objects, on that process.
        src, group_src: its rank, in the world or in the group; 0 without it.
    """
    known = member_group(group, "scatter_object_list")
    if known is None:
        return
    root = rank_in_group("scatter_object_list", known, 0 if src is None and group_src is None else src, group_src)
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    data: list[Tensor] = []
    if known.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        data = [_packed(value) for value in scatter_object_input_list]
        if len(data) != get_world_size(known):
            raise ValueError(f"scatter_object_list: {len(data)} objects for {known.size()} processes")
    sizes = _sizes([piece.numel() for piece in data] or [0] * known.size())
    broadcast(sizes, group=known, group_src=root)
    longest = int(sizes.max())
    room = _room(longest)
    scatter(room, [_padded(piece, longest) for piece in data] or None, group=known, group_src=root)
    scatter_object_output_list[0] = _unpacked(room[: int(sizes[known.rank()])])


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_dst: int | None = None,
) -> None:
    """Sends objects to another process."""
    _check_device("send_object_list", device)
    data = [_packed(value) for value in object_list]
    send(_sizes([piece.numel() for piece in data]), dst, group, group_dst=group_dst)
    send(_functions["cat"](data), dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: ProcessGroup | None = None,
    device: Any = None,
    group_src: int | None = None,
) -> int:
    """Receives as many objects as the list is long, and returns the sender's rank."""
    _check_device("recv_object_list", device)
    sizes = _sizes([0] * len(object_list))
    sender = recv(sizes, src, group, group_src=group_src)
    if sender < 0:
        return sender
    room = _room(int(sizes.sum()))
    recv(room, sender, group)
    for i, piece in enumerate(room.split(sizes.tolist())):
        object_list[i] = _unpacked(piece)
    return sender
