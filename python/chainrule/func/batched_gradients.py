"""autograd.grad inside vmap: of tensors that the samples share, and of the samples' own."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..error_words import at_call
from .batched import at_depth, batched_at, levels, wrap

_functions = _core.functions


def gradients_inside(outputs: tuple, starts: tuple, inputs: tuple, retain: bool, create_graph: bool) -> tuple:
    """The inputs' gradients as the function of vmap sees them. The graph is recorded on physical tensors, so where all
    outputs and inputs have samples of their own one pass gives them all; otherwise each sample has a pass.
    """
    level = _core.get_vmap_depth()
    if level == 0:
        return _core.gradients_of(outputs, starts, inputs, retain, create_graph)
    starts = tuple(_one(y) if g is None else g for y, g in zip(outputs, starts, strict=True))
    if not any(batched_at(t, level) for t in (*outputs, *starts, *inputs)):
        with at_depth(level - 1):
            return gradients_inside(outputs, starts, inputs, retain, create_graph)
    size = levels.now[level - 1].size
    apart = all(batched_at(t, level) for t in (*outputs, *inputs))
    values = tuple(t._value if batched_at(t, level) else t for t in inputs)
    with at_depth(level - 1):
        if apart:
            given = tuple(_expanded(g, level, size) for g in starts)
            found = gradients_inside(tuple(y._value for y in outputs), given, values, retain, create_graph)
            return tuple(None if g is None else wrap(g, level) for g in found)
        rows = []
        for i in range(size):
            pairs = [_sample(y, g, i, level) for y, g in zip(outputs, starts, strict=True)]
            ys, gs = zip(*pairs, strict=True)
            row = gradients_inside(ys, gs, values, retain or i + 1 < size, create_graph)
            rows.append([_of_sample(g, x, i, level) for g, x in zip(row, inputs, strict=True)])
        columns = zip(*rows, strict=True)
        return tuple(None if c[0] is None else wrap(_functions["stack"](list(c)), level) for c in columns)


def _one(y: Any) -> Any:
    if y.numel() != 1:
        raise at_call(RuntimeError, "grad can be implicitly created only for scalar outputs")
    return _functions["ones_like"](y)


def _expanded(g: Any, level: int, size: int) -> Any:
    return g._value if batched_at(g, level) else g.unsqueeze(0).expand(size, *g.shape)


def _sample(y: Any, g: Any, i: int, level: int) -> tuple[Any, Any]:
    """An output and the start of one sample's pass; in the value of a batched output the others start with zero."""
    start = g._value[i] if batched_at(g, level) else g
    if not batched_at(y, level):
        return y, start
    whole = _functions["zeros_like"](y._value)
    whole[i] = start
    return y._value, whole


def _of_sample(g: Any, x: Any, i: int, level: int) -> Any:
    return g[i] if g is not None and batched_at(x, level) else g
