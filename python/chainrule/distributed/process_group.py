"""Process groups: the world of all processes, and parts of it."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from .. import _core
from ..user_warning import warn_user
from . import failure
from .mpi import library
from .work import progress

DEFAULT_TIMEOUT = timedelta(minutes=30)
_ON_MPI = ("gloo", "nccl", "ucc", "xccl")  # PyTorch's other backends, which run on MPI here


class Backend(str):
    """The name of a backend, in lower case."""

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    default_device_backend_map = MappingProxyType({"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo"})

    def __new__(cls, name: str) -> Backend:
        """Takes a name, or several as "cpu:gloo,cuda:nccl"."""
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """Processes that calculate together.

    Args:
        communicator: MPI's.
        ranks: of its processes, in the world.
        timeout: how long a collective may take.
        name: in error messages.
    """

    def __init__(self, communicator: Any, ranks: list[int], timeout: timedelta, name: str, description: str = ""):
        self.communicator: Any = communicator
        self.ranks, self.timeout = ranks, timeout
        self.group_name, self.group_desc = name, description or name
        self.records: Any = communicator.Dup()  # for what the debug mode and monitored_barrier() tell each other

    def rank(self) -> int:
        """This process's place in the group."""
        return self.communicator.rank

    def size(self) -> int:
        """How many processes there are."""
        return self.communicator.size

    def name(self) -> str:
        """The backend's name."""
        return "mpi"

    def free(self) -> None:
        """Gives the communicators back; all processes of the group do so."""
        for communicator in (self.records, self.communicator):
            communicator.Free()
        self.communicator = self.records = None

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name}: ranks {self.ranks}>"


class _World:
    """The groups there are. The first is the world."""

    groups: list[ProcessGroup] = []  # noqa: RUF012


class _Names(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:  # noqa: N802
        """The group of all processes; None before init_process_group()."""
        return _World.groups[0] if _World.groups else None


class group(metaclass=_Names):  # noqa: N801
    """group.WORLD is all processes."""


class GroupMember(metaclass=_Names):
    """What new_group() returns where it does not belong: NON_GROUP_MEMBER."""

    NON_GROUP_MEMBER = -100


def is_initialized() -> bool:
    """Whether init_process_group() was called."""
    return bool(_World.groups)


def default_group() -> ProcessGroup:
    """All processes."""
    if not _World.groups:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _World.groups[0]


def is_outside(group: Any) -> bool:
    """Whether this process does not belong to the group."""
    return group == GroupMember.NON_GROUP_MEMBER


_rank_not_in_group = is_outside  # PyTorch's name


def member_group(group: Any, call: str) -> ProcessGroup | None:
    """The group, by default the world; None with PyTorch's warning if this process does not belong to it."""
    if is_outside(group):
        warn_user(f"Running {call} on global rank {default_group().rank()} which does not belong to the given group.")
        return None
    if group is None:
        return default_group()
    if not isinstance(group, ProcessGroup):
        raise TypeError(f"{call}: group must be a ProcessGroup, but got {type(group)}")
    if group.communicator is None:
        raise ValueError(f"{call}: the group {group.group_name} was destroyed")
    return group


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Joins the processes that mpirun, srun or `chainrule launch` started, so that they can calculate together.

    Args:
        backend: "mpi". PyTorch's others run on MPI too, after a notice.
        init_method: how PyTorch's processes find each other; MPI's know, so any valid one is as good.
        timeout: how long a collective may take; half an hour without it.
        world_size: the number of processes, if it is to be checked; also from WORLD_SIZE.
        rank: this process's number, if it shall be another than MPI's; also from RANK.
        group_name: in error messages.
    """
    if _World.groups:
        raise ValueError("trying to initialize the default process group twice!")
    _refuse(store=store, pg_options=pg_options)
    if device_id is not None and _core.device(device_id).type != "cpu":
        raise ValueError(f"init_process_group: device_id is {device_id!r}, but chainrule has the CPU only")
    if init_method is not None and not init_method.startswith(("env://", "tcp://", "file://")):
        raise RuntimeError(f"init_process_group: no such way to meet: {init_method!r}")
    names = _backend_names(backend)
    limit = _checked_timeout(timeout)
    mpi = library()
    rank = rank if rank >= 0 else int(os.environ.get("RANK", -1))
    world_size = world_size if world_size >= 0 else int(os.environ.get("WORLD_SIZE", -1))
    _check_size(world_size, mpi.COMM_WORLD.size)
    communicator = mpi.COMM_WORLD.Split(0, rank if rank >= 0 else mpi.COMM_WORLD.rank)
    claimed = communicator.allgather(rank if rank >= 0 else communicator.rank)  # all raise, or none
    if claimed != list(range(communicator.size)):
        raise ValueError(
            f"init_process_group: the processes say that their ranks are {claimed} (argument or RANK), but there are "
            f"{communicator.size}: each needs a number of its own, from 0 on"
        )
    failure.join(communicator, progress)
    name = group_name or "default_pg"
    _World.groups.append(ProcessGroup(communicator, list(range(communicator.size)), limit, name))
    if names != ["mpi"] and communicator.rank == 0:
        library_name = mpi.Get_library_version().split("\n")[0].split(",")[0].rstrip("\0")
        print(
            f'chainrule: init_process_group("{backend}") runs on MPI ({" ".join(library_name.split())}, '
            f"{communicator.size} process{'es' if communicator.size > 1 else ''})",
            file=sys.stderr,
        )


def _refuse(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"init_process_group: {name} is not supported; MPI knows its processes and its options")


def _backend_names(backend: str | None) -> list[str]:
    if backend is None:
        return ["mpi"]
    names = [part.rpartition(":")[2] for part in Backend(backend).split(",")]
    for name in names:
        if name not in ("mpi", *_ON_MPI):
            raise ValueError(f"Unknown c10d backend type {name.upper()}; there is MPI")
    return names


def _checked_timeout(timeout: Any) -> timedelta:
    if timeout is None:
        return DEFAULT_TIMEOUT
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout


def _check_size(wanted: int, found: int) -> None:
    if wanted in (-1, found):
        return
    way_out = f"; start them with `chainrule launch -n {wanted} script.py`, mpirun or srun" if found == 1 else ""
    if found == 1 and "SLURM_PROCID" in os.environ:
        way_out = "; srun has not told MPI about the others: give it --mpi=pmix (srun --mpi=list names what there is)"
    raise ValueError(
        f"init_process_group: there should be {wanted} processes (world_size or WORLD_SIZE), but MPI started {found}"
        f"{way_out}"
    )


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Ends a group, or all of them; afterwards init_process_group() may be called again."""
    if is_outside(group):
        return
    chosen = default_group() if group is None else group
    if chosen not in _World.groups:
        raise ValueError("Invalid process group specified")
    ended = [chosen] if chosen is not _World.groups[0] else _World.groups[::-1]
    progress()
    for one in list(ended):
        _World.groups.remove(one)
        one.free()


def get_rank(group: Any = None) -> int:
    """This process's number in the group, by default among all; -1 if it does not belong to it."""
    return -1 if is_outside(group) else (group or default_group()).rank()


def get_world_size(group: Any = None) -> int:
    """The number of processes in the group, by default of all; -1 if this one does not belong to it."""
    return -1 if is_outside(group) else (group or default_group()).size()


def get_backend(group: Any = None) -> Backend:
    """mpi."""
    if is_outside(group):
        raise ValueError("Invalid process group specified")
    (group or default_group()).rank()
    return Backend("mpi")


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number on its machine, from LOCAL_RANK, which `chainrule launch` sets."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "or start the script with `chainrule launch`."
    )
