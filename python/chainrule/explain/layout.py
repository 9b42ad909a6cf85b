"""Places for the nodes of a directed graph: layers by depth, few crossings, nothing on top of anything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..error_words import at_call

__all__ = ["Layout", "crossings", "layered"]

_SWEEPS = 8
_GAP_X, _GAP_Y = 24.0, 44.0


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, the bends of the edges, and the size of the whole."""

    x: list[float]
    y: list[float]
    bends: list[list[tuple[float, float]]]  # per edge, the points between its ends
    width: float
    height: float


def layered(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Nodes (width, height) in layers, each edge (from, to) pointing down. The graph must have no cycle."""
    depth = _depths(len(sizes), edges)
    chains, layers, neighbours = _with_dummies(depth, edges)
    widths = [w for w, _ in sizes] + [4.0] * (len(neighbours) - len(sizes))
    _order(layers, neighbours)
    x = _across(layers, neighbours, widths)
    centres, halves, height = _down(layers, sizes)
    y, half = [0.0] * len(neighbours), [0.0] * len(neighbours)
    for nodes, centre, tall in zip(layers, centres, halves, strict=True):
        for node in nodes:
            y[node], half[node] = centre, tall
    left = min((x[n] - widths[n] / 2 for n in range(len(x))), default=0.0)
    x = [value - left for value in x]
    width = max((x[n] + widths[n] / 2 for n in range(len(x))), default=0.0)
    # Straight through a layer, past its boxes.
    bends = [[(x[d], y[d] + side * half[d]) for d in chain for side in (-1, 1)] for chain in chains]
    return Layout(x[: len(sizes)], y[: len(sizes)], bends, width, height)


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Longest way from a source; sources then move down to just above their first target."""
    targets: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for a, b in edges:
        targets[a].append(b)
        waiting[b] += 1
    sources = [n for n in range(count) if waiting[n] == 0]
    ready, depth, seen = list(sources), [0] * count, 0
    while ready:
        node = ready.pop()
        seen += 1
        for b in targets[node]:
            depth[b] = max(depth[b], depth[node] + 1)
            waiting[b] -= 1
            if waiting[b] == 0:
                ready.append(b)
    if seen < count:
        raise at_call(ValueError, "layered(): the graph has a cycle")
    for node in sources:
        if targets[node]:
            depth[node] = min(depth[b] for b in targets[node]) - 1
    return depth


def _with_dummies(
    depth: list[int], edges: Sequence[tuple[int, int]]
) -> tuple[list[list[int]], list[list[int]], list[tuple[list[int], list[int]]]]:
    """Long edges get a dummy in each layer they cross. Neighbours: (above, below) of each node and dummy."""
    layers: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for node, layer in enumerate(depth):
        layers[layer].append(node)
    neighbours: list[tuple[list[int], list[int]]] = [([], []) for _ in depth]
    chains, shared = [], {}
    for a, b in edges:
        chain, last = [], a
        for layer in range(depth[a] + 1, depth[b]):
            dummy = shared.get((a, layer))  # edges of one source run together as long as they can
            if dummy is None:
                dummy = shared[(a, layer)] = len(neighbours)
                neighbours.append(([last], []))
                neighbours[last][1].append(dummy)
                layers[layer].append(dummy)
            chain.append(dummy)
            last = dummy
        neighbours[last][1].append(b)
        neighbours[b][0].append(last)
        chains.append(chain)
    return chains, layers, neighbours


def _order(layers: list[list[int]], neighbours: list[tuple[list[int], list[int]]]) -> None:
    """Sorts each layer by the mean place of its neighbours, down and up in turn; the best order seen is kept."""
    place = [0.0] * len(neighbours)
    for layer in layers:
        _number(layer, place)
    best, fewest = [list(layer) for layer in layers], _count(layers, neighbours)
    for sweep in range(_SWEEPS):
        side = sweep % 2
        for layer in layers if side == 0 else reversed(layers):
            mean = {}
            for n in layer:
                beside = neighbours[n][side]
                mean[n] = sum(place[m] for m in beside) / len(beside) if beside else place[n]
            layer.sort(key=mean.__getitem__)
            _number(layer, place)
        now = _count(layers, neighbours)
        if now < fewest:
            best, fewest = [list(layer) for layer in layers], now
    for layer, order in zip(layers, best, strict=True):
        layer[:] = order


def _number(layer: list[int], place: list[float]) -> None:
    for i, node in enumerate(layer):
        place[node] = float(i)


def _count(layers: list[list[int]], neighbours: list[tuple[list[int], list[int]]]) -> int:
    place = {node: i for layer in layers for i, node in enumerate(layer)}
    return sum(
        crossings([(place[n], place[m]) for n in layer for m in neighbours[n][1]]) for layer in layers if len(layer) > 1
    )


def crossings(pairs: list[tuple[int, int]]) -> int:
    """How many of the lines between two rows cross: inversions, counted with a tree."""
    below = [b for _, b in sorted(pairs)]
    size = max(below, default=-1) + 2
    tree, total = [0] * (size + 1), 0
    for seen, b in enumerate(below):
        i, smaller = b + 1, 0
        while i > 0:
            smaller += tree[i]
            i -= i & -i
        total += seen - smaller
        i = b + 1
        while i <= size:
            tree[i] += 1
            i += i & -i
    return total


def _across(layers: list[list[int]], neighbours: list[tuple[list[int], list[int]]], widths: list[float]) -> list[float]:
    """Close to the mean of the neighbours, in order, without overlap."""
    x = [0.0] * len(widths)
    for layer in layers:
        at = 0.0
        for n in layer:
            x[n] = at + widths[n] / 2
            at += widths[n] + _GAP_X
    for sweep in range(6):
        side = sweep % 2
        for layer in layers if side == 0 else reversed(layers):
            wishes = [_wish(n, _pulling(n, side, neighbours), x) for n in layer]
            _settle(layer, wishes, [1.0 if neighbours[n][0] else 0.05 for n in layer], widths, x)
    return x


def _pulling(node: int, side: int, neighbours: list[tuple[list[int], list[int]]]) -> list[int]:
    """What is computed pulls its results along; sources follow them, or chains would drift sideways."""
    beside = neighbours[node][side]
    computed = beside if side else [m for m in beside if neighbours[m][0]]
    return computed or beside


def _wish(node: int, beside: list[int], x: list[float]) -> float:
    return sum(x[m] for m in beside) / len(beside) if beside else x[node]


def _settle(layer: list[int], wishes: list[float], weights: list[float], widths: list[float], x: list[float]) -> None:
    """Least squares in order: neighbours that would overlap form a block that stands at the mean of its wishes."""
    blocks: list[list[float]] = []  # (weighted sum of wishes less offsets, weight, extent)
    sizes: list[int] = []
    for n, wish, weight in zip(layer, wishes, weights, strict=True):
        half = (widths[n] + _GAP_X) / 2
        block, size = [(wish - half) * weight, weight, 2 * half], 1
        while blocks and blocks[-1][0] / blocks[-1][1] + blocks[-1][2] > block[0] / block[1]:
            before = blocks.pop()
            block = [before[0] + block[0] - before[2] * block[1], before[1] + block[1], before[2] + block[2]]
            size += sizes.pop()
        blocks.append(block)
        sizes.append(size)
    at = 0
    for block, size in zip(blocks, sizes, strict=True):
        left = block[0] / block[1]
        for n in layer[at : at + size]:
            half = (widths[n] + _GAP_X) / 2
            x[n] = left + half
            left += 2 * half
        at += size


def _down(layers: list[list[int]], sizes: Sequence[tuple[float, float]]) -> tuple[list[float], list[float], float]:
    """The centre and half the height of each layer, and the height of all."""
    centres, halves, at = [], [], 0.0
    for layer in layers:
        tall = max((sizes[n][1] for n in layer if n < len(sizes)), default=10.0)
        centres.append(at + tall / 2)
        halves.append(tall / 2)
        at += tall + _GAP_Y
    return centres, halves, max(at - _GAP_Y, 0.0)
