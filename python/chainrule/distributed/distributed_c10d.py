"""Names that PyTorch keeps in torch.distributed.distributed_c10d; here they are in files by subject."""

from __future__ import annotations

import importlib
from typing import Any

from ..compat.refusal import refused

_REFUSED = (
    "_world",
    "_new_process_group_helper",
    "rendezvous",
    "_get_global_rank",
    "_pg_map",
    "_find_pg_by_ranks_and_tag",
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "default_pg_timeout":
        return importlib.import_module("chainrule.distributed.constants").default_pg_timeout
    if name in _REFUSED:
        return refused(f"distributed.distributed_c10d.{name}", "chainrule's groups are MPI's; new_group() makes them")
    if name in ("_get_default_group", "_rank_not_in_group"):
        owner = importlib.import_module("chainrule.distributed.process_group")
        return owner.default_group if name == "_get_default_group" else owner.is_outside
    return getattr(importlib.import_module("chainrule.distributed"), name)
