"""Forward values: from tensors that are alive, from what nodes saved, or calculated again from the inputs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .formulas import Formula
from .graph import Graph, Node
from .recording import recorded

__all__ = ["Values"]

_SAME_ELEMENTS = {"view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "flatten", "unflatten", "clone", "alias"}
_PRODUCTS = {"mm", "mv", "dot", "bmm", "matmul"}


class Values:
    """The value of each output of a graph's nodes, as far as it can be known."""

    def __init__(self, graph: Graph):
        self._known: dict[tuple[int, int], Tensor] = {}
        self._places = {id(n.raw): n for n in graph.nodes}
        with no_grad():
            self._take_leaves(graph)
            self._take_living(graph)
            self._take_recorded(graph)
            self._take_saved(graph)
            self._calculate(graph)

    def of(self, node: Node, output: int = 0) -> Tensor | None:
        """The value, without history; None if nobody kept it."""
        return self._known.get((node.index, output))

    def _put(self, node: Node, output: int, value: Tensor) -> None:
        self._known.setdefault((node.index, output), value.detach())

    def _take_leaves(self, graph: Graph) -> None:
        for node in graph.leaves:
            self._put(node, 0, node.raw)

    def _take_living(self, graph: Graph) -> None:
        for tensor in graph.living:
            node = self._places.get(id(tensor.grad_fn))
            if node is not None:
                self._put(node, tensor.output_nr, tensor)

    def _take_recorded(self, graph: Graph) -> None:
        for node in graph.nodes:
            known = None if node.is_leaf else recorded(node.raw)
            for output, (value, version) in known.values.items() if known else ():
                if value._version == version:  # else it was overwritten
                    self._put(node, output, value)

    def _take_saved(self, graph: Graph) -> None:
        for node in graph.nodes:
            for saved in node.saved:
                if saved.value is None or not saved.is_current:
                    continue
                maker = self._places.get(id(saved.value.grad_fn)) if saved.value.grad_fn is not None else None
                if maker is not None:
                    self._put(maker, saved.value.output_nr, saved.value)
                elif saved.is_output and len(node.outputs) == 1 and tuple(saved.value.shape) == node.shape:
                    self._put(node, 0, saved.value)

    def _calculate(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.is_leaf or (node.index, 0) in self._known:
                continue
            value = self._again(node)
            if isinstance(value, Tensor) and tuple(value.shape) == node.shape:
                self._put(node, 0, value)

    def _again(self, node: Node) -> Any:
        operands = self.operands(node)
        if operands is not None:
            formula, names = operands
            return formula.value(names)
        if node.operation in _PRODUCTS and len(node.raw._edges) == 2:
            a, b = self.input(node, 0), self.input(node, 1)
            return None if a is None or b is None else a @ b
        if node.operation == "linear":
            return self._linear(node)
        inputs = [self.of(e.producer, e.output) for e in node.inputs]
        return _of_one_input(node, inputs[0]) if len(inputs) == 1 and inputs[0] is not None else None

    def _linear(self, node: Node) -> Tensor | None:
        """Its inputs are x and weight, or bias, x and weight."""
        known = [t for i in range(len(node.raw._edges)) if (t := self.input(node, i)) is not None]
        if len(known) != len(node.raw._edges):
            return None
        *bias, x, weight = known
        return x @ weight.T + bias[0] if bias else x @ weight.T

    def input(self, node: Node, i: int) -> Tensor | None:
        """The value of an input; one without history is known if it was saved."""
        for edge in node.inputs:
            if edge.input == i:
                return self.of(edge.producer, edge.output)
        loose = [s for s in node.saved if s.value is not None and not s.is_output and not s.value.requires_grad]
        return loose[0].value if len(loose) == 1 else None

    def operands(self, node: Node) -> tuple[Formula, dict[str, Any]] | None:
        """For an elementwise operation, its formula and what its names stand for; None for all others."""
        recorded = None if node.is_leaf else node.raw._operands
        if recorded is None:
            return None
        name, parameters, places, output_place = recorded
        saved = node.saved
        inputs: list[Any] = []
        for i, place in enumerate(places):
            edge = next((e for e in node.inputs if e.input == i), None)
            value: Any = place if isinstance(place, float) else None
            if isinstance(place, int) and saved:
                value = saved[place].value if saved[place].is_current else None
            if value is None and edge is not None:
                value = self.of(edge.producer, edge.output)
            inputs.append(value.detach() if isinstance(value, Tensor) else _whole(value))
        y = self._known.get((node.index, 0))
        if y is None and output_place is not None and saved and saved[output_place].is_current:
            y = saved[output_place].value
        formula = Formula(name)
        return formula, formula.names(inputs, tuple(_whole(p) for p in parameters), y)


def _whole(number: Any) -> Any:
    return int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 1e15 else number


def _of_one_input(node: Node, x: Tensor) -> Tensor | None:
    operation, shape = node.operation, node.shape
    if operation in _SAME_ELEMENTS:
        return x.reshape(shape)
    if operation == "expand":
        return x.expand(shape)
    if operation in ("sum", "mean"):
        dims = _reduced(tuple(x.shape), shape)
        return None if dims is None else getattr(x, operation)(dims).reshape(shape)
    if operation == "t":
        return x.t()
    return None


def _reduced(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions that a sum ran over, if the shapes leave no doubt."""
    if after == ():
        return tuple(range(len(before)))
    found = []
    for count in range(1, len(before) + 1):
        for dims in combinations(range(len(before)), count):
            kept = tuple(1 if d in dims else size for d, size in enumerate(before))
            if after in (kept, tuple(size for d, size in enumerate(before) if d not in dims)):
                found.append(dims)
    return found[0] if len(found) == 1 else None
