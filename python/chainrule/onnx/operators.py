"""torch.onnx.operators: shapes as tensors, which an export can follow."""

from __future__ import annotations

from .._core import Tensor, functions, int64

__all__ = ["reshape_from_tensor_shape", "shape_as_tensor"]


def shape_as_tensor(x: Tensor) -> Tensor:
    """The sizes of a tensor."""
    return functions["tensor"](list(x.shape), dtype=int64)


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """x.reshape with the sizes that a tensor holds."""
    return x.reshape(shape.tolist())
