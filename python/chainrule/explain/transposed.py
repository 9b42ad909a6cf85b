"""Values of steps from their gradients: what is linear in its inputs is the transpose of what it sends back.

A gradient function is linear in g. Differentiated for g, it gives the step's own matrix, and that times the inputs is
the value, whatever dimensions or indices the step was called with. Steps whose value grows in proportion to their input
(a maximum, a norm) are their derivative times the input too.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import enable_grad
from ..tensor_methods import _add_hook
from .graph import Edge, Node

__all__ = ["transposed_value"]

# All inputs matter, and the value is linear in them together, or grows in proportion to the one that there is.
_NAMES = """
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d alias amax amin as_strided
avg_pool2d avg_pool3d block_diag cat clone col2im cummax cummin cumsum diag diag_embed diagonal
dropout expand flip fractional_max_pool2d fractional_max_pool3d gather im2col index index_add index_copy
index_select kthvalue linalg_vector_norm masked_select max max_pool2d max_pool3d max_unpool2d max_unpool3d median
min mode nanmedian native_dropout nll_loss permute pixel_shuffle pixel_unshuffle repeat reshape roll
scatter_add select select_scatter slice slice_scatter sort split split_with_sizes squeeze stack std t take to topk
trace transpose tril triu unbind unfold unsqueeze upsample view view_as_complex view_as_real
"""
_JOINTLY = frozenset(_NAMES.split())
_SQUARES = {"var"}  # grow with the square: half of the derivative times the input
# Linear in some of the inputs while the others stay: the first of these groups that has a gradient is taken.
_IN_SOME = {
    "convolution": ((0, 2), (1, 2)),  # input and bias, or weight and bias
    "batch_norm": ((1, 2),),
    "layer_norm": ((1, 2),),
    "group_norm": ((1, 2),),
    "rms_norm": ((1,),),
    "scaled_dot_product_attention": ((2,),),
}


def transposed_value(node: Node, output: int, value_of: Callable[[Edge], Tensor | None]) -> Tensor | None:
    """The value of an output; None if the step is not of that kind, or an input is not known.

    To be called within undisturbed(graph).
    """
    edges = _linear_edges(node)
    if edges is None or node.released or node.raw._hooks() or node.raw._prehooks():
        return None
    inputs = [value_of(edge) for edge in edges]
    known = [x for x in inputs if x is not None]
    if len(known) != len(edges):
        return None
    made = node.outputs[output]
    g = _core.functions["zeros"](made.shape, dtype=getattr(_core, made.dtype), requires_grad=True)
    try:
        sent = [part for part in _sent_back(node, output, edges, g) if part is not None and part.requires_grad]
        if len(sent) != len(known) or any(s.shape != x.shape for s, x in zip(sent, known, strict=True)):
            return None
        value = _core.gradients_of(sent, known, [g], False, False)[0]
        return value / 2 if value is not None and node.operation in _SQUARES else value
    except RuntimeError:  # overwritten since, or without a second derivative
        return None


def _linear_edges(node: Node) -> list[Edge] | None:
    """The edges to all inputs that the value is linear in."""
    by_input = {edge.input: edge for edge in node.inputs}
    if node.operation in _JOINTLY or node.operation in _SQUARES:
        return node.inputs if len(by_input) == len(node.raw._edges) else None
    for group in _IN_SOME.get(node.operation, ()):
        there = [i for i in group if i < len(node.raw._edges)]
        if all(i in by_input for i in there):
            return [by_input[i] for i in there]
    return None


class _SeenError(Exception):
    """Ends a backward pass that has told what was asked."""


def _sent_back(node: Node, output: int, edges: list[Edge], g: Tensor) -> list[Tensor | None]:
    """What the node makes of a gradient for some of its inputs, with the history of that."""
    found: list[Tensor | None] = []

    def hook(grad_inputs: tuple, grad_outputs: tuple) -> None:
        found.extend(grad_inputs[edge.input] for edge in edges)
        raise _SeenError

    handle = _add_hook(node.raw._hooks(), hook)
    here = _core.tensor_at(node.raw, output)
    there = [e.producer.raw if e.producer.is_leaf else _core.tensor_at(e.producer.raw, e.output) for e in edges]
    try:
        with enable_grad():
            _core.gradients_of([here], [g], there, True, True)
    except _SeenError:
        pass
    finally:
        handle.remove()
    return found
