"""Names that PyTorch keeps in torch.distributed.distributed_c10d; here they are in files by subject."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ("_get_default_group", "_rank_not_in_group"):
        owner = importlib.import_module("chainrule.distributed.process_group")
        return owner.default_group if name == "_get_default_group" else owner.is_outside
    return getattr(importlib.import_module("chainrule.distributed"), name)
