"""torch.distributed where there is none: it says so, and can be imported."""

from __future__ import annotations

from typing import Any

from .refusal import refused, refused_class

_NONE = "chainrule runs in one process; torch.distributed.is_available() is False"


def is_available() -> bool:
    """False: chainrule runs in one process."""
    return False


def is_initialized() -> bool:
    """False: there is no group of processes."""
    return False


is_nccl_available = is_gloo_available = is_mpi_available = is_ucc_available = is_available
is_torchelastic_launched = is_initialized

_FUNCTIONS = (
    *("init_process_group", "destroy_process_group", "new_group", "get_rank", "get_world_size", "get_backend"),
    *("barrier", "broadcast", "broadcast_object_list", "all_reduce", "reduce", "all_gather", "all_gather_object"),
    *("all_gather_into_tensor", "gather", "gather_object", "scatter", "scatter_object_list", "reduce_scatter"),
    *(
        "reduce_scatter_tensor",
        "all_to_all",
        "all_to_all_single",
        "send",
        "recv",
        "isend",
        "irecv",
        "monitored_barrier",
    ),
    *("init_device_mesh", "get_process_group_ranks", "get_global_rank", "get_group_rank", "batch_isend_irecv"),
)
_CLASSES = ("FileStore", "HashStore", "P2POp", "PrefixStore", "ProcessGroup", "Store", "TCPStore", "Work")
for _name in _FUNCTIONS:
    globals()[_name] = refused(f"distributed.{_name}", _NONE)
for _name in _CLASSES:
    globals()[_name] = refused_class(f"distributed.{_name}", _NONE)


class ReduceOp:
    """The names of the reductions."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)


class group:  # noqa: N801
    """Names of groups of processes; there are none."""

    WORLD: Any = None
