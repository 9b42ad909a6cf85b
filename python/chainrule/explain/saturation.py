"""Gradients of zeros: the step that is flat, or multiplies with zero."""

from __future__ import annotations

from .._core import Tensor
from .causes import Cause
from .flow import Flow
from .graph import Graph, Node
from .names import Names
from .values import Values

__all__ = ["Saturation"]


class Saturation:
    """Looks in the graphs of results for the step that makes zeros of a gradient."""

    def __init__(self, names: Names):
        self.names = names
        self._flows: dict[int, tuple[Tensor, Graph, Flow]] = {}  # by result: one pass answers for all parameters

    def flow_of(self, loss: Tensor) -> tuple[Graph, Flow]:
        """The graph of a result and the gradients in it."""
        if id(loss) not in self._flows:
            graph = Graph([loss], self.names)
            self._flows[id(loss)] = (loss, graph, Flow(graph, loss, Values(graph)))
        return self._flows[id(loss)][1:]

    def saturation(self, tensor: Tensor, loss: Tensor) -> Cause | None:
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
        arriving = flow.gradient(flat)
        if arriving is not None and any(e.producer is node for e in flat.inputs) and _cancels(arriving, tensor):
            text = (
                f"its gradient is exactly zero: what arrives at {shown} sums to zero, so the loss does not depend on it"
            )
            return Cause("cancelled", name, text, flat.line)
        if flat.operation in _PRODUCTS:
            what = "it" if any(e.producer is node for e in flat.inputs) else "its result"
            text = f"its gradient is exactly zero: what {what} is multiplied with in {shown} is zero throughout"
            return Cause("saturated", name, text, flat.line, _FLAT["mul"])
        text = f"its gradient is exactly zero: {flat.operation} is flat at every element of {shown}"
        return Cause("saturated", name, text, flat.line, _FLAT.get(flat.operation))


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


def _cancels(arriving: Tensor, tensor: Tensor) -> bool:
    """Whether what is added to all rows gets the sum of their gradients, and that is zero."""
    rows = arriving.shape[arriving.ndim - tensor.ndim :]
    return tensor.ndim < arriving.ndim and rows == tensor.shape and _all_zero(arriving.sum_to_size(tensor.shape))


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
