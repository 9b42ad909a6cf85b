"""An ONNX graph while it is being written: nodes, initializers, and which name each tensor of a program has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._core import Tensor, dtype

__all__ = ["Array", "GraphWriter", "array_of", "numpy_module"]


def numpy_module() -> Any:
    """NumPy, which the onnx package needs as well."""
    import numpy

    return numpy


class Array(NamedTuple):
    """A tensor of the graph: its name in ONNX, and what is known of it."""

    name: str
    shape: tuple[int, ...]
    dtype: dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


class GraphWriter:
    """Collects what the file will have."""

    def __init__(self, opset: int) -> None:
        from onnx import TensorProto, helper

        self.helper, self.kinds = helper, TensorProto
        self.opset = opset
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self._known: dict[tuple, str] = {}
        self._count = 0

    def fresh(self, text: str) -> str:
        """A name that is not in use."""
        self._count += 1
        return f"{text}_{self._count}"

    def op(self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        """Adds a node; the names of its results. An input that is not given is ''."""
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        given = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append(self.helper.make_node(kind, list(inputs), names, domain=domain, **given))
        return names[0] if outputs == 1 else names

    def ints(self, values: Sequence[int] | int) -> str:
        """A constant of int64."""
        return self.constant(numpy_module().asarray(values, "int64"))

    def like(self, value: float, other: Array) -> str:
        """A constant number of a tensor's dtype."""
        return self.constant(numpy_module().asarray(value, numpy_name(other.dtype)))

    def constant(self, array: Any) -> str:
        """A constant, the same name for the same content."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = self.initializer(self.fresh("constant"), array)
        return self._known[key]

    def initializer(self, name: str, array: Any) -> str:
        """A tensor that the file keeps."""
        from onnx import numpy_helper

        self.initializers[name] = numpy_helper.from_array(array, name)
        return name

    def cast(self, name: str, to: dtype) -> str:
        """The tensor with another dtype."""
        return self.op("Cast", name, to=self.kind(to))

    def kind(self, of: dtype) -> int:
        """ONNX's number of a dtype."""
        return self.helper.np_dtype_to_tensor_dtype(numpy_module().dtype(numpy_name(of)))


def numpy_name(of: dtype) -> str:
    """NumPy's name of a dtype."""
    name = str(of).removeprefix("torch.")
    if name == "bfloat16":
        raise NotImplementedError("torch.onnx.export: chainrule writes no bfloat16; convert the model with .float()")
    return name


def array_of(tensor: Tensor) -> Any:
    """A tensor's values for a file."""
    return tensor.detach().contiguous().numpy()
