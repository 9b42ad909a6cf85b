"""The recorded graph as data: nodes, edges, saved values, lines and modules. Looking at it changes nothing."""

from __future__ import annotations

import contextlib
import gc
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .assigned import made_at
from .display import counted
from .formulas import formula_of
from .modules import assign_modules
from .names import Names
from .recording import recorded
from .source import Line, line_at

__all__ = ["Edge", "Graph", "Node", "Output", "Saved", "graph"]

SCHEMA = 1


@dataclass(frozen=True)
class Output:
    """Shape and dtype of what an operation gave."""

    shape: tuple[int, ...]
    dtype: str

    def to_dict(self) -> dict[str, Any]:
        return {"shape": list(self.shape), "dtype": self.dtype}


@dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for its gradient."""

    name: str
    value: Tensor | None = field(repr=False)  # None: a hook packed it
    is_output: bool
    is_current: bool  # False: it was overwritten since

    @property
    def bytes(self) -> int:
        return 0 if self.value is None else self.value.numel() * self.value.element_size()

    def to_dict(self) -> dict[str, Any]:
        value = self.value
        shape, dtype = (None, None) if value is None else (list(value.shape), _text(value.dtype))
        state = "packed" if value is None else "current" if self.is_current else "overwritten"
        described = {"name": self.name, "shape": shape, "dtype": dtype, "bytes": self.bytes}
        return {**described, "is_output": self.is_output, "state": state}


@dataclass(frozen=True, eq=False)
class Edge:
    """Forward, the value of `producer` is an input of `consumer`; backward, the gradient flows the other way."""

    index: int
    consumer: Node = field(repr=False)
    input: int  # which input of the consumer
    producer: Node = field(repr=False)
    output: int  # which output of the producer

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.consumer.index, "input": self.input, "to": self.producer.index, "output": self.output}


@dataclass(eq=False)
class Node:
    """A recorded operation, or a leaf: a tensor that no operation made."""

    index: int  # its place in Graph.nodes, which is the order of the calculation
    raw: Any = field(repr=False)  # the grad_fn; for a leaf the tensor
    is_leaf: bool
    variable: str | None = None  # what the user calls its value
    made: Line | None = field(default=None, repr=False)  # of a leaf: the line that gave it its name
    module: str | None = None  # path of the module it belongs to
    is_part: bool = False  # one call on the user's line made this on the way to its result
    output: int = 0  # of several outputs the one that is shown: what was asked for, else the first that is used
    inputs: list[Edge] = field(default_factory=list, repr=False)
    uses: list[Edge] = field(default_factory=list, repr=False)

    @cached_property
    def name(self) -> str:
        """As PyTorch calls the node: MulBackward0, AccumulateGrad."""
        return "AccumulateGrad" if self.is_leaf else type(self.raw).__name__

    @property
    def operation(self) -> str:
        """As the user calls it: mul; "leaf" for a leaf."""
        return "leaf" if self.is_leaf else operation_name(self.raw.operation)

    @property
    def sequence(self) -> int:
        """Grows with each recorded operation; 0 for leaves."""
        return 0 if self.is_leaf else self.raw._sequence_nr()

    @cached_property
    def line(self) -> Line | None:
        """The user's line that ran the operation; of a leaf, the one that gave it its name."""
        if self.is_leaf:
            return self.made
        return line_at(self.raw._code)

    @property
    def order(self) -> int:
        """How often its line was differentiated: 0 is what the line calculates itself, 1 what a backward pass that
        makes a graph (create_graph=True, a transform) recorded of it, 2 that pass of such a one."""
        return 0 if self.is_leaf else self.raw._order

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        given = ((self.raw.shape, self.raw.dtype),) if self.is_leaf else self.raw._outputs
        return tuple(Output(tuple(shape), _text(dtype)) for shape, dtype in given)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the output that is shown."""
        return self.outputs[self.output].shape

    @property
    def saved(self) -> tuple[Saved, ...]:
        """What is kept for the gradient; empty once a backward pass has freed it."""
        if self.is_leaf or self.raw._released:
            return ()
        return tuple(Saved(*slot) for slot in self.raw._peek_saved())

    @property
    def released(self) -> bool:
        """Whether a backward pass freed what was saved."""
        return not self.is_leaf and self.raw._released

    @property
    def bytes(self) -> int:
        """Memory of the saved tensors."""
        return sum(s.bytes for s in self.saved)

    @property
    def tensor(self) -> Tensor | None:
        """The leaf's tensor."""
        return self.raw if self.is_leaf else None

    def formula(self, input: int) -> str:
        """The formula of the gradient that goes to an input, in terms of g, the gradient of the output."""
        return "g" if self.is_leaf else formula_of(self.raw, input)

    @property
    def label(self) -> str:
        """Its variable, else its expression, else its operation."""
        expression = self.line.expression if self.line and not self.is_leaf else None
        if self.is_part and not self.variable:
            place = self.differentiated or self.module or _called(expression)
            return f"{self.operation} in {place}" if place else self.operation
        if self.operation == "origin":  # what a transform of func differentiates by
            return f"argument of {expression}" if expression else "argument"
        expression = self.differentiated or expression
        return self.variable or expression or (f"a leaf {list(self.shape)}" if self.is_leaf else self.operation)

    @property
    def differentiated(self) -> str | None:
        """`derivative of x * x`, for a step that a backward pass recorded; None for all others."""
        if self.order == 0:
            return None
        words = {1: "derivative", 2: "second derivative", 3: "third derivative"}
        of = self.line.expression or self.line.text if self.line else None
        return f"{words.get(self.order, f'derivative {self.order}')} of {of or self.module or self.operation}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "kind": "leaf" if self.is_leaf else "operation",
            "name": self.name,
            "operation": self.operation,
            "variable": self.variable,
            "label": self.label,
            "module": self.module,
            "order": self.order,
            "formulas": [self.formula(e.input) for e in self.inputs],
            "line": self.line.to_dict() if self.line else None,
            "outputs": [o.to_dict() for o in self.outputs],
            "saved": [s.to_dict() for s in self.saved],
            "released": self.released,
            "bytes": self.bytes,
        }


class Graph:
    """All that the given tensors were calculated from."""

    def __init__(self, tensors: Iterable[Tensor], names: Names):
        self._by_id: dict[int, Node] = {}
        places = [_place(t) for t in tensors]
        roots = [raw for raw, _ in places]
        self._collect(roots)
        self.nodes: tuple[Node, ...] = tuple(self._by_id.values())
        self.edges: tuple[Edge, ...] = tuple(self._connect())
        self.roots: tuple[Node, ...] = tuple(self._by_id[id(raw)] for raw in roots)
        self._choose_outputs([output for _, output in places])
        self._name(names)
        self.living: list[Tensor] = [t for t in living_tensors() if id(t.grad_fn) in self._by_id]

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        leaves = len(self.leaves)
        operations = counted(len(self.nodes) - leaves, "operation")
        return f"<Graph of {operations} and {counted(leaves, 'leaf', 'leaves')}, saving {self.bytes:,} bytes>"

    @property
    def leaves(self) -> tuple[Node, ...]:
        return tuple(n for n in self.nodes if n.is_leaf)

    @property
    def released(self) -> tuple[Node, ...]:
        """Nodes that can run no more, because a backward pass freed what they had saved."""
        return tuple(n for n in self.nodes if n.released)

    @property
    def bytes(self) -> int:
        """Memory of all saved tensors; one that several nodes saved counts once."""
        saved = [s.value for n in self.nodes for s in n.saved if s.value is not None]
        return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in saved}.values())

    def find(self, tensor: Tensor) -> Node | None:
        """The node that gave a tensor, or the leaf that it is; None if it is not in this graph."""
        if not tensor.requires_grad:
            return None
        return self._by_id.get(id(_place(tensor)[0]))

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "roots": [n.index for n in self.roots],
            "nodes": [n.to_dict() for n in self.nodes],
            "edges": [e.to_dict() for e in self.edges],
        }

    def to_json(self, indent: int | None = None) -> str:
        """The graph as JSON; docs/explain.md has the schema."""
        import json

        return json.dumps(self.to_dict(), indent=indent)

    # ---- making it

    def _collect(self, roots: list[Any]) -> None:
        seen, operations = set(), []
        stack = [raw for raw in roots if not isinstance(raw, Tensor)]
        for raw in roots:
            if isinstance(raw, Tensor):
                self._append(raw, True)
        while stack:
            raw = stack.pop()
            if id(raw) in seen:
                continue
            seen.add(id(raw))
            operations.append(raw)
            stack += [target for target, _ in raw._edges if target is not None and not isinstance(target, Tensor)]
        operations.sort(key=lambda raw: raw._sequence_nr())
        for raw in operations:
            for target, _ in raw._edges:
                if isinstance(target, Tensor):
                    self._append(target, True)
            self._append(raw, False)

    def _append(self, raw: Any, is_leaf: bool) -> None:
        if id(raw) not in self._by_id:
            self._by_id[id(raw)] = Node(len(self._by_id), raw, is_leaf)

    def _connect(self) -> list[Edge]:
        edges: list[Edge] = []
        for node in self.nodes:
            if node.is_leaf:
                continue
            for i, (target, output) in enumerate(node.raw._edges):
                if target is None:
                    continue
                edge = Edge(len(edges), node, i, self._by_id[id(target)], output)
                edges.append(edge)
                node.inputs.append(edge)
                edge.producer.uses.append(edge)
        return edges

    def _choose_outputs(self, asked: list[int]) -> None:
        for node in self.nodes:
            node.output = min((e.output for e in node.uses), default=0)
        for root, output in zip(self.roots, asked, strict=True):
            root.output = output

    def _name(self, names: Names) -> None:
        last: dict[Any, Node] = {}  # of the nodes that one expression made, the last is its value
        for node in self.nodes:
            if node.is_leaf:
                node.variable = names.of(node.raw)
                node.made = made_at(names, node.raw)
            else:
                node.variable = names.of_outputs.get((id(node.raw), node.output))
                if node.line and node.line.target and node.order == 0:
                    last[(node.line.file, node.line.position)] = node
        for node in last.values():
            if node.variable is None and node.line:
                node.variable = node.line.target
        assign_modules(self.nodes, names.modules)
        for node in self.nodes:
            known = None if node.is_leaf else recorded(node.raw)
            if known is not None:
                node.module = names.of_modules.get(id(known.module))
        for node in self.nodes:
            node.is_part = not node.is_leaf and any(_same_call(node, e.consumer) for e in node.uses)


@contextlib.contextmanager
def undisturbed(graph: Graph) -> Iterator[None]:
    """Within it backward passes may run; tensors that retain their gradient have the former one afterwards."""
    kept = [(t, t.grad) for t in graph.living if t.retains_grad]
    try:
        yield
    finally:
        for tensor, before in kept:
            if tensor.grad is not before:
                tensor.grad = before


def operation_name(name: str) -> str:
    """As users call it: native_batch_norm is batch_norm to them, nll_loss_nd nll_loss, CubeBackward their Cube."""
    known = {"cross_entropy_loss": "cross_entropy", "nll_loss_nd": "nll_loss"}
    if name.endswith("Backward0"):  # LinalgEighBackward0 is linalg_eigh
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Backward0")).lower()
    return known.get(name) or name.removeprefix("native_").removesuffix("_with_indices").removesuffix("Backward")


def _called(expression: str | None) -> str | None:
    """Of a call, the function without the arguments: `loss_of(net(x), y)` is `loss_of(...)`."""
    found = re.match(r"[\w.]+(?=\()", expression or "")
    return f"{found[0]}(...)" if found and expression and expression.endswith(")") else expression


def _same_call(node: Node, user: Node) -> bool:
    """Whether one call made both: net(x) made convolution and relu. A loop repeats one operation."""
    if node.line is None or user.line is None or node.line.position is None or node.operation == user.operation:
        return False
    if node.order != user.order:
        return False
    return (node.line.file, node.line.position) == (user.line.file, user.line.position)


def _living(base: type) -> list[Any]:
    kinds, stack = set(), [base]
    while stack:
        kinds.add(kind := stack.pop())
        stack += [k for k in type.__subclasses__(kind) if k not in kinds]
    return [o for o in gc.get_objects() if type(o) in kinds]


def living_tensors() -> list[Tensor]:
    """Every tensor that has a history and that somebody holds."""
    return [t for t in _living(Tensor) if t.grad_fn is not None]


def living_nodes() -> list[Any]:
    """Every recorded operation that is alive."""
    return _living(_core.Node)


def _place(tensor: Tensor) -> tuple[Any, int]:
    if not tensor.requires_grad:
        raise at_call(ValueError, "this tensor has no graph: it does not require a gradient (see explain_none)")
    node = tensor.grad_fn
    return (tensor, 0) if node is None else (node, tensor.output_nr)


def _text(dtype: _core.dtype) -> str:
    return str(dtype).rpartition(".")[2]


def graph(*tensors: Tensor) -> Graph:
    """The graph that some tensors were calculated by."""
    return Graph(tensors, Names())
