"""Groups of some of the processes, and ranks in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from .mpi import library
from .process_group import (
    GroupMember,
    ProcessGroup,
    _backend_names,
    _checked_timeout,
    _World,
    default_group,
    get_rank,
    get_world_size,
    is_outside,
)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in the group of a process that is given by its rank in the world."""
    if not isinstance(group, ProcessGroup) or group not in _World.groups:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if group is _World.groups[0]:
        return global_rank
    if global_rank not in group.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank in the world of a process that is given by its rank in the group."""
    if not isinstance(group, ProcessGroup) or group not in _World.groups:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if group is _World.groups[0]:
        return group_rank
    if not 0 <= group_rank < group.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks in the world of a group's processes."""
    return list((group or default_group()).ranks)


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of some processes; all processes have to call it, also those that do not belong to it.

    Args:
        ranks: of its processes, in the world; all without it.
        timeout: how long its collectives may take; without it, as long as the world's.
        use_local_synchronization: only its own processes call it.
        group_desc: in error messages.
        sort_ranks: whether processes are numbered by their ranks in the world, otherwise as they are listed.
    """
    if pg_options is not None or device_id is not None:
        raise ValueError("new_group: pg_options and device_id are not supported")
    _backend_names(backend)
    world = default_group()
    chosen = list(range(world.size())) if ranks is None else [int(rank) for rank in ranks]
    if sort_ranks:
        chosen.sort()
    if len(chosen) > world.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in chosen:
        if not 0 <= rank < world.size():
            raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"new_group: ranks has a process twice: {chosen}")
    members = world.communicator.Get_group().Incl(chosen)
    if use_local_synchronization:
        if world.rank() not in chosen:
            return None
        communicator = world.communicator.Create_group(members)
    else:
        communicator = world.communicator.Create(members)
    if communicator == library().COMM_NULL:
        return GroupMember.NON_GROUP_MEMBER
    limit = world.timeout if timeout is None else _checked_timeout(timeout)
    name = str(len(_World.groups))
    _World.groups.append(ProcessGroup(communicator, chosen, limit, name, group_desc or ""))
    return _World.groups[-1]


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """The world, or a group, cut into groups of one size: the one of this process, and all."""
    if group_size is None:
        raise ValueError(
            "Default group size only takes effect when CUDA is available. If your subgroup using a backend that does "
            "not depend on CUDA, please pass in 'group_size' correctly."
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world_size = get_world_size(group)
    if world_size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})")
    if world_size % group_size != 0:
        raise ValueError(f"The world size ({world_size}) must be divisible by '{group_size=}'")
    ranks = get_process_group_ranks(group)
    lists = [ranks[i : i + group_size] for i in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of the given ranks, which may not overlap: the one of this process, and all."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    known: dict[int, Sequence[int]] = {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in known:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {known[rank]} and {ranks}")
            known[rank] = ranks
    groups = [
        new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list
    ]
    mine = [group for group, ranks in zip(groups, ranks_per_subgroup_list, strict=True) if get_rank() in ranks]
    assert not any(map(is_outside, mine))
    return (mine[0] if mine else None), groups
