"""torch.nested._internal.ops: what packages import from it."""

from __future__ import annotations

from typing import Any

from ..jagged import NestedTensor


def extract_kwargs(arg: NestedTensor) -> dict[str, Any]:
    """What NestedTensor(values, ...) takes so that the result has the rows of another."""
    return {"offsets": arg.offsets(), "lengths": arg.lengths(), "_metadata_cache": {}, "_ragged_idx": arg._ragged_idx}
