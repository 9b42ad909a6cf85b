"""What all collectives do with their arguments: PyTorch's checks, ranks of groups, and the start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core import Tensor
from . import debug
from .groups import get_group_rank
from .process_group import ProcessGroup
from .work import Work


def check_tensor(value: Any, name: str) -> None:
    """Raises unless it is a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor but got {type(value)} "
            "instead."
        )


def check_tensors(value: Any, name: str) -> None:
    """Raises unless it is a list of tensors."""
    begin = f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]"
    if not isinstance(value, list):
        raise TypeError(f"{begin} but got {type(value)} instead.")
    if not all(isinstance(item, Tensor) for item in value):
        raise TypeError(f"{begin} but got {type(value)} with elements of type {[type(item) for item in value]}.")


def check_one_dtype(tensors: Sequence[Tensor]) -> None:
    """Raises unless all have one dtype."""
    for tensor in tensors:
        if tensor.dtype != tensors[0].dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypes. Found {tensors[0].dtype} and {tensor.dtype}"
            )


def check_count(call: str, name: str, tensors: Sequence[Tensor], group: ProcessGroup, like: Tensor) -> None:
    """Raises unless there is one tensor for each process, of the shape of `like`."""
    if len(tensors) != group.size():
        raise ValueError(
            f"{call}: {name} has {len(tensors)} tensors, but there are {group.size()} processes in the group"
        )
    for i, tensor in enumerate(tensors):
        if tensor.shape != like.shape:
            raise ValueError(
                f"{call}: {name}[{i}] has shape {tuple(tensor.shape)}, but the tensors of this call have "
                f"{tuple(like.shape)}"
            )


def rank_in_group(call: str, group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The rank in the group of a process that is given by its rank in the world or in the group."""
    if group_rank is not None:
        if rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
    elif rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    else:
        group_rank = get_group_rank(group, rank)
    if not 0 <= group_rank < group.size():
        raise ValueError(f"{call}: invalid rank {group_rank}; the group has {group.size()} processes, from 0 on")
    return group_rank


def start(
    name: str,
    group: ProcessGroup,
    request: Callable[[], Any],
    *,
    facts: str = "",
    memory: Sequence[Tensor] = (),
    outputs: Sequence[Tensor] = (),
    finish: Callable[[], None] | None = None,
    async_op: bool = False,
) -> Work | None:
    """Starts a collective, and waits for it unless async_op.

    Args:
        name: of the collective.
        group: its processes.
        request: starts it in MPI and gives MPI's handle.
        facts: what has to be the same in all processes, for the debug mode.
        memory: what MPI reads and writes.
        outputs: what the caller gets the results in.
        finish: called when MPI is done.
    """
    if debug.is_detailed():
        debug.compare_calls(group, name, facts)
    work = Work(name, group, request(), tuple(memory), finish, tuple(outputs))
    if async_op:
        return work
    work.wait()
    return None


def describe(*tensors: Tensor) -> str:
    """Dtype and shape, for the debug mode."""
    return ", ".join(f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in tensors)
