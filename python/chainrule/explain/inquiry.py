"""The search for the cause of a missing gradient: what is alive is asked first, then the source is read."""

from __future__ import annotations

import linecache
import re
import warnings
from dataclasses import dataclass
from typing import Any, Literal

from .._core import Tensor
from .assigned import made_at
from .edges import reaches
from .flow import Flow
from .graph import Graph, Node, living_tensors, operation_name
from .names import Names, user_frames, variables
from .reading import (
    COPIES,
    Departure,
    Outcome,
    assigned_requires_grad,
    backward_call,
    called_above,
    freezing,
    read_forward,
    read_frame,
)
from .source import Line, line_at, line_of
from .values import Values

__all__ = ["Cause", "Inquiry"]

Kind = Literal[
    "there",  # it is not missing
    "never used",
    "detached",
    "read out",  # item(), tolist(), numpy(), float()
    "integer cast",
    "no gradient",  # an operation that has none: argmax, a comparison
    "no_grad",
    "non-leaf",
    "backward not called",
    "cleared",
    "output not used",
    "not registered",
    "saturated",
    "not asked for",  # requires_grad is False
]

# What to do about each cause.
_CURES: dict[str, str] = {
    "never used": "use it in what the loss is calculated from",
    "detached": "leave the detachment out, or differentiate with respect to the detached tensor",
    "read out": "calculate with the tensor itself; a Python number or an array has no history",
    "integer cast": "keep a floating dtype up to the loss; integers have no gradient",
    "no gradient": "use an operation with a gradient (softmax in place of argmax, a weight in place of a comparison, "
    "rsample() in place of sample())",
    "no_grad": "calculate it outside of the block",
    "non-leaf": "look at the leaf's .grad, or call retain_grad() on this tensor before backward()",
    "backward not called": "call loss.backward()",
    "cleared": "read .grad before it is cleared",
    "output not used": "use the result in the loss",
    "not registered": "keep modules in nn.ModuleList or nn.ModuleDict, tensors in nn.Parameter",
    "saturated": "keep the inputs away from where the function is flat, or use one that is not (leaky_relu)",
    "not asked for": "set requires_grad=True on what is to be trained, before it is used",
    "there": "",
}


@dataclass(frozen=True, repr=False)
class Cause:
    """Why a gradient is missing or zero."""

    kind: Kind
    name: str  # what the user calls the tensor
    text: str
    line: Line | None = None
    advice: str | None = None  # for this very case

    @property
    def cure(self) -> str:
        return self.advice or _CURES[self.kind]

    def __str__(self) -> str:
        where = f"\n  here: {self.line}" if self.line and self.line.can_be_found else ""
        cure = f"\n  What to do: {self.cure}." if self.cure else ""
        return f"{self.name}: {self.text}.{where}{cure}"

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        line = self.line.to_dict() if self.line else None
        return {"kind": self.kind, "name": self.name, "text": self.text, "line": line, "cure": self.cure}


class Inquiry:
    """Looks for the cause, in the order in which causes hide each other."""

    def __init__(self, names: Names):
        self.names = names
        self._flows: dict[int, tuple[Tensor, Graph, Flow]] = {}  # by result: one pass answers for all parameters

    def cause(self, tensor: Tensor, loss: Tensor | None) -> Cause:
        name = self.names.of(tensor) or "the tensor"
        if not tensor.requires_grad:
            return self.of_a_constant(tensor)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gradient = tensor.grad
        if gradient is not None:
            return self._of_a_gradient(tensor, gradient, loss, name)
        if tensor.grad_fn is not None and not tensor.retains_grad:
            return self._of_a_result(tensor, name)
        if tensor.grad_fn is not None and _is_released(tensor if loss is None else loss):
            text = "it is not a leaf, and retain_grad() was called only after backward() had passed it"
            return Cause("non-leaf", name, text, called_above(f"{name}.retain_grad()"))
        return self.of_a_leaf(tensor, loss, name)

    # ---- tensors that do not require a gradient

    def of_a_constant(self, tensor: Tensor) -> Cause:
        """Where a value without history lost it."""
        name = self.names.of(tensor) or "the tensor"
        if tensor._cut is not None:
            by, line = tensor._cut
            return _cut_cause(name, by, line_of(line))
        owner = self.names.modules.get(name.rpartition(".")[0])
        if owner is not None and name.rpartition(".")[2] in owner._buffers:
            text = "it is a buffer of its module: part of its state, but not trained"
            cure = f"if it is to be trained, self.{name.rpartition('.')[2]} = nn.Parameter(...)"
            return Cause("not asked for", name, text, self._made(tensor), cure)
        if owner is not None and name.rpartition(".")[2] in owner._parameters:
            line, cure = freezing() or self._made(tensor), f"if it is to be trained, {name}.requires_grad_()"
            return Cause("not asked for", name, "it is a parameter that was frozen (requires_grad=False)", line, cure)
        departure = self._read(tensor, name, backwards=True)
        if departure is not None:
            return _departure_cause(name, departure, "what it was calculated from")
        frozen = self._frozen(name)
        if frozen is not None:
            return frozen
        if not (tensor.is_floating_point() or tensor.is_complex()):
            kind = str(tensor.dtype).rpartition(".")[2]
            return Cause("integer cast", name, f"it is of dtype {kind}, and only floating dtypes have gradients")
        text = "it was made without requires_grad=True, and not calculated from a tensor that has it"
        return Cause("not asked for", name, text, self._made(tensor))

    def _frozen(self, name: str) -> Cause | None:
        """A network whose parameters are all frozen, if the value came out of it."""
        made = made_at(name)
        for path, module in self.names.modules.items():
            parameters = [] if "." in path else list(module.parameters())
            called = made is not None and f"{path}(" in made.text
            if parameters and called and not any(p.requires_grad for p in parameters):
                text = f"it was calculated by {path}, whose parameters are all frozen (requires_grad=False)"
                return Cause("not asked for", name, text, freezing() or made)
        return None

    # ---- results

    def _of_a_result(self, tensor: Tensor, name: str) -> Cause:
        node = tensor.grad_fn
        line = line_at(node._code)
        leaf = _first_leaf(node)
        known = None if leaf is None else self.names.of(leaf)
        whose = f", calculated from the leaf {known}" if known else ""
        text = f"it is not a leaf: it is the result of {operation_name(node.operation)}{whose}, and "
        advice = None
        if line is not None and re.search(rf"\b{re.escape(name)}\b.*=.*\b{re.escape(name)}\b", line.text):
            advice = f"if {name} is to be changed and to stay a leaf, write into it within no_grad()"
            advice += f" ({name} -= ..., {name}.copy_(...)); else call retain_grad() before backward()"
        return Cause("non-leaf", name, f"{text}backward() fills .grad of leaves only", line, advice)

    # ---- leaves

    def of_a_leaf(self, leaf: Tensor, loss: Tensor | None, name: str) -> Cause:
        """Why no gradient came to a leaf."""
        results = [loss] if loss is not None else living_tensors()
        reached = [t for t in results if t.requires_grad and t.grad_fn is not None and reaches(t, leaf)]
        cleared = line_of(leaf._cleared)
        if cleared is not None and (reached or loss is None):
            return Cause("cleared", name, "its gradient was there and was cleared", cleared)
        if reached and loss is not None:
            text = "the loss depends on it, but backward() has not run"
            return Cause("backward not called", name, text, line_at(reached[0].grad_fn._code))
        departure = self._read(leaf, name)
        if departure is not None and not reached:
            return _departure_cause(name, departure)
        if loss is None:
            return self._without_loss(leaf, name, reached, departure)
        return self._not_reached(leaf, loss, name)

    def _without_loss(self, leaf: Tensor, name: str, reached: list[Tensor], departure: Departure | None) -> Cause:
        if not reached:
            return Cause("never used", name, "nothing was calculated from it", self._made(leaf))
        newest = max(reached, key=lambda t: t.grad_fn._sequence_nr())
        if departure is not None and newest.numel() != 1:
            return _departure_cause(name, departure)
        shown = self.names.of(newest) or newest.grad_fn.operation
        line = line_at(newest.grad_fn._code)
        if backward_call() is not None and not any(_is_released(t) for t in reached):
            text = f"backward() was called, but not on {shown}, which was calculated from it"
            return Cause("output not used", name, text, line)
        text = f"{shown} was calculated from it, but backward() has not run on that"
        return Cause("backward not called", name, text, line)

    def _not_reached(self, leaf: Tensor, loss: Tensor, name: str) -> Cause:
        users = [t for t in living_tensors() if reaches(t, leaf)]
        if users:
            newest = max(users, key=lambda t: t.grad_fn._sequence_nr())
            line = line_at(newest.grad_fn._code)
            shown = self.names.of(newest) or newest.grad_fn.operation
            text = f"{shown} was calculated from it, but {self.names.of(loss) or 'the loss'} does not use that"
            return Cause("output not used", name, text, line)
        twin = self._twin(leaf, loss, name)
        if twin is not None:
            text = f"the loss was not calculated from it, but from {twin}, which is another tensor"
            return Cause("never used", name, text, self._made(leaf))
        outcome = self._outcome(leaf)
        asked = assigned_requires_grad(name)
        if outcome is not None and asked is not None and any(n < asked.number for n in outcome.uses):
            text = "it was used before requires_grad was set on it, so what was calculated then knows nothing of it"
            return Cause("not asked for", name, text, asked)
        if outcome is not None and outcome.uses:
            line = _line_in(self._frame_of(leaf), outcome.uses[-1])
            return Cause("output not used", name, "what was calculated from it is not part of the loss", line)
        return Cause("never used", name, "the loss was not calculated from it", self._made(leaf))

    def _twin(self, leaf: Tensor, loss: Tensor, name: str) -> str | None:
        """The same parameter of another module (a deep copy, a new one), if the loss was calculated from that."""
        path = name.partition(".")[2]
        for other in Graph([loss], self.names).leaves if path and loss.grad_fn is not None else ():
            if other.variable and other.variable.partition(".")[2] == path and other.raw.shape == leaf.shape:
                return other.variable
        return None

    # ---- gradients of zeros

    def _of_a_gradient(self, tensor: Tensor, gradient: Tensor, loss: Tensor | None, name: str) -> Cause:
        if gradient.numel() == 0 or bool((gradient != 0).any().item()):
            return Cause("there", name, "it has a gradient")
        written = line_of(gradient._written)
        if written is not None and "zero" in written.text:
            return Cause("cleared", name, "its gradient was set to zero", written)
        results = [loss] if loss is not None else sorted(living_tensors(), key=lambda t: -t.grad_fn._sequence_nr())
        for result in results:
            if result.requires_grad and reaches(result, tensor):
                found = self.saturation(tensor, result)
                if found is not None:
                    return found
        return Cause("saturated", name, "its gradient is exactly zero, and its graph is gone")

    def flow_of(self, loss: Tensor) -> tuple[Graph, Flow]:
        """The graph of a result and the gradients in it."""
        if id(loss) not in self._flows:
            graph = Graph([loss], self.names)
            self._flows[id(loss)] = (loss, graph, Flow(graph, loss, Values(graph)))
        return self._flows[id(loss)][1:]

    def saturation(self, tensor: Tensor, loss: Any) -> Cause | None:
        """The step that makes zeros of a gradient, or None if the gradient is not zero."""
        name = self.names.of(tensor) or "the tensor"
        graph, flow = self.flow_of(loss)
        node = graph.find(tensor)
        gradient = flow.gradient(node) if node else None
        if node is None or (gradient is not None and not _all_zero(gradient)):
            return None
        flat = _where_zero(graph, flow, node)
        if flat is not None and _is_unknown(graph, flow, flat, node):
            text = "its gradient is exactly zero; which step made it so can be told before backward(), not after it"
            return Cause("saturated", name, text, graph.roots[0].line)
        if flat is None:
            return None
        shown = flat.line.expression if flat.line and flat.line.expression else flat.operation
        if flat.operation in _PRODUCTS:
            what = "it" if any(e.producer is node for e in flat.inputs) else "its result"
            text = f"its gradient is exactly zero: what {what} is multiplied with in {shown} is zero throughout"
            return Cause("saturated", name, text, flat.line, _FLAT["mul"])
        text = f"its gradient is exactly zero: {flat.operation} is flat at every element of {shown}"
        return Cause("saturated", name, text, flat.line, _FLAT.get(flat.operation))

    # ---- the user's source

    def _frame_of(self, tensor: Tensor) -> Any:
        name = (self.names.of(tensor) or "").partition(".")[0].partition("[")[0]
        return next((f for f in user_frames() if name in variables(f)), None)

    def _outcome(self, tensor: Tensor) -> Outcome | None:
        name, frame = self.names.of(tensor), self._frame_of(tensor)
        if name is None or frame is None:
            return None
        base = name.partition(".")[0].partition("[")[0]
        owner = variables(frame)[base]
        if id(owner) in self.names.of_modules:
            inside = read_forward(owner, name.partition(".")[2].partition(".")[0])
            if inside is not None and (inside.departures or not inside.returned):
                return inside
            return read_frame(frame, base)
        outcome = read_frame(frame, name)
        return outcome if outcome and (outcome.uses or base == name) else read_frame(frame, base)

    def _read(self, tensor: Tensor, name: str, backwards: bool = False) -> Departure | None:
        if backwards:
            return self._origin(name)
        outcome = self._outcome(tensor)
        return outcome.departures[0] if outcome is not None and outcome.departures else None

    def _origin(self, name: str) -> Departure | None:
        """For a value without history: the first departure of any tensor with a gradient, up to the asking line."""
        for other, tensor in self.names.tensors:
            if tensor.requires_grad and tensor.is_leaf and other != name:
                outcome = self._outcome(tensor)
                if outcome is not None and outcome.departures:
                    return outcome.departures[0]
        return None

    def _made(self, tensor: Tensor) -> Line | None:
        name = self.names.of(tensor)
        return None if name is None else made_at(name)


def _first_leaf(node: Any) -> Tensor | None:
    """One of the leaves that a result was calculated from: that of the first input."""
    while not isinstance(node, Tensor):
        below = [target for target, _ in node._edges if target is not None]
        if not below:
            return None
        node = below[0]
    return node


def _line_in(frame: Any, number: int) -> Line | None:
    if frame is None:
        return None
    file = frame.f_code.co_filename
    return Line(file, number, frame.f_code.co_qualname, linecache.getline(file, number).strip())


def _is_released(tensor: Tensor) -> bool:
    seen, stack = set(), [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or isinstance(node, Tensor) or id(node) in seen:
            continue
        if node._released:
            return True
        seen.add(id(node))
        stack += [target for target, _ in node._edges]
    return False


_READS = {"item()": "item()", "tolist()": "tolist()", "numpy()": "numpy()"}


def _cut_cause(name: str, by: str, line: Line | None) -> Cause:
    if by in _READS:
        return Cause("read out", name, f"its value was read out of the graph by {by}", line)
    if by.startswith("no_grad"):
        return Cause("no_grad", name, "it was calculated while recording was off (no_grad or its kin)", line)
    return Cause("detached", name, f"it left the graph through {by}", line)


def _departure_cause(name: str, d: Departure, what: str = "what was calculated from it") -> Cause:
    words = {
        "detached": f"left the graph through {d.by}",
        "read out": f"was read out of the graph by {d.by}",
        "integer cast": f"was converted to integers by {d.by}",
        "no gradient": f"went through {d.by}, which has no gradient",
        "no_grad": f"was calculated under {d.by}",
    }
    advice = _NEW_TENSORS if d.by.removesuffix("()") in COPIES else None
    return Cause(d.how, name, f"{what} {words[d.how]}", d.line, advice)  # type: ignore[arg-type]


_NEW_TENSORS = "a new tensor has the numbers and not their history; torch.stack() or torch.cat() put tensors together"
_STEPS = "its derivative is 0 everywhere; to train through it as if it were not there, x + ({}(x) - x).detach()"
_BOUNDED = "bring the inputs nearer to 0 (scale the data, smaller weights), where the function is not flat"
_FLAT: dict[str, str] = {  # advice by the operation that makes zeros of a gradient
    **{name: _STEPS.format(f"torch.{name}") for name in ("floor", "ceil", "round", "trunc", "sign")},
    **dict.fromkeys(("tanh", "sigmoid", "softmax", "log_softmax", "erf"), _BOUNDED),
    **dict.fromkeys(
        ("clamp", "clamp_min", "clamp_max", "hardtanh", "relu6", "maximum", "minimum"),
        "bring the inputs between the bounds; where all are beyond, there is nothing to learn from",
    ),
    "mul": "make the other factor something else than zero: random initial weights, a mask that lets some through, "
    "dropout below 1",
}


def _all_zero(t: Tensor) -> bool:
    return not bool((t != 0).any().item())


_PRODUCTS = {"linear", "mm", "mv", "bmm", "matmul", "addmm", "convolution", "mul", "dot", "baddbmm"}


def _can_be_flat(node: Node) -> bool:
    return node.raw._operands is not None or node.operation in ("softmax", "log_softmax", "masked_fill")


def _leading(graph: Graph, leaf: Node) -> set[int]:
    """The nodes that depend on a leaf, and it."""
    leads = {leaf.index}
    for node in graph.nodes:
        if any(e.producer.index in leads for e in node.inputs):
            leads.add(node.index)
    return leads


def _is_unknown(graph: Graph, flow: Flow, node: Node, leaf: Node) -> bool:
    """Whether a freed step was only the first of which is not known what it sent."""
    leads = _leading(graph, leaf)
    sent = [flow.contribution(e) for e in node.inputs if e.producer.index in leads]
    return node.released and not _can_be_flat(node) and any(s is None for s in sent)


def _where_zero(graph: Graph, flow: Flow, leaf: Node) -> Node | None:
    """From the result down, the first step on the way to a leaf that gets a gradient and sends zeros only."""
    leads = _leading(graph, leaf)
    for node in reversed(graph.nodes):
        arriving = flow.gradient(node)
        if node.index not in leads or node.is_leaf or arriving is None or _all_zero(arriving):
            continue
        sent = [flow.contribution(e) for e in node.inputs if e.producer.index in leads]
        if sent and all(s is None or _all_zero(s) for s in sent):
            return node
    return None
