"""Subscripts and gathering inside vmap."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from . import batched
from .batch_along import _shift
from .batch_rules import Call, loop_quietly, rule, sample
from .batched import wrap

_functions = _core.functions


@rule("_subscript")
def _subscript(call: Call, x: Any, key: Any) -> Any:
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, Tensor) and k.dtype in (_core.bool, _core.uint8) and call.is_batched(k) for k in keys):
        raise RuntimeError(
            "vmap: It looks like you're indexing with a mask. The samples would give results of different shapes; use "
            "where() in place of it."
        )
    if any(isinstance(k, (Tensor, list)) for k in keys):
        return (
            loop_quietly(call, batched._subscript, (x, key))
            if not _simple_index(call, x, keys)
            else _gather(call, x, keys[0])
        )
    return wrap(x._value[(slice(None), *keys)], call.level)


def _simple_index(call: Call, x: Tensor, keys: tuple) -> bool:
    return len(keys) == 1 and isinstance(keys[0], Tensor) and keys[0].dtype not in (_core.bool, _core.uint8)


def _gather(call: Call, x: Any, index: Any) -> Any:
    """One tensor of indices: rows of a table, or of a table per sample."""
    if not call.is_batched(x):
        return wrap(x[index._value], call.level)
    if not call.is_batched(index):
        return wrap(x._value[(slice(None), index)], call.level)
    samples = _functions["arange"](call.size).reshape(call.size, *(1,) * index.ndim)
    return wrap(x._value[samples, index._value], call.level)


@rule("_assign")
def _assign(call: Call, x: Any, key: Any, value: Any) -> None:
    if not call.is_batched(x):
        _core.raise_batched_write("__setitem__")
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, (Tensor, list)) for k in keys):
        for i in range(call.size):
            x._value[i][sample(call, key, i)] = sample(call, value, i)
        return
    part = x._value[(slice(None), *keys)]
    if isinstance(value, Tensor):
        rank = part.ndim - 1
        given = call.value(value)
        if call.is_batched(value) and value.ndim < rank:
            given = given.reshape(given.shape[0], *(1,) * (rank - value.ndim), *value.shape)
        part.copy_(given)
    else:
        x._value[(slice(None), *keys)] = value


@rule("index_select")
def _index_select(call: Call, input: Any, dim: int, index: Tensor) -> Any:
    if call.is_batched(index) or input.ndim == 0:
        return loop_quietly(call, call.function, (input, dim, index))
    return wrap(input._value.index_select(_shift(dim, input.ndim), index), call.level)


@rule("gather", "scatter", "scatter_add")
def _gather_along(call: Call, input: Tensor, dim: Any, index: Any = None, src: Any = None, **kwargs: Any) -> Any:
    if kwargs or input.ndim == 0:
        given = [a for a in (input, dim, index, src) if a is not None]
        return loop_quietly(call, call.function, tuple(given), kwargs)
    rest = [] if src is None else [call.expanded(src) if isinstance(src, Tensor) else src]
    return wrap(call.function(call.expanded(input), _shift(dim, input.ndim), call.expanded(index), *rest), call.level)
