"""The steps of a calculation, forward and backward, with the numbers of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .display import number_text, value_text
from .flow import Flow, send_back, total
from .formulas import formula_with_numbers
from .graph import Edge, Graph, Node, undisturbed
from .values import Values

__all__ = ["Arrival", "Sending", "Steps", "Value"]

Index = tuple[int, ...]
_MOST_TERMS = 64  # elements of a result up to which each one's part is told


@dataclass(frozen=True)
class Value:
    """A forward step: what was calculated, by what, on which line."""

    node: Node
    value: Tensor | None = field(repr=False)
    index: Index | None

    @property
    def text(self) -> str:
        return value_text(self.value, self.index)


@dataclass(frozen=True)
class Sending:
    """Half of a backward step: the gradient that arrived, times the local derivative, is sent to an input."""

    edge: Edge
    upstream: Tensor = field(repr=False)
    local: Tensor | None = field(repr=False)  # the derivative of the result for the input; None: no tensor of its own
    contribution: Tensor | None = field(repr=False)
    formula: str
    put_in: str | None  # the formula with its numbers
    index: Index | None  # the element that is followed, of the input
    terms: tuple[tuple[Index, float, float], ...] = ()  # of that element: (element of the result, g, derivative)

    @property
    def text(self) -> str:
        """`2 * 4 = 8`."""
        sent = value_text(self.contribution, self.index)
        if not self.edge.consumer.is_leaf and self.edge.consumer.raw._hooks():
            return f"{value_text(self.upstream)} -> {sent}, after a hook of this step"
        if self.terms:
            shown = " + ".join(f"{number_text(g)} * {number_text(d)}" for _, g, d in self.terms[:6])
            more = f" + {len(self.terms) - 6} more" if len(self.terms) > 6 else ""
            return f"{shown}{more} = {sent}"
        if self.local is None:
            return f"{value_text(self.upstream)} -> {sent}"
        where = self.index if tuple(self.local.shape) == self.edge.producer.outputs[self.edge.output].shape else None
        if self.index is not None and where is None:
            return f"{value_text(self.upstream)} -> {sent}"
        summed = (
            self.local.numel() > 1 and self.contribution is not None and self.contribution.shape != self.local.shape
        )
        upstream = value_text(self.upstream, where if self.upstream.ndim == len(where or ()) else None)
        return f"{upstream} * {value_text(self.local, where)}{', summed' if summed else ''} = {sent}"


@dataclass(frozen=True)
class Arrival:
    """A backward step: the gradient of a node's result, the sum over its uses, and what goes on from it."""

    node: Node
    gradients: tuple[tuple[int, Tensor], ...] = field(repr=False)  # by output, of those that got one
    parts: tuple[tuple[Edge, Tensor], ...] = field(repr=False)
    sendings: tuple[Sending, ...]
    index: Index | None

    @property
    def gradient(self) -> Tensor:
        """That of the output that is shown."""
        return dict(self.gradients).get(self.node.output, self.gradients[0][1])

    @property
    def text(self) -> str:
        if len(self.gradients) > 1:
            return "; ".join(f"{value_text(g)} of output {output}" for output, g in self.gradients)
        return value_text(self.gradient, self.index)

    @property
    def sum_text(self) -> str:
        """`9 = 8 + 1, the sum over its 2 uses`."""
        if len(self.gradients) > 1:
            return self.text
        parts = " + ".join(value_text(g, self.index) for _, g in self.parts)
        uses = f", the sum over its {len(self.parts)} uses" if len(self.parts) > 1 else ""
        if self.is_changed:
            return f"{self.text}: a hook made it of {parts}{uses}"
        return f"{self.text} = {parts}{uses}" if uses else self.text

    @property
    def is_changed(self) -> bool:
        """Whether the gradient is another than the sum of what was sent."""
        if not self.parts:
            return False
        with no_grad():
            sent = total([g for _, g in self.parts])
            return not self.gradient.allclose(sent, rtol=1e-3, atol=1e-6, equal_nan=True)


class Steps:
    """All steps from the inputs to a result and back; with `wanted`, only those that matter to these tensors."""

    def __init__(self, graph: Graph, values: Values, flow: Flow, wanted: list[Node], index: Index | None):
        self.graph, self.values, self.flow = graph, values, flow
        self._leads = _leading(graph, wanted)
        self._indices = self._follow(wanted, index)
        self.forward = [self._value(n) for n in graph.nodes if n.index in self._leads or n in graph.roots]
        with undisturbed(graph):
            self.backward = [a for n in reversed(graph.nodes) if n.index in self._leads and (a := self._arrival(n))]

    def _value(self, node: Node) -> Value:
        return Value(node, self.values.of(node), self._indices.get(node.index))

    def _follow(self, wanted: list[Node], index: Index | None) -> dict[int, Index]:
        """Elementwise operations of one shape hand an element on at its place."""
        if index is None or not wanted:
            return {}
        found, stack = {}, [(wanted[0], index)]
        while stack:
            node, at = stack.pop()
            if node.index in found:
                continue
            found[node.index] = at
            for edge in node.uses:
                if edge.consumer.raw._operands is not None and edge.consumer.shape == node.shape:
                    stack.append((edge.consumer, at))
        return found

    def _arrival(self, node: Node) -> Arrival | None:
        outputs = range(len(node.outputs))
        gradients = tuple((k, g) for k in outputs if (g := self.flow.gradient(node, k)) is not None)
        if not gradients:
            return None
        shown = gradients[0][0] if self.flow.gradient(node) is None else node.output
        parts = [(e, g) for e in node.uses if e.output == shown and (g := self.flow.contribution(e)) is not None]
        upstream = dict(gradients)[shown]
        sendings = [self._sending(e, upstream) for e in node.inputs if e.producer.index in self._leads]
        return Arrival(node, gradients, tuple(parts), tuple(sendings), self._indices.get(node.index))

    def _sending(self, edge: Edge, g: Tensor) -> Sending:
        node, sent = edge.consumer, self.flow.contribution(edge)
        at, formula = self._indices.get(edge.producer.index), node.formula(edge.input)
        operands = self.values.operands(node)
        local = put_in = None
        terms: tuple[tuple[Index, float, float], ...] = ()
        if operands is not None:
            with no_grad():
                local = operands[0].gradient(edge.input, {**operands[1], "g": g * 0 + 1})
            local = local.conj() if isinstance(local, Tensor) and local.is_complex() else local
            local = local if isinstance(local, Tensor) else None
            put_in = self._put_in(edge, formula, {**operands[1], "g": g})
        elif node.shape == () and edge.producer.shape == () and sent is not None and g.item() != 0:
            local = sent / g
        same_shape = edge.producer.outputs[edge.output].shape == node.shape
        if at is not None and not (operands is not None and same_shape):
            terms, local, put_in = self._terms(edge, g, at), None, None
        return Sending(edge, g, local, sent, formula, put_in, at, terms)

    def _put_in(self, edge: Edge, formula: str, names: dict[str, Any]) -> str | None:
        at = self._indices.get(edge.producer.index) if edge.consumer.shape == edge.producer.shape else None
        numbers = {}
        for name, value in names.items():
            number = _number(value, at)
            if number is not None:
                numbers[name] = number_text(number)
        return formula_with_numbers(formula, numbers)

    def _terms(self, edge: Edge, g: Tensor, at: Index) -> tuple[tuple[Index, float, float], ...]:
        if g.numel() > _MOST_TERMS or edge.consumer.released:
            return ()
        terms = []
        with no_grad():
            for place in _places(tuple(g.shape)):
                one = g * 0
                one[place] = 1
                sent = send_back(edge, one)
                derivative = 0.0 if sent is None else sent[at].item()
                if derivative != 0:
                    terms.append((place, g[place].item(), derivative))
        return tuple(terms)


def _number(value: Any, at: Index | None) -> Any:
    if not isinstance(value, Tensor):
        return value
    if value.numel() == 1:
        return value.item()
    return value[at].item() if at is not None and value.ndim == len(at) else None


def _places(shape: tuple[int, ...]) -> list[Index]:
    places: list[Index] = [()]
    for size in shape:
        places = [(*p, i) for p in places for i in range(size)]
    return places


def _leading(graph: Graph, wanted: list[Node]) -> set[int]:
    """The nodes through which the wanted ones matter; all if none are given."""
    if not wanted:
        return {n.index for n in graph.nodes}
    leads = {n.index for n in wanted}
    for node in graph.nodes:
        if any(e.producer.index in leads for e in node.inputs):
            leads.add(node.index)
    return leads
