"""Several nested tensors of the same rows as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..error_words import at_call
from .elementwise import aligned, first_nested
from .jagged import NestedTensor, wrapped
from .kinds import packed
from .shapes import inner_dim


def _cat(function: Callable, tensors: Any, dim: int = 0) -> Any:
    first = first_nested(tensors)
    inner = inner_dim(first, dim, "cat")
    values = packed(first).shape
    parts = [packed(x) if isinstance(x, NestedTensor) else aligned(first, x, "cat").expand(values) for x in tensors]
    for x in tensors:
        if isinstance(x, NestedTensor) and not _of_rows_alike(first, x):
            raise at_call(
                RuntimeError,
                f"cat(): expected all nested tensors to have the same nested structure, got {first.shape} with "
                "rows of the "
                f"lengths {first._rows.counts} and {x.shape} with {x._rows.counts}",
            )
    return wrapped(function(parts, inner), first._rows)


def _of_rows_alike(a: NestedTensor, b: NestedTensor) -> bool:
    """PyTorch puts together what has as many items; here the rows have to be as long, whatever the offsets are."""
    p, q = a._rows, b._rows
    same = p.size == q.size or (p.starts, p.counts) == (q.starts, q.counts)
    return same and a.dim() == b.dim() and p.ragged == q.ragged


def _stack(function: Callable, tensors: Any, dim: int = 0) -> Any:
    if not all(isinstance(x, NestedTensor) for x in tensors):
        raise at_call(RuntimeError, "stack(): expected all nested tensors inputs")
    first = tensors[0]
    end = first._rows.ragged + 1
    for x in tensors:
        if x.dim() != first.dim():
            raise at_call(
                RuntimeError,
                f"stack(): expected all nested tensors to have the same dim, got {first.dim()} and {x.dim()}",
            )
        if x.shape[:end] != first.shape[:end]:
            raise at_call(
                RuntimeError,
                "stack(): expected all nested tensors to have the same nested structure, got "
                f"{first.shape} and {x.shape}",
            )
    inner = inner_dim(first, dim, "stack", first.dim() + 1)
    ragged = first._rows.ragged + (inner < first._rows.ragged - 1)
    return wrapped(function([packed(x) for x in tensors], inner), first._rows.with_ragged(ragged))


RULES: dict[str, Callable[..., Any]] = {**dict.fromkeys(("cat", "concat", "concatenate"), _cat), "stack": _stack}
