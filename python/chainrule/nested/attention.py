"""scaled_dot_product_attention of nested tensors: each row attends to itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from ..error_words import at_call
from .jagged import NestedTensor, wrapped
from .kinds import packed


def _attention(
    function: Callable,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **options: Any,
) -> Any:
    _check(query, key, value, attn_mask)
    given = {"dropout_p": dropout_p, "is_causal": is_causal, **options}
    if query._rows.ragged == 1 and query.dim() > 3:  # many sequences of one length, in a ragged batch
        _check_rows(query, key, value)
        return wrapped(function(packed(query), packed(key), packed(value), **given), query._rows)
    if query._rows.ragged != query.dim() - 2 or query.dim() != 4:
        raise at_call(
            RuntimeError,
            "No viable backend for scaled_dot_product_attention was found: nested tensors have to be (B, heads, "
            "ragged, "
            f"depth), got {tuple(query.shape)}",
        )
    return _row_by_row(function, query, key, value, given)


def _check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    three = (query, key, value)
    if not all(isinstance(x, NestedTensor) for x in three):
        nested = [f"{n}.is_nested: {x.is_nested}" for n, x in zip(("query", "key", "value"), three, strict=True)]
        raise at_call(
            ValueError,
            f"Expected query, key, and value to be nested tensors, but got {nested[0]}, {nested[1]}, and "
            f"{nested[2]} instead.",
        )
    if len({x.dtype for x in three}) > 1:
        raise at_call(
            ValueError,
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, key.dtype: "
            f"{key.dtype}, and value.dtype: {value.dtype} instead.",
        )
    if min(x.dim() for x in three) < 3:
        raise at_call(
            ValueError,
            "Expected query, key, and value to all be at least 3 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead.",
        )
    if len({x._rows.ragged for x in three}) > 1:
        raise at_call(
            ValueError,
            "Expected query, key, and value to all be ragged on the same dimension, but got ragged dims "
            f"{query._rows.ragged}, {key._rows.ragged}, and {value._rows.ragged}, respectively.",
        )
    if attn_mask is not None:
        raise at_call(
            ValueError, "Masks are not yet supported! Nested rows need none for padding; is_causal=True is one."
        )


def _check_rows(query: Any, key: Any, value: Any) -> None:
    if not query.shape[1] == key.shape[1] == value.shape[1]:
        raise at_call(
            RuntimeError,
            "scaled_dot_product_attention(): query, key and value need the same rows, got "
            f"{query.shape}, {key.shape} and {value.shape}",
        )


def _row_by_row(function: Callable, query: Any, key: Any, value: Any, given: dict) -> Any:
    if not query.shape[0] == key.shape[0] == value.shape[0] or key._rows.counts != value._rows.counts:
        raise at_call(
            RuntimeError,
            "scaled_dot_product_attention(): as many rows are needed in query, key and value, and of one length "
            "in key and "
            f"value: got {query._rows.counts}, {key._rows.counts} and {value._rows.counts}",
        )
    if query.lengths() is not None:
        query = query.contiguous()
    rows = zip(query.unbind(), key.unbind(), value.unbind(), strict=True)
    results = [
        function(q, k, v, **given).transpose(0, 1) for q, k, v in rows
    ]  # so that heads can be flattened after it
    return wrapped(_core.functions["cat"](results).transpose(0, 1), query._rows)


RULES: dict[str, Callable[..., Any]] = {"scaled_dot_product_attention": _attention}
