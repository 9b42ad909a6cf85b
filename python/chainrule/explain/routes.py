"""Path attribution: which route through the graph gave how much of a gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .display import number_text, value_text
from .flow import Flow, send_back, total
from .graph import Edge, Graph, Node, undisturbed

__all__ = ["Route", "routes"]

_MOST_ROUTES = 64


@dataclass(frozen=True)
class Route:
    """One way from the result down to a tensor, and the part of the gradient that came along it."""

    edges: tuple[Edge, ...] = field(repr=False)
    contribution: Tensor = field(repr=False)
    share: float  # of the whole gradient; all routes together have 1; NaN if that is not finite
    is_whole: bool  # False: all routes that end with this edge, taken together

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (*(e.consumer for e in self.edges), self.edges[-1].producer)

    def text(self, index: tuple[int, ...] | None = None) -> str:
        """`x <- y <- z: 8 (100%)`."""
        way = " <- ".join(n.label for n in reversed(self.nodes))
        start = "" if self.is_whole else "... "
        share = f" ({number_text(round(100 * self.share, 1))}%)" if math.isfinite(self.share) else ""
        return f"{value_text(self.contribution, index)}{share}  {way}{start}"

    def to_dict(self) -> dict[str, Any]:
        text = value_text(self.contribution)
        share = self.share if math.isfinite(self.share) else None
        return {"nodes": [n.index for n in self.nodes], "contribution": text, "share": share}


def count_routes(graph: Graph, root: Node, leaf: Node) -> int:
    """How many ways lead from the root to a node."""
    ways = {root.index: 1}
    for node in reversed(graph.nodes):
        for edge in node.inputs:
            ways[edge.producer.index] = ways.get(edge.producer.index, 0) + ways.get(node.index, 0)
    return ways.get(leaf.index, 0)


def routes(graph: Graph, flow: Flow, leaf: Node, at: tuple[int, ...] | None = None) -> list[Route]:
    """All routes to a node if they are few, else one entry per use of it; the largest share (of one element) first."""
    root = graph.roots[0]
    if root is leaf:
        return []
    found: list[tuple[tuple[Edge, ...], Tensor]]
    whole = 0 < count_routes(graph, root, leaf) <= _MOST_ROUTES
    if whole:
        with undisturbed(graph):
            found = _follow(graph, flow, root, leaf)
    else:
        sent = [(e, flow.contribution(e)) for e in leaf.uses]
        found = [((e,), g) for e, g in sent if g is not None]
    if not found:
        return []
    shares = _shares([g if at is None else g[at] for _, g in found])
    result = [Route(edges, g, share, whole) for (edges, g), share in zip(found, shares, strict=True)]
    return sorted(result, key=lambda r: -abs(r.share))


def _shares(parts: list[Tensor]) -> list[float]:
    """How much each part has of the sum: its projection on it. Parts that cancel are shared by their size."""
    with no_grad():
        whole = total(parts)
        size = _product(whole, whole)
        if size > 0:
            return [_product(p, whole) / size for p in parts]
        sizes = [float(p.abs().sum().item()) for p in parts]
        return [s / sum(sizes) if sum(sizes) else 1 / len(parts) for s in sizes]


def _product(a: Tensor, b: Tensor) -> float:
    """The inner product; of complex numbers its real part."""
    found = complex((a * b.conj()).sum().item())
    return found.real


def _follow(graph: Graph, flow: Flow, root: Node, leaf: Node) -> list[tuple[tuple[Edge, ...], Tensor]]:
    leads = {leaf.index}  # nodes from which the leaf can be reached
    for node in graph.nodes:
        if any(e.producer.index in leads for e in node.inputs):
            leads.add(node.index)
    result = []
    start = flow.gradient(root)
    stack: list[tuple[Node, int, tuple[Edge, ...], Tensor]] = [] if start is None else [(root, 0, (), start)]
    while stack:
        node, output, way, g = stack.pop()
        for edge in node.inputs:
            if edge.producer.index not in leads:
                continue
            sent = send_back(edge, g, output)
            if sent is None:
                continue
            if edge.producer is leaf:
                result.append(((*way, edge), sent))
            else:
                stack.append((edge.producer, edge.output, (*way, edge), sent))
    return result
