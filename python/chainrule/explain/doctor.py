"""doctor(model, loss): silent mistakes that train badly and raise nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .assigned import assignment
from .edges import reaches
from .graph import Graph, Node
from .inquiry import Inquiry
from .names import Names, user_frames, variables
from .reading import backward_call, called_above
from .registration import unregistered
from .source import Line
from .values import Values

__all__ = ["Doctor", "Finding", "doctor"]

Mistake = Literal[
    "not registered",
    "broadcast in the loss",
    "not in the optimiser",
    "not zeroed",
    "softmax twice",
    "no log-softmax",
    "accumulation not scaled",
    "no path to the loss",
    "loss is no scalar",
    "nothing trains",
    "zero gradient",
    "evaluation mode",
    "written twice",
]

_SOFT = {"softmax", "sigmoid"}  # log_softmax before cross_entropy changes nothing
_MADE_BY_HAND = {"unsqueeze", "expand", "index", "view", "reshape"}  # who writes [:, None] means it
_VIEWS = {"view", "reshape", "squeeze", "unsqueeze", "flatten", "transpose", "permute", "t", "clone", "select", "slice"}
_DIFFERENCES = {"sub", "rsub", "sub_scaled", "mul", "add", "eq", "logsigmoid"}
_LOSSES = {"mse_loss", "smooth_l1_loss", "huber_loss"}
_OF_LOGITS = {"logsigmoid", "binary_cross_entropy_with_logits"}
_PENALTIES = {"square", "pow", "abs", "mean", "sum", "smooth_l1", "huber", "sqrt", "log", "neg", "where"}


@dataclass(frozen=True, repr=False)
class Finding:
    """One mistake, with its line and what to do."""

    mistake: Mistake
    text: str
    cure: str
    line: Line | None = None

    def __str__(self) -> str:
        where = f"\n  here: {self.line}" if self.line and self.line.can_be_found else ""
        return f"{self.mistake}: {self.text}.{where}\n  What to do: {self.cure}."

    __repr__ = __str__


class Doctor(list[Finding]):
    """What was found; empty: nothing."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "Nothing found."

    __repr__ = __str__


def doctor(model: Any, loss: Tensor, optimizer: Any = None, accumulate: int = 1) -> Doctor:
    """Looks for silent mistakes. Best asked after the forward pass and before backward().

    `accumulate` is the number of backward passes per step of the optimiser.
    """
    names = Names()
    found = Doctor(_registration(model, names))
    if not loss.requires_grad or loss.grad_fn is None:
        found.append(_untrained(loss, names))
        return found
    inquiry = Inquiry(names)
    graph, _ = inquiry.flow_of(loss)
    found += _shape(loss, graph.roots[0])
    found += _broadcasts(graph, names)
    found += _softmaxes(graph, Values(graph))
    found += _written_twice(graph)
    found += _optimiser(model, optimizer, names)
    found += _accumulation(model, graph, accumulate, names)
    found += _evaluating(model, loss, names)
    found += _unreached(model, loss, inquiry)
    found += _zeros(model, loss, inquiry)
    return found


def _registration(model: Any, names: Names) -> Iterator[Finding]:
    for cause in unregistered(model, names):
        yield Finding("not registered", f"{cause.name}: {cause.text}", cause.cure, cause.line)


def _untrained(loss: Tensor, names: Names) -> Finding:
    cause = Inquiry(names).of_a_constant(loss)
    if loss.requires_grad:
        text = f"the loss is a leaf, requires_grad was set on it by hand: {cause.text}"
        return Finding("nothing trains", text, "calculate the loss without leaving the graph", cause.line)
    return Finding("nothing trains", f"the loss has no graph: {cause.text}", cause.cure, cause.line)


def _shape(loss: Tensor, root: Node) -> Iterator[Finding]:
    if loss.numel() != 1:
        text = f"the loss has shape {list(loss.shape)}, and backward() needs one number"
        yield Finding("loss is no scalar", text, "reduce it with mean() or sum()", root.line)


def _broadcasts(graph: Graph, names: Names) -> Iterator[Finding]:
    """(N, 1) against (N,): every prediction is compared with every target."""
    for node in graph.nodes:
        rows = _rows_against_columns(node, names)
        if rows > 1:
            text = f"{node.label} compares ({rows}, 1) with ({rows},), which makes ({rows}, {rows}) of it"
            cure = "give both one shape: prediction.squeeze(1) or target[:, None]"
            yield Finding("broadcast in the loss", text, cure, node.line)
            return


def _rows_against_columns(node: Node, names: Names) -> int:
    """N where a part of the loss compares (N, 1) with (N,), else 0."""
    if node.operation in _LOSSES:
        shapes = sorted(tuple(kept.shape) for _, kept, *_ in node.raw._peek_saved() if kept is not None)
        return shapes[0][0] if len(shapes) == 2 and shapes[1] == (*shapes[0], 1) and len(shapes[0]) == 1 else 0
    if node.is_leaf or node.raw._operands is None or node.operation not in _DIFFERENCES or len(node.shape) != 2:
        return 0
    rows, columns = node.shape
    return rows if rows == columns and _column_meets_row(node, names) and _is_penalty(node) else 0


def _column_meets_row(node: Node, names: Names) -> bool:
    """Whether one operand is (N, 1), without that its dimension was asked for, and the other (N,)."""
    size = node.shape[0]
    if any(e.producer.operation in _MADE_BY_HAND and e.producer.shape == (size, 1) for e in node.inputs):
        return False
    kept = [tuple(s.value.shape) for s in node.saved if s.value is not None and not s.is_output]
    shapes = {*kept, *(e.producer.outputs[e.output].shape for e in node.inputs)}
    if len(shapes) == 1 and len(node.inputs) == 1:  # the other one was not kept: the line may name it
        shapes |= {tuple(t.shape) for t in _named_in(node, names)} & {(size,), (size, 1), (1, size), (size, size)}
        wanted = {(size, 1), (size,)}
        return shapes <= wanted and ((size, 1) in shapes or len(shapes) == 2)
    return shapes == {(size, 1), (size,)}


def _named_in(node: Node, names: Names) -> list[Tensor]:
    """The tensors that the node's line mentions."""
    words = set(re.findall(r"[A-Za-z_][\w.]*", node.line.text if node.line else ""))
    return [tensor for name, tensor in names.tensors if name in words]


def _is_penalty(node: Node) -> bool:
    at = node
    for _ in range(4):
        if not at.uses:
            return False
        at = at.uses[0].consumer
        if at.operation in _PENALTIES:
            return True
    return False


def _softmaxes(graph: Graph, values: Values) -> Iterator[Finding]:
    for node in graph.nodes:
        if node.is_leaf or not node.inputs:
            continue
        below = _through_views(node.inputs[0].producer)
        if node.operation == "cross_entropy" and below.operation in _SOFT:
            text = f"cross_entropy takes scores and applies softmax itself, but {below.operation} was applied before"
            yield Finding("softmax twice", text, "give it the scores as they are", below.line)
        elif node.operation.startswith("nll_loss") and not _are_log_probabilities(values.of(below), below):
            text = f"nll_loss takes log-probabilities, but gets the result of {below.operation}"
            yield Finding("no log-softmax", text, "apply log_softmax, or use cross_entropy on the scores", node.line)
        elif node.operation in _OF_LOGITS and below.operation in _SOFT:
            text = f"binary_cross_entropy_with_logits takes scores, but {below.operation} was applied before"
            yield Finding("softmax twice", text, "give it the scores as they are", below.line)


def _are_log_probabilities(value: Tensor | None, node: Node) -> bool:
    """By their values, if these are known: nothing above 0, and the probabilities of a sample sum to 1."""
    if value is None or value.ndim == 0:
        return node.operation in ("log_softmax", "log")
    with no_grad():
        sums = value.double().exp().sum(1 if value.ndim > 1 else 0)
        return bool((value <= 1e-6).all().item()) and bool(((sums - 1).abs() < 0.02).all().item())


_REPLACING = {"scatter", "index_put", "index_copy"}


def _written_twice(graph: Graph) -> Iterator[Finding]:
    """Where several values are written to one place the last stays, but the gradient reaches all of them."""
    for node in graph.nodes:
        if node.is_leaf or node.operation not in _REPLACING or graph.released or node.raw._edges[1][0] is None:
            continue  # also where the values that are written have no gradient
        if node.line is not None and ("accumulate" in node.line.text or "reduce" in node.line.text):
            continue  # they are added, or combined otherwise
        index = [kept for _, kept, *_ in node.raw._peek_saved() if kept is not None and not kept.is_floating_point()]
        if not index or any(t.ndim != 1 or len(t) != len(index[0]) for t in index):
            continue
        places = list(zip(*(t.tolist() for t in index), strict=True))
        repeated = next((p for i, p in enumerate(places) if p in places[:i]), None)
        if repeated is not None:
            place = repeated[0] if len(repeated) == 1 else list(repeated)
            text = f"{node.operation} writes more than one value at index {place}; the last one stays, but the gradient"
            text += " reaches all of them, as in PyTorch"
            cure = "write to each place once, or add with scatter_add or index_put(..., accumulate=True)"
            yield Finding("written twice", text, cure, node.line)


def _through_views(node: Node) -> Node:
    while not node.is_leaf and node.operation in _VIEWS and len(node.inputs) == 1:
        node = node.inputs[0].producer
    return node


def _optimiser(model: Any, optimizer: Any, names: Names) -> Iterator[Finding]:
    if optimizer is None:
        return
    known = {id(p) for group in optimizer.param_groups for p in group["params"]}
    left_out = [path for path, p in model.named_parameters() if p.requires_grad and id(p) not in known]
    if left_out:
        name = next((f"{n} " for n, o in _variables() if o is optimizer), "")
        shown = ", ".join(left_out[:4]) + (f" and {len(left_out) - 4} more" if len(left_out) > 4 else "")
        text = f"the optimiser {name}does not have {shown}"
        cure = "make it from model.parameters(), after all layers exist"
        yield Finding("not in the optimiser", text, cure, _line_of_variable(optimizer))


def _variables() -> Iterator[tuple[str, Any]]:
    for frame in user_frames():
        yield from variables(frame).items()


def _line_of_variable(value: Any) -> Line | None:
    for frame in user_frames():
        for name, held in variables(frame).items():
            if held is value:
                return assignment(frame, name)
    return None


def _accumulation(model: Any, graph: Graph, accumulate: int, names: Names) -> Iterator[Finding]:
    old = [path for path, p in model.named_parameters() if p.grad is not None and bool((p.grad != 0).any().item())]
    if accumulate > 1 and not _divided_by(graph.roots[0], accumulate):
        text = f"gradients of {accumulate} passes are added, but the loss is not divided by {accumulate}"
        cure = f"(loss / {accumulate}).backward(), as long as the loss is a mean"
        yield Finding("accumulation not scaled", text, cure, graph.roots[0].line)
    elif accumulate == 1 and old and not graph.released:
        text = f"{len(old)} parameters still have gradients of an earlier pass, to which the next backward() adds"
        cure = "zero_grad() in each step, before backward(); doctor(..., accumulate=k) if the sum is meant"
        yield Finding("not zeroed", text, cure, backward_call())


def _divided_by(root: Node, count: int) -> bool:
    """Whether a division by the count, or a multiplication by its inverse, is among the last steps."""
    at = root
    for _ in range(4):
        if at.is_leaf or not at.inputs:
            return False
        recorded = at.raw._operands
        for number in recorded[2] if recorded else ():
            if isinstance(number, float) and number and (abs(number - count) < 1e-6 or abs(number * count - 1) < 1e-6):
                return True
        at = at.inputs[0].producer
    return False


def _unreached(model: Any, loss: Tensor, inquiry: Inquiry) -> Iterator[Finding]:
    trained = [(path, p) for path, p in model.named_parameters() if p.requires_grad]
    left_out = [(path, p) for path, p in trained if not reaches(loss, p)]
    for path, p in left_out[:1] if len(left_out) == len(trained) else left_out:
        cause = inquiry.of_a_leaf(p, loss, path)
        who = "all parameters of the model" if len(left_out) == len(trained) > 1 else path
        yield Finding("no path to the loss", f"{who}: {cause.text}", cause.cure, cause.line)


def _evaluating(model: Any, loss: Tensor, names: Names) -> Iterator[Finding]:
    """model.eval() was called and model.train() was not, though the loss is to be trained with."""
    idle = [type(m).__name__ for m in model.modules() if _behaves_otherwise(m)]
    if model.training or not idle or not any(p.requires_grad and reaches(loss, p) for p in model.parameters()):
        return
    text = f"the model is in evaluation mode, so that {' and '.join(sorted(set(idle))[:4])} do not train"
    cure = "call model.train() before the forward pass; if this loss is only looked at, under no_grad(), all is well"
    name = names.of_modules.get(id(model), "model")
    yield Finding("evaluation mode", text, cure, called_above(f"{name}.eval()"))


def _behaves_otherwise(module: Any) -> bool:
    return bool(getattr(module, "p", 0) and "Dropout" in type(module).__name__) or hasattr(module, "running_mean")


def _zeros(model: Any, loss: Tensor, inquiry: Inquiry) -> Iterator[Finding]:
    """The first parameter whose gradient is exactly zero, and the step that makes it so."""
    graph, flow = inquiry.flow_of(loss)
    if graph.released or loss.numel() != 1:
        return
    for path, p in model.named_parameters():
        node = graph.find(p) if p.requires_grad else None
        gradient = flow.gradient(node) if node else None
        if gradient is not None and not bool((gradient != 0).any().item()):
            cause = inquiry.saturation(p, loss)
            if cause is not None:
                yield Finding("zero gradient", f"{path}: {cause.text}", cause.cure, cause.line)
                return
