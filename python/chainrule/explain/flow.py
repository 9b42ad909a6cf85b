"""Backward, looked at: the gradient that arrives at every node and what it sends along every edge."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..tensor_methods import _add_hook
from .graph import Edge, Graph, Node, undisturbed
from .values import Values

__all__ = ["Flow", "send_back", "total"]


class Flow:
    """Gradients of one result with respect to everything in its graph. No .grad is touched.

    Where a backward pass has freed what nodes had saved, gradients are calculated from the formulas, as far as the
    values that they need are still known.
    """

    def __init__(self, graph: Graph, root: Tensor, values: Values, gradient: Tensor | None = None):
        self.is_recalculated = bool(graph.released)
        self.arriving: dict[tuple[int, int], Tensor] = {}  # by node and output
        self.sent: dict[int, Tensor] = {}  # by edge
        self.seconds: dict[int, float] = {}  # by node, what its gradient took
        place = graph.roots[0]
        if gradient is None:
            gradient = root.detach().new_ones(root.shape)
        if place.is_leaf:
            self.arriving[(place.index, 0)] = gradient
        elif self.is_recalculated:
            with undisturbed(graph):
                self._recalculate(graph, root, gradient, values)
        else:
            self._run(graph, root, gradient)
        for leaf in graph.leaves if self.is_recalculated else ():
            parts = [self.sent[e.index] for e in leaf.uses if e.index in self.sent]
            if parts and len(parts) == len(leaf.uses):
                self.arriving[(leaf.index, 0)] = total(parts)

    def gradient(self, node: Node, output: int | None = None) -> Tensor | None:
        """What arrived at an output; None if no gradient reached it."""
        return self.arriving.get((node.index, node.output if output is None else output))

    def contribution(self, edge: Edge) -> Tensor | None:
        """What the consumer of an edge sent to its producer, summed over broadcast dimensions."""
        return self.sent.get(edge.index)

    def _run(self, graph: Graph, root: Tensor, gradient: Tensor) -> None:
        operations = [n for n in graph.nodes if not n.is_leaf]
        handles = [_add_hook(n.raw._hooks(), self._watch(n)) for n in operations]
        handles += [_add_hook(n.raw._prehooks(), self._start(n)) for n in operations]
        try:
            leaves = [leaf.raw for leaf in graph.leaves]
            with undisturbed(graph):
                found = _core.gradients_of([root], [gradient], leaves, True, False)
            arrived = zip(graph.leaves, found, strict=True)  # after the leaves' own hooks
            self.arriving.update({(leaf.index, 0): g.detach() for leaf, g in arrived if g is not None})
        finally:
            for handle in handles:
                handle.remove()

    def _recalculate(self, graph: Graph, root: Tensor, gradient: Tensor, values: Values) -> None:
        self.arriving[(graph.roots[0].index, root.output_nr)] = gradient
        lost: set[int] = set()  # nodes of whose gradient a part is not known
        for node in reversed(graph.nodes):
            g = self.arriving.get((node.index, 0))
            if node.is_leaf:
                continue
            if g is not None:
                g = self.arriving[(node.index, 0)] = _hooked(node, g)
            for edge in node.inputs:
                known = g is not None and len(node.outputs) == 1 and node.index not in lost
                sent = _by_formula(edge, g, values) if known and g is not None else None
                place = (edge.producer.index, edge.output)
                if sent is None:
                    lost.add(edge.producer.index)
                    self.arriving.pop(place, None)
                    continue
                self.sent[edge.index] = sent
                if edge.producer.index not in lost:
                    before = self.arriving.get(place)
                    self.arriving[place] = sent if before is None else total([before, sent])

    def _start(self, node: Node) -> Callable[[tuple], None]:
        def hook(grad_outputs: tuple) -> None:
            self.seconds[node.index] = -time.perf_counter()

        return hook

    def _watch(self, node: Node) -> Callable[[tuple, tuple], None]:
        def hook(grad_inputs: tuple, grad_outputs: tuple) -> None:
            self.seconds[node.index] += time.perf_counter()
            for output, g in enumerate(grad_outputs):
                if g is not None:
                    self.arriving[(node.index, output)] = g
            for edge in node.inputs:
                g = grad_inputs[edge.input]
                if g is not None:
                    self.sent[edge.index] = fitted(g, edge)

        return hook


def _hooked(node: Node, gradient: Tensor) -> Tensor:
    """What the hooks of a node's tensor make of its gradient. The node itself does not run."""
    here = _core.tensor_at(node.raw, 0)
    (found,) = _core.gradients_of([here], [gradient], [here], True, False)
    return gradient if found is None else found.detach()


def fitted(gradient: Tensor, edge: Edge) -> Tensor:
    """In the shape and dtype of the value that the gradient is for."""
    wanted = edge.producer.outputs[edge.output]
    dtype = getattr(_core, wanted.dtype)
    with no_grad():
        gradient = gradient.detach()
        if tuple(gradient.shape) != wanted.shape:
            gradient = gradient.sum_to_size(wanted.shape)
        if gradient.is_complex() and not dtype.is_complex:
            gradient = gradient.real
        return gradient if gradient.dtype == dtype else gradient.to(dtype)


def total(parts: list[Tensor]) -> Tensor:
    """The sum of several contributions."""
    with no_grad():
        result = parts[0]
        for part in parts[1:]:
            result = result + part
        return result


def _by_formula(edge: Edge, g: Tensor, values: Values) -> Tensor | None:
    node = edge.consumer
    if not node.released:
        return send_back(edge, g)
    operands = values.operands(node)
    if operands is None:
        found = values.product(edge, g)
        return None if found is None else fitted(found, edge)
    formula, names = operands
    with no_grad():
        sent = formula.gradient(edge.input, {**names, "g": g.conj() if g.is_complex() else g})
        if not isinstance(sent, Tensor):
            return None
        # The table's formulas are written without conjugates.
        return fitted((sent.conj() if sent.is_complex() else sent) + 0 * g, edge)


class _SeenError(Exception):
    """Ends a backward pass that has told what was asked."""


def send_back(edge: Edge, gradient: Tensor, output: int = 0) -> Tensor | None:
    """What one node alone makes of a gradient of one of its outputs, for one of its inputs.

    To be called within undisturbed(graph).
    """
    found: list[Tensor | None] = [None]
    node = edge.consumer

    def hook(grad_inputs: tuple, grad_outputs: tuple) -> None:
        g = grad_inputs[edge.input]
        found[0] = None if g is None else fitted(g, edge)
        raise _SeenError

    handle = _add_hook(node.raw._hooks(), hook)
    here = _core.tensor_at(node.raw, output, gradient)
    there: Any = edge.producer.raw if edge.producer.is_leaf else _core.tensor_at(edge.producer.raw, edge.output)
    try:
        _core.gradients_of([here], [gradient], [there], True, False)
    except _SeenError:
        pass
    finally:
        handle.remove()
    return found[0]
