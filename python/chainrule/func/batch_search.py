"""Looking values up in sorted ones, inside vmap."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from .batch_rules import Call, loop_quietly, rule
from .batched import wrap

_functions = _core.functions


@rule("searchsorted")
def _searchsorted(call: Call, sequence: Any, input: Any, *, sorter: Any = None, **kwargs: Any) -> Any:
    if not isinstance(input, Tensor):
        return loop_quietly(call, call.function, (sequence, input), {"sorter": sorter, **kwargs})
    if not call.is_batched(sequence) and not call.is_batched(sorter) and sequence.ndim == 1:
        return wrap(call.function(sequence, call.value(input), sorter=sorter, **kwargs), call.level)
    order = None if sorter is None else call.expanded(sorter)
    values = call.expanded(input)
    rows = values.reshape(call.size, -1) if sequence.ndim == 1 else values
    found = call.function(call.expanded(sequence), rows.contiguous(), sorter=order, **kwargs)
    return wrap(found.reshape(values.shape), call.level)


@rule("bucketize")
def _bucketize(call: Call, input: Any, boundaries: Any, **kwargs: Any) -> Any:
    if not isinstance(input, Tensor):
        return loop_quietly(call, call.function, (input, boundaries), kwargs)
    if not call.is_batched(boundaries):
        return wrap(call.function(call.value(input), boundaries, **kwargs), call.level)
    return _searchsorted(call._replace(function=_functions["searchsorted"]), boundaries, input, **kwargs)
