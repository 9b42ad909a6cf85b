"""The doctor looks at how the loss is calculated: shapes, activations, targets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .findings import Finding
from .graph import Graph, Node
from .names import Names
from .values import Values

__all__ = ["in_the_loss"]

_SOFT = {"softmax", "sigmoid"}  # log_softmax before cross_entropy changes nothing
_MADE_BY_HAND = {"unsqueeze", "expand", "index", "view", "reshape"}  # who writes [:, None] means it
_VIEWS = {"view", "reshape", "squeeze", "unsqueeze", "flatten", "transpose", "permute", "t", "clone", "select", "slice"}
_DIFFERENCES = {"sub", "rsub", "sub_scaled", "mul", "add", "eq", "logsigmoid"}
_LOSSES = {"mse_loss", "smooth_l1_loss", "huber_loss"}
_OF_LOGITS = {"logsigmoid", "binary_cross_entropy_with_logits"}
_PENALTIES = {"square", "pow", "abs", "mean", "sum", "smooth_l1", "huber", "sqrt", "log", "neg", "where"}


_PROBABILITIES = {"binary_cross_entropy", "binary_cross_entropy_with_logits"}


def in_the_loss(loss: Tensor, graph: Graph, names: Names) -> Iterator[Finding]:
    """Mistakes that the graph of the loss shows."""
    yield from _shape(loss, graph.roots[0])
    yield from _broadcasts(graph, names)
    yield from _softmaxes(graph, Values(graph))
    yield from _labels(graph)
    yield from _own_targets(graph)
    yield from _written_twice(graph)


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
        named = {tuple(t.shape) for t in _named_in(node, names)} & {(size,), (size, 1), (1, size), (size, size)}
        if shapes == {(size,)} and not named:  # a variable of a function that has ended: a column, or a matrix
            known = {tuple(t.shape) for _, t in names.tensors}
            return _is_of_two_names(node) and _was_a_column(node.inputs[0].producer) and (size, size) not in known
        shapes |= named
        wanted = {(size, 1), (size,)}
        return shapes <= wanted and ((size, 1) in shapes or len(shapes) == 2)
    return shapes == {(size, 1), (size,)}


def _named_in(node: Node, names: Names) -> list[Tensor]:
    """The tensors that the node's line mentions."""
    said = (node.line.expression or node.line.text) if node.line else ""
    words = set(re.findall(r"[A-Za-z_][\w.]*", said))
    return [tensor for name, tensor in names.tensors if name in words]


def _was_a_column(node: Node) -> bool:
    """Whether (N, 1) was made (N,): a prediction of one number for each sample."""
    above = {e.producer.outputs[e.output].shape for e in node.inputs} if node.operation in _VIEWS else set()
    return above == {(*node.shape, 1)}


def _is_of_two_names(node: Node) -> bool:
    said = node.line.expression if node.line else None
    return bool(said and re.fullmatch(r"[A-Za-z_][\w.]*\s*-\s*[A-Za-z_][\w.]*", said))


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
            kind = "sigmoid twice" if below.operation == "sigmoid" else "softmax twice"
            text = "binary_cross_entropy_with_logits takes scores and applies sigmoid itself, "
            text += f"but {below.operation} was applied before"
            yield Finding(kind, text, "give it the scores as they are", below.line)


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


def _labels(graph: Graph) -> Iterator[Finding]:
    """Targets of a binary loss that are no probabilities: cross_entropy itself raises, this one does not."""
    for node in graph.nodes:
        kept = {s.name: s.value for s in node.saved} if node.operation in _PROBABILITIES else {}
        target = kept.get("target")
        if target is None or target.numel() == 0:
            continue
        low, high = target.min().item(), target.max().item()
        if low < 0 or high > 1:
            text = f"{node.operation} takes targets from 0 to 1, but they go from {low:g} to {high:g}"
            cure = "make 0 and 1 of the two classes; for more of them use cross_entropy"
            yield Finding("labels out of range", text, cure, node.line)


def _own_targets(graph: Graph) -> Iterator[Finding]:
    """reward + 0.9 * q(next): a target that depends on what is trained is to be held fixed."""
    for node in graph.nodes:
        if node.operation not in {*_LOSSES, "sub"} or len(node.inputs) != 2:
            continue
        sides = [_through_views(e.producer) for e in node.inputs]
        targets = [side for side in sides if _is_discounted(side)]
        if len(targets) == 1 and _leaves(sides[0]) & _leaves(sides[1]):
            text = f"the target {targets[0].label} is calculated from the parameters that it is a target for, so that "
            text += "they are trained through it too"
            cure = "detach() the target, or calculate it within no_grad(), if it is meant to be held fixed"
            yield Finding("target not detached", text, cure, targets[0].line)
            return


def _is_discounted(node: Node) -> bool:
    """Whether it is a constant plus a number below 1 times a result."""
    if node.operation != "add" or len(node.inputs) != 1:
        return False
    at = _through_views(node.inputs[0].producer)
    for _ in range(3):  # a mask for the last states may be another factor
        if at.operation != "mul" or len(at.inputs) != 1:
            return False
        numbers = [n for n in at.raw._operands[2] if isinstance(n, float)] if at.raw._operands else []
        if any(0 < n < 1 for n in numbers) or any(_is_masked_discount(s.value) for s in at.saved):
            return True
        at = _through_views(at.inputs[0].producer)
    return False


def _is_masked_discount(factor: Tensor | None) -> bool:
    """Whether it is one number below 1, and 0 where an episode has ended."""
    if factor is None or factor.requires_grad or not factor.is_floating_point() or factor.numel() == 0:
        return False
    with no_grad():
        low, high = factor.min().item(), factor.max().item()
        return low >= 0 and 0 < high < 1 and bool(((factor == high) | (factor == 0)).all().item())


def _leaves(node: Node) -> set[int]:
    """The leaves that a result was calculated from."""
    found, stack, seen = set(), [node], {node.index}
    while stack:
        at = stack.pop()
        if at.is_leaf:
            found.add(at.index)
        for e in at.inputs:
            if e.producer.index not in seen:
                seen.add(e.producer.index)
                stack.append(e.producer)
    return found
