"""torch.fx.passes.shape_prop: shapes and dtypes of all values of a graph, found by running it."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core import Size, Tensor, contiguous_format, dtype, memory_format
from ..._core import channels_last as _channels_last
from ..._core import channels_last_3d as _channels_last_3d
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its elements."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    layout = None
    if include_contiguity:
        formats = (contiguous_format, _channels_last, _channels_last_3d)
        fitting = {4: formats[:2], 5: (formats[0], formats[2])}.get(result.ndim, formats[:1])
        layout = next((f for f in fitting if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), layout, False, {})


class ShapeProp(Interpreter):
    """Runs a graph and puts into each node's meta what it gave: `tensor_meta` and `type`.

    >>> traced = torch.fx.symbolic_trace(torch.nn.Linear(3, 4))
    >>> _ = torch.fx.passes.shape_prop.ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> traced.graph.output_node().meta["tensor_meta"].shape
    torch.Size([2, 4])
    """

    def run_node(self, n: Node) -> Any:
        """The value of one node, which is noted."""
        result = super().run_node(n)
        found = False

        def note(value: Any) -> Any:
            nonlocal found
            if isinstance(value, Tensor):
                found = True
                return _extract_tensor_metadata(value)
            return value

        noted = map_aggregate(result, note)
        if found:
            n.meta["tensor_meta"] = noted
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the graph with these inputs."""
        return super().run(*args)
