"""Subscripts and gathering inside vmap."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from . import batched
from .batch_along import _shift
from .batch_composed import composed
from .batch_rules import Call, loop_quietly, rule, sample
from .batched import wrap

_functions = _core.functions


@rule("_subscript")
def _subscript(call: Call, x: Any, key: Any) -> Any:
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, Tensor) and k.dtype in (_core.bool, _core.uint8) and call.is_batched(k) for k in keys):
        raise at_call(
            RuntimeError,
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
            "indexing with a boolean mask. The samples would give results of different shapes; use where().",
        )
    if keys and all(map(_is_index, keys)):
        return _gather(call, x, keys)
    if any(isinstance(k, (Tensor, list)) for k in keys):
        return loop_quietly(call, batched._subscript, (x, key))
    return wrap(x._value[(slice(None), *keys)], call.level)


def _is_index(key: Any) -> bool:
    return isinstance(key, Tensor) and key.dtype not in (_core.bool, _core.uint8)


def _aligned(call: Call, tensors: list, rank: int) -> list[Tensor]:
    """Values that can be broadcast to the samples followed by `rank` dimensions."""
    return [
        t._value.reshape(call.size, *(1,) * (rank - t.ndim), *t.shape) if call.is_batched(t) else t for t in tensors
    ]


def _samples(call: Call, rank: int) -> Tensor:
    """The number of each sample, to be broadcast over `rank` dimensions."""
    return _functions["arange"](call.size).reshape(call.size, *(1,) * rank)


def _gather(call: Call, x: Any, indices: tuple) -> Any:
    """Tensors of indices: rows of a table, or of a table per sample."""
    rank = max(index.ndim for index in indices)
    if not any(map(call.is_batched, indices)):
        return wrap(x._value[(slice(None), *indices)], call.level)
    aligned = _aligned(call, list(indices), rank)
    if not call.is_batched(x):
        return wrap(x[tuple(aligned)], call.level)
    return wrap(x._value[(_samples(call, rank), *aligned)], call.level)


@rule("_assign")
def _assign(call: Call, x: Any, key: Any, value: Any) -> None:
    if not call.is_batched(x):
        _core.raise_batched_write("inplace arithmetic")
    keys = key if isinstance(key, tuple) else (key,)
    if keys and all(map(_is_index, keys)) and isinstance(value, Tensor):
        _put(call, x._value, keys, value, False)
        return
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


# ---- writing at positions


def _put(call: Call, whole: Tensor, indices: tuple, values: Tensor, accumulate: bool) -> Tensor:
    """Writes into `whole`, which has the samples in front."""
    rank = max(index.ndim for index in indices)
    given = _aligned(call, [values], rank + whole.ndim - 1 - len(indices))[0]
    return whole.index_put_([_samples(call, rank), *_aligned(call, list(indices), rank)], given, accumulate)


@rule("index_put")
def _index_put(call: Call, input: Any, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    if not indices or not all(map(_is_index, indices)):
        return loop_quietly(call, call.function, (input, indices, values, accumulate))
    return wrap(_put(call, call.expanded(input).clone(), tuple(indices), values, accumulate), call.level)


@rule("index_add", "index_copy", "index_reduce", "index_fill")
def _index_write(call: Call, input: Any, dim: int, index: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
    if input.ndim == 0 or index.ndim == 0 or (call.function.__name__ == "index_fill" and isinstance(source, Tensor)):
        return loop_quietly(call, call.function, (input, dim, index, source, *args), kwargs)
    dim, source = _shift(dim % input.ndim, input.ndim), call.expanded(source) if isinstance(source, Tensor) else source
    whole = call.expanded(input)
    if not call.is_batched(index):
        return wrap(call.function(whole, dim, index, source, *args, **kwargs), call.level)
    # Each sample has positions of its own: the samples' rows become rows of one tensor.
    length = whole.shape[dim]
    rows = index._value + _samples(call, 1) * length
    flat = whole.movedim(dim, 1).flatten(0, 1)
    source = source.movedim(dim, 1).flatten(0, 1) if isinstance(source, Tensor) else source
    written = call.function(flat, 0, rows.reshape(-1), source, *args, **kwargs)
    return wrap(written.unflatten(0, (call.size, length)).movedim(1, dim), call.level)


@rule("scatter_reduce")
def _scatter_reduce(call: Call, input: Any, dim: int, index: Tensor, src: Tensor, *args: Any, **kwargs: Any) -> Any:
    if input.ndim == 0:
        return loop_quietly(call, call.function, (input, dim, index, src, *args), kwargs)
    tensors = [call.expanded(t) for t in (input, index, src)]
    result = call.function(tensors[0], _shift(dim, input.ndim), tensors[1], tensors[2], *args, **kwargs)
    return wrap(result, call.level)


@rule("unfold")
def _unfold(call: Call, input: Any, dimension: int, size: int, step: int) -> Any:
    if input.ndim == 0:
        return loop_quietly(call, call.function, (input, dimension, size, step))
    return wrap(input._value.unfold(_shift(dimension, input.ndim), size, step), call.level)


# ---- positions in the flattened tensor


@composed("take")
def _take(input: Tensor, index: Tensor) -> Tensor:
    return input.reshape(-1)[index]


@composed("put")
def _put_flat(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = _functions["index_put"](input.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate)
    return flat.reshape(tuple(input.shape))


@composed("take_along_dim")
def _take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    if dim is None:
        return input.reshape(-1).gather(0, indices.reshape(-1))
    shapes = [list(t.shape) for t in (input, indices)]
    for i in range(input.ndim):
        if i != dim % input.ndim:
            shapes[0][i] = shapes[1][i] = max(shapes[0][i], shapes[1][i])
    return input.expand(shapes[0]).gather(dim, indices.expand(shapes[1]))
