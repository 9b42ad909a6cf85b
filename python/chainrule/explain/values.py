"""Forward values: from tensors that are alive, from what nodes saved, or calculated again from the inputs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from .formulas import Formula
from .graph import Edge, Graph, Node, undisturbed
from .recording import recorded
from .transposed import transposed_value

__all__ = ["Values"]

_SAME_ELEMENTS = {"view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "flatten", "unflatten", "clone", "alias"}
_SMALL = 4096  # elements of a leaf that is compared with what was calculated, even if no write was seen
_OF_ONE = {"abs", "angle", "conj", "sgn", "t"}
_PRODUCTS = {"mm", "mv", "dot", "bmm", "matmul"}


class Values:
    """The value of each output of a graph's nodes, as far as it can be known."""

    def __init__(self, graph: Graph):
        self.changed: list[Node] = []  # leaves that are no longer what they were: their values then are not known
        self.hidden: list[Node] = []  # those of them that were written in a way that autograd does not see
        self.unchecked: list[Node] = []  # leaves of which nothing tells whether they are
        self._known: dict[tuple[int, int], Tensor] = {}
        self._places = {id(n.raw): n for n in graph.nodes}
        with no_grad(), undisturbed(graph):
            self._take_leaves(graph)
            self._take_living(graph)
            self._take_recorded(graph)
            self._take_saved(graph)
            self._calculate(graph)

    def of(self, node: Node, output: int | None = None) -> Tensor | None:
        """The value, without history; None if nobody kept it."""
        return self._known.get((node.index, node.output if output is None else output))

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
        """What is not known, from what is. Where both ways lead to a value, they tell whether the leaves still fit."""
        doubts: dict[int, set[int]] = {}  # by node, the leaves that its value hangs on and that may have changed
        wrong = {leaf.index for leaf in graph.leaves if _was_written(leaf)}
        for node in graph.nodes:
            if node.is_leaf:
                sure = node.raw.numel() > _SMALL and _is_saved(node)
                doubts[node.index] = set() if sure else {node.index}
                continue
            doubt = set[int]().union(*(doubts[e.producer.index] for e in node.inputs))
            outputs = sorted({node.output, *(e.output for e in node.uses)})
            missing = [k for k in outputs if (node.index, k) not in self._known]
            doubts[node.index] = doubt if missing else set()
            for output in missing:
                value = self._again(node, output)
                if isinstance(value, Tensor) and tuple(value.shape) == node.outputs[output].shape:
                    self._put(node, output, value)
            if doubt and not missing and not doubt & wrong and (fits := self._fits(node)) is not None:
                wrong.update(() if fits else doubt)
                for known in doubts.values():
                    known -= doubt if fits else set()
        self._forget(graph, doubts, wrong)

    def _fits(self, node: Node) -> bool | None:
        """Whether the value is what the inputs give now; None if that cannot be told."""
        value, again = self.of(node), self._by_its_text(node) if len(node.outputs) == 1 else None
        if value is None or not isinstance(again, Tensor) or again.shape != value.shape:
            return None
        return again.allclose(value, rtol=1e-2, atol=1e-3 * _size(value), equal_nan=True)

    def _forget(self, graph: Graph, doubts: dict[int, set[int]], wrong: set[int]) -> None:
        """What was calculated from leaves that are not what they were."""
        for node in graph.nodes:
            if doubts[node.index] & wrong:
                for output in range(len(node.outputs)):
                    self._known.pop((node.index, output), None)
        self.changed = [n for n in graph.leaves if n.index in wrong]
        self.hidden = [n for n in self.changed if _is_saved(n)]
        self.unchecked = [n for n in graph.leaves if doubts[n.index] - wrong]

    def _again(self, node: Node, output: int) -> Any:
        value = self._by_its_text(node) if len(node.outputs) == 1 else None
        return transposed_value(node, output, self._at) if value is None else value

    def _by_its_text(self, node: Node) -> Any:
        operands = self.operands(node)
        if operands is not None:
            formula, names = operands
            return formula.value(names)
        if node.operation in _PRODUCTS and len(node.raw._edges) == 2:
            a, b = self.input(node, 0), self.input(node, 1)
            return None if a is None or b is None else a @ b
        if node.operation == "linear":
            return self._linear(node)
        if node.operation == "embedding" and len(node.saved) == 1 and node.saved[0].is_current:
            weight, indices = self._at(node.inputs[0]), node.saved[0].value
            return None if weight is None or indices is None else weight[indices]
        x = self._at(node.inputs[0]) if len(node.inputs) == 1 else None
        return None if x is None else _of_one_input(node, x)

    def product(self, edge: Edge, g: Tensor) -> Tensor | None:
        """The gradient that a freed step sends: its value is calculated again, and that is differentiated."""
        node, x = edge.consumer, self._at(edge)
        place = (edge.producer.index, edge.output)
        if x is None or sum((e.producer.index, e.output) == place for e in node.inputs) > 1:
            return None
        probe = x.detach()._as_leaf()
        self._known[place] = probe
        try:
            with enable_grad():
                again = self._by_its_text(node)
        finally:
            self._known[place] = x
        if not isinstance(again, Tensor) or not again.requires_grad or again.shape != g.shape:
            return None
        return _core.gradients_of([again], [g], [probe], False, False)[0]

    def _at(self, edge: Edge) -> Tensor | None:
        return self.of(edge.producer, edge.output)

    def _linear(self, node: Node) -> Tensor | None:
        """Its inputs are x and weight, or bias, x and weight. A frozen bias is nowhere kept."""
        if len(node.raw._edges) == 3 and node.raw._edges[0][0] is None:
            return None
        known = [t for i in range(len(node.raw._edges)) if (t := self.input(node, i)) is not None]
        if len(known) != len(node.raw._edges):
            return None
        *bias, x, weight = known
        return x @ weight.T + bias[0] if bias else x @ weight.T

    def input(self, node: Node, i: int) -> Tensor | None:
        """The value of an input; one without history is known if it was saved."""
        for edge in node.inputs:
            if edge.input == i:
                return self._at(edge)
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
                value = self._at(edge)
            inputs.append(value.detach() if isinstance(value, Tensor) else _whole(value))
        y = self._known.get((node.index, 0))
        if y is None and output_place is not None and saved and saved[output_place].is_current:
            y = saved[output_place].value
        formula = Formula(name)
        return formula, formula.names(inputs, tuple(_whole(p) for p in parameters), y)


def _is_saved(leaf: Node) -> bool:
    """Whether a step keeps the leaf for its gradient, and nobody has written into it since."""
    saved = [s for e in leaf.uses for s in e.consumer.saved if s.is_current and s.value is not None]
    return any(s.value.data_ptr() == leaf.raw.data_ptr() for s in saved if s.value is not None)


def _was_written(leaf: Node) -> bool:
    """Whether the leaf was written into after a step had used it, as far as autograd saw it."""
    return any(leaf.raw._written_at > e.consumer.sequence for e in leaf.uses)


def _size(value: Tensor) -> float:
    """That of the largest finite element."""
    finite = value[value.isfinite()].abs()
    return float(finite.max().item()) if finite.numel() else 0.0


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
    if operation in _OF_ONE:
        return getattr(x, operation)()
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
