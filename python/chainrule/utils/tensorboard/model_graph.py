"""A model's graph for TensorBoard: what its outputs are calculated from, in boxes by module."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...autograd.grad_mode import enable_grad
from ...explain.graph import Node, graph
from ...pytree import tree_leaves

__all__ = ["graph_of"]


def graph_of(model: Any, inputs: Any) -> bytes:
    """Runs the model and writes down the operations through which gradients flow, as a GraphDef."""
    from tensorboard.compat.proto.graph_pb2 import GraphDef  # type: ignore[attr-defined]
    from tensorboard.compat.proto.versions_pb2 import VersionDef  # type: ignore[attr-defined]

    given = [_followed(value) for value in (inputs if isinstance(inputs, (tuple, list)) else (inputs,))]
    with enable_grad():
        outputs = [leaf for leaf in tree_leaves(model(*given)) if isinstance(leaf, Tensor) and leaf.requires_grad]
    if not outputs:
        raise ValueError("add_graph: no output of the model depends on a parameter or a floating-point input")
    known = {id(value): f"input/{i}" for i, value in enumerate(given)}
    known |= {id(p): "parameter/" + name.replace(".", "/") for name, p in model.named_parameters()}
    nodes = graph(*outputs).nodes
    names = {node.index: known.get(id(node.raw)) or _name(node) for node in nodes}
    described = [_described(node, names) for node in nodes]
    ends = [_end(i, names[node.index]) for i, node in enumerate(n for n in nodes if not n.uses)]
    return GraphDef(node=described + ends, versions=VersionDef(producer=22)).SerializeToString()


def _followed(value: Any) -> Any:
    is_float = isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
    return value.detach().requires_grad_() if is_float else value


def _name(node: Node) -> str:
    scope = node.module.replace(".", "/") + "/" if node.module else ""
    return f"{scope}{node.operation}_{node.index}"


def _described(node: Node, names: dict[int, str]) -> Any:
    from tensorboard.compat.proto.attr_value_pb2 import AttrValue  # type: ignore[attr-defined]
    from tensorboard.compat.proto.node_def_pb2 import NodeDef  # type: ignore[attr-defined]
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto  # type: ignore[attr-defined]

    shapes = [
        TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in output.shape]) for output in node.outputs
    ]
    return NodeDef(
        name=names[node.index],
        op="Parameter" if node.is_leaf else node.operation,
        input=[names[edge.producer.index] for edge in node.inputs],
        attr={"_output_shapes": AttrValue(list=AttrValue.ListValue(shape=shapes))},
    )


def _end(index: int, name: str) -> Any:
    from tensorboard.compat.proto.node_def_pb2 import NodeDef  # type: ignore[attr-defined]

    return NodeDef(name=f"output/{index}", op="Output", input=[name])
