"""Lifetime: which graphs are alive, how many bytes they hold, from which lines, and who holds them."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .._core import Tensor
from .display import counted
from .frames import variables
from .graph import living_nodes, living_tensors
from .names import Names
from .source import Line, line_at

__all__ = ["Alive", "LivingGraph", "alive"]

_SHOWN_LINES = 5


@dataclass(frozen=True)
class LivingGraph:
    """A graph that somebody still holds."""

    nodes: int
    bytes: int  # of the tensors that it has saved, each storage once
    line: Line | None  # that made its result
    by_line: list[tuple[Line | None, int]] = field(repr=False)  # bytes by line, the most first
    holders: list[str] = field(repr=False)

    def __str__(self) -> str:
        held = f"{counted(self.nodes, 'operation')} saving {self.bytes:,} bytes"
        lines = [f"{held}; the result was made here: {self.line}"]
        lines += [f"    {size:>12,} bytes  {line}" for line, size in self.by_line[:_SHOWN_LINES] if size]
        lines += [f"    held by {holder}" for holder in self.holders]
        return "\n".join(lines)


class Alive(list[LivingGraph]):
    """All living graphs, the largest first."""

    @property
    def bytes(self) -> int:
        return sum(g.bytes for g in self)

    def __str__(self) -> str:
        if not self:
            return "No graph is alive."
        count = "1 graph is alive and saves" if len(self) == 1 else f"{len(self)} graphs are alive and save"
        head = f"{count} {self.bytes:,} bytes."
        return "\n".join([head, *(f"  {g}" for g in self)])

    __repr__ = __str__


def alive() -> Alive:
    """The graphs that are alive now. What several of them share is counted for the first of them."""
    gc.collect()  # what only waits for the collector is not held by anybody
    nodes = living_nodes()
    below = {id(t) for n in nodes for t, _ in n._edges if t is not None and not isinstance(t, Tensor)}
    tops = [n for n in nodes if id(n) not in below]
    tops.sort(key=lambda n: -n._sequence_nr())
    names, tensors = Names(), living_tensors()
    seen: set[int] = set()
    stored: set[int] = set()
    found = [_graph(top, seen, stored, names, tensors) for top in tops]
    del nodes
    return Alive(sorted(found, key=lambda g: -g.bytes))


def _graph(top: Any, seen: set[int], stored: set[int], names: Names, tensors: list[Tensor]) -> LivingGraph:
    count, by_line, stack = 0, Counter(), [top]
    within: set[int] = set()
    lines: dict[Any, Line | None] = {}
    while stack:
        node = stack.pop()
        if node is None or isinstance(node, Tensor) or id(node) in seen:
            continue
        seen.add(id(node))
        within.add(id(node))
        count += 1
        size = _saved_bytes(node, stored)
        if size:
            line = line_at(node._code)
            key = (line.file, line.number) if line else None
            lines[key] = line
            by_line[key] += size
        stack += [target for target, _ in node._edges]
    ordered = [(lines[key], size) for key, size in by_line.most_common()]
    return LivingGraph(count, sum(by_line.values()), line_at(top._code), ordered, _holders(top, within, names, tensors))


def _saved_bytes(node: Any, stored: set[int]) -> int:
    size = 0
    for _, tensor, _, _ in node._peek_saved():
        if tensor is None:
            continue
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in stored:
            stored.add(storage.data_ptr())
            size += storage.nbytes()
    return size


def _holders(top: Any, within: set[int], names: Names, tensors: list[Tensor]) -> list[str]:
    """Variables that hold the result; if there are none, those that hold something on the way to it."""
    own = [t for t in tensors if t.grad_fn is top]
    named = [f"the variable {name}" for t in own if (name := names.of_tensors.get(id(t)))]
    if named:
        return named
    for t in own:
        for holder in gc.get_referrers(t):
            if holder is not own and holder is not tensors and (text := _describe(holder, t)):
                named.append(text)
    inside = [n for t in tensors if id(t.grad_fn) in within and (n := names.of_tensors.get(id(t)))]
    return (
        named or [f"the variable {n}, which is part of it" for n in inside[:3]] or ["something that has no name here"]
    )


def _describe(holder: Any, tensor: Tensor) -> str | None:
    if isinstance(holder, FrameType):
        name = next((k for k, v in variables(holder).items() if v is tensor), None)
        return f"the variable {name} of {holder.f_code.co_name}()" if name else None
    if isinstance(holder, list):
        return f"a list of {len(holder)}"
    if isinstance(holder, dict):
        key = next((k for k, v in holder.items() if v is tensor), None)
        return f"a dict or an object, as {key!r}" if key is not None else None
    return f"a {type(holder).__name__}" if not isinstance(holder, Tensor | tuple) else None
