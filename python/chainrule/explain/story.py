"""explain(loss): how each gradient is calculated, in words and numbers."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from .display import shape_text, value_text
from .edges import reaches
from .flow import Flow
from .graph import Graph, Node, living_tensors
from .names import Names
from .recording import recorded, unwatched
from .routes import Route, routes
from .source import line_of
from .steps import Arrival, Index, Sending, Steps, Value
from .values import Values

__all__ = ["Explanation", "explain"]

_FREED = (
    "A backward pass has freed what {freed} of the {all} operations had saved. What is shown was calculated again from "
    "values that are still alive{lost}. To keep everything: loss.backward(retain_graph=True), or explain(loss) before "
    "backward()."
)
_NOT_KEPT = (
    "No gradient needs {} of the forward pass, and nobody kept them: they are shown as 'not kept'. What is calculated "
    "and explained within `with chainrule.explain.recording():` keeps everything."
)
_CHANGED = (
    "{} was overwritten since{}: the value that it had in the forward pass is not known any more. explain(loss) before "
    "that step shows it."
)
_HIDDEN = (
    " It was written through .data or NumPy, which autograd does not see: gradients that need it are calculated from "
    "the new value, and backward() does the same."
)
_ADDED = (
    "The .grad is {}, but this result gave {}: gradients of several backward() calls are added up until zero_grad(), "
    "or it was changed since."
)
_INSIDE = "{} inside of calls that made several steps can no longer be known: they are shown as 'not kept'."
_SHOWN_STEPS = 60


class Explanation:
    """How a result was calculated, and how its gradients are. print() it, or ask for its parts."""

    def __init__(
        self,
        root: Tensor,
        wrt: list[Tensor],
        index: Index | None,
        names: Names,
        gradient: Tensor | None = None,
        depth: int | None = None,
    ):
        self.depth = depth  # at which modules are folded in the text; None: as it fits
        self.asked = gradient  # the .grad that is to be explained, if that was asked for
        with unwatched():
            self._read(root, wrt, index, names)

    def _read(self, root: Tensor, wrt: list[Tensor], index: Index | None, names: Names) -> None:
        self.graph = Graph([root], names)
        self.values = Values(self.graph)
        self.root = self.graph.roots[0]
        self.wanted = [_node_of(self.graph, t, root, names) for t in wrt]
        self.index = index
        self.is_sum = root.numel() != 1  # of a result with several elements, the gradient of their sum is shown
        self.flow = Flow(self.graph, root, self.values)
        self.steps = Steps(self.graph, self.values, self.flow, self.wanted, index)
        operations = [n for n in self.graph.nodes if not n.is_leaf]
        known = ((n.index, recorded(n.raw)) for n in operations)
        self.timings = {i: (k.seconds, k.steps) for i, k in known if k}  # forward: seconds of a call, and its steps

    # ---- its parts

    @property
    def forward(self) -> list[Value]:
        """The forward steps, in the order of the calculation."""
        return self.steps.forward

    @property
    def backward(self) -> list[Arrival]:
        """The backward steps, from the result down."""
        return self.steps.backward

    @property
    def results(self) -> list[Node]:
        """The tensors whose gradients are asked for: the leaves, or what was given as wrt."""
        return self.wanted or [n for n in self.graph.leaves if n is not self.root]

    def gradient(self, tensor: Tensor) -> Tensor | None:
        """The gradient of a tensor in the graph; None if there is none, or it can no longer be known."""
        node = self.graph.find(tensor)
        return None if node is None else self.flow.gradient(node, tensor.output_nr if not node.is_leaf else 0)

    def routes(self, tensor: Tensor) -> list[Route]:
        """Which route through the graph gave how much of a tensor's gradient; the largest share first."""
        node = self.graph.find(tensor)
        return [] if node is None else self.routes_to(node)

    def routes_to(self, node: Node, index: Index | None = None) -> list[Route]:
        """The same of a node; with an index, of that element alone."""
        return [] if self.graph.released else routes(self.graph, self.flow, node, index)

    # ---- text

    def __str__(self) -> str:
        return self.text(colour=_has_colour())

    __repr__ = __str__

    def text(self, colour: bool = False, limit: int | None = _SHOWN_STEPS) -> str:
        """The explanation as text; `limit` steps of each direction, or all, unfolded, if it is None."""
        from .text import Writer

        return Writer(colour, limit).explanation(self)

    @property
    def notes(self) -> list[str]:
        """What has to be known before the numbers are read."""
        notes = []
        if self.root.is_leaf:
            notes.append("This is a leaf: nothing was calculated, so there are no steps.")
        if self.is_sum:
            notes.append(f"The result has shape {shape_text(self.root.shape)}: gradients are those of its sum.")
        if self.graph.released:
            notes.append(self._freed())
        if self.values.changed:
            notes.append(self._changed())
        given = self.flow.gradient(self.wanted[0]) if self.asked is not None else None
        if given is not None and self.asked is not None and not given.allclose(self.asked, rtol=1e-3, equal_nan=True):
            notes.append(_ADDED.format(value_text(self.asked), value_text(given)))
        unknown = sum(step.value is None for step in self.forward)
        if unknown and not self.graph.released and not self.values.changed:
            count = "1 value" if unknown == 1 else f"{unknown} values"
            notes.append((_INSIDE if self.timings else _NOT_KEPT).format(count))
        return notes

    def _freed(self) -> str:
        unknown = sum(self.flow.gradient(n) is None for n in self.results)
        count = "1 gradient" if unknown == 1 else f"{unknown} gradients"
        lost = f"; {count} can no longer be known" if unknown else ""
        freed = {"freed": len(self.graph.released), "all": sum(not n.is_leaf for n in self.graph.nodes)}
        now = " Leaves are shown with the values that they have now." if self.values.unchecked else ""
        return _FREED.format(**freed, lost=lost) + now

    def _changed(self) -> str:
        leaves = self.values.changed
        names = " or ".join(n.label for n in leaves[:4]) + (" or others" if len(leaves) > 4 else "")
        hidden = self.values.hidden
        written = None if hidden else next((line for n in leaves if (line := line_of(n.raw._written))), None)
        where = f" ({written.place}: {written.text})" if written else ""
        return _CHANGED.format(names, where) + (_HIDDEN if hidden else "")

    # ---- other forms

    def _repr_html_(self) -> str:
        from .rich import frame

        return frame(self.to_html())

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """One HTML file that needs nothing else: the source, the graph, and a slider through the steps."""
        from .page import page

        return _written(path, page(self))

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The graph as a picture, with values and gradients."""
        from .draw import svg

        return _written(path, svg(self))

    def to_dot(self, path: str | os.PathLike[str] | None = None) -> str:
        """The graph in Graphviz's language."""
        from .draw import dot

        return _written(path, dot(self))

    def to_dict(self) -> dict[str, Any]:
        document = self.graph.to_dict()
        document["forward"] = [_forward_dict(step, self.timings.get(step.node.index)) for step in self.forward]
        document["backward"] = [_backward_dict(step, self.flow.seconds.get(step.node.index)) for step in self.backward]
        document["gradients"] = [
            {"node": n.index, "label": n.label, "gradient": _numbers(self.flow.gradient(n))} for n in self.results
        ]
        document["routes"] = [
            {"node": n.index, "routes": [r.to_dict() for r in self.routes_to(n)]} for n in self.results[:8]
        ]
        document["notes"] = self.notes
        return document

    def to_json(self, path: str | os.PathLike[str] | None = None, indent: int | None = None) -> str:
        """Graph and steps as JSON; docs/explain.md has the schema."""
        import json

        return _written(path, json.dumps(self.to_dict(), indent=indent))


def explain(tensor: Tensor, wrt: Any = None, index: int | Index | None = None, depth: int | None = None) -> Explanation:
    """How `tensor` was calculated, and how its gradients are; of x.grad, how that gradient was.

    `wrt` (a tensor or several) keeps the steps that matter to these; `index` follows one element of the first.
    A long text has a line for each module; `depth` says how far they are unfolded: 0 is the model as a whole.
    """
    if not isinstance(tensor, Tensor):
        raise at_call(TypeError, f"explain(): expected a tensor, got {type(tensor).__name__}")
    wanted = _tensors(wrt)
    names, gradient = Names(about=[tensor, *wanted]), None
    if not tensor.requires_grad:
        owner = _owner_of(tensor, names)
        if owner is None:
            raise at_call(ValueError, f"explain(): this tensor has no graph.\n{_why_no_graph(tensor)}")
        gradient, tensor, wanted = tensor, _result_of(owner), [owner]
    if depth is not None and (not isinstance(depth, int) or depth < 0):
        raise ValueError(f"explain(): depth must be a number from 0 on, got {depth!r}")
    if index is not None and not wanted:
        raise at_call(ValueError, "explain(): index= needs wrt=, the tensor whose element it is")
    at = None if index is None else _element(index, tuple(wanted[0].shape))
    return Explanation(tensor, wanted, at, names, gradient, depth)


def _tensors(wrt: Any) -> list[Tensor]:
    if wrt is None or isinstance(wrt, Tensor):
        return [] if wrt is None else [wrt]
    given = list(wrt) if isinstance(wrt, Iterable) else [wrt]
    for one in given:
        if not isinstance(one, Tensor):
            raise at_call(TypeError, f"explain(): wrt must be a tensor or several, got {type(one).__name__}")
    return given


def _element(index: int | Index, shape: Index) -> Index:
    """An index that has a number for each dimension, counted from the front."""
    given = (index,) if not isinstance(index, tuple | list) else tuple(index)
    if not all(isinstance(i, int) for i in given):
        raise at_call(TypeError, f"explain(): index must be a number for each dimension, got {index!r}")
    if len(given) != len(shape) or not all(-size <= i < size for i, size in zip(given, shape, strict=True)):
        raise at_call(ValueError, f"explain(): index {given} does not fit shape {shape_text(shape)}")
    return tuple(i % size for i, size in zip(given, shape, strict=True))


def _why_no_graph(tensor: Tensor) -> str:
    from .missing import why_cut

    return f"  {why_cut(tensor)}"


def _owner_of(gradient: Tensor, names: Names) -> Tensor | None:
    """The leaf whose .grad this is."""
    for _, tensor in names.tensors:
        if (tensor.grad_fn is None or tensor.retains_grad) and tensor.grad is gradient:
            return tensor
    for tensor in living_tensors():
        for leaf, _ in tensor.grad_fn._edges:
            if isinstance(leaf, Tensor) and leaf.grad is gradient:
                return leaf
    return None


def _result_of(leaf: Tensor) -> Tensor:
    """The newest living result that was calculated from a leaf: the loss, most likely."""
    candidates = sorted(living_tensors(), key=lambda t: -t.grad_fn._sequence_nr())
    for one_number in (True, False):
        for tensor in candidates:
            if (tensor.numel() == 1) is one_number and reaches(tensor, leaf):
                return tensor
    raise at_call(
        ValueError,
        "explain(): nothing that was calculated from this tensor is alive any more, so its graph is gone. "
        "Keep the loss in a variable, or call explain(loss, wrt=...) before backward().",
    )


def _node_of(graph: Graph, tensor: Tensor, loss: Tensor, names: Names) -> Node:
    node = graph.find(tensor) if tensor.requires_grad else None
    if node is None:
        from .missing import explain_none

        cause = explain_none(tensor, loss)
        raise at_call(ValueError, f"explain(): {names.of(tensor) or 'wrt'} is not part of this graph.\n{cause}")
    return node


def _has_colour() -> bool:
    return "NO_COLOR" not in os.environ and hasattr(sys.stdout, "isatty") and sys.stdout.isatty()


def _written(path: str | os.PathLike[str] | None, text: str) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


def _numbers(value: Tensor | None) -> Any:
    if value is None:
        return None
    shown = _plain(value.tolist()) if value.numel() <= 1024 else None
    return {"shape": list(value.shape), "values": shown, "summary": value_text(value)}


def _plain(value: Any) -> Any:
    """What JSON can say: a complex number is a pair, NaN and infinities are words."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _forward_dict(step: Value, timing: tuple[float, int] | None) -> dict[str, Any]:
    taken = None if timing is None else timing[0] * 1e6
    return {"node": step.node.index, "value": _numbers(step.value), "microseconds": taken}


def _backward_dict(step: Arrival, seconds: float | None) -> dict[str, Any]:
    parts = [{"from": e.consumer.index, "input": e.input, "gradient": _numbers(g)} for e, g in step.parts]
    sendings = [_sending_dict(s) for s in step.sendings]
    known = {"node": step.node.index, "gradient": _numbers(step.gradient), "parts": parts, "sent": sendings}
    return {**known, "microseconds": None if seconds is None else seconds * 1e6}


def _sending_dict(s: Sending) -> dict[str, Any]:
    words = {"to": s.edge.producer.index, "input": s.edge.input, "formula": s.formula, "numbers": s.put_in}
    return {**words, "local": _numbers(s.local), "contribution": _numbers(s.contribution), "text": s.text}
