"""Padding as modules."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from ..sizes import _ntuple
from .module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _ConstantPadNd(Module):
    _spatial: int

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Adds a constant to both ends of the last dimension: (left, right).

    >>> torch.nn.ConstantPad1d((1, 2), 9)(torch.tensor([[1, 2]]))
    tensor([[9, 1, 2, 9, 9]])
    """

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Adds a constant around the last two dimensions: (left, right, top, bottom).

    >>> torch.nn.ConstantPad2d(1, 0)(torch.tensor([[5]]))
    tensor([[0, 0, 0],
            [0, 5, 0],
            [0, 0, 0]])
    """

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Adds a constant around the last three dimensions: (left, right, top, bottom, front, back).

    >>> torch.nn.ConstantPad3d(1, 0.)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _spatial = 3


class ZeroPad1d(ConstantPad1d):
    """Adds zeros to both ends of the last dimension.

    >>> torch.nn.ZeroPad1d(1)(torch.tensor([[1, 2]]))
    tensor([[0, 1, 2, 0]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Adds zeros around the last two dimensions.

    >>> torch.nn.ZeroPad2d(1)(torch.tensor([[5]]))
    tensor([[0, 0, 0],
            [0, 5, 0],
            [0, 0, 0]])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Adds zeros around the last three dimensions.

    >>> torch.nn.ZeroPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _PadNd(Module):
    """Padding that is taken from the input itself."""

    _spatial: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._spatial)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_PadNd):
    """What the three have in common."""


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors the input at both ends of the last dimension.

    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    _spatial, _mode = 1, "reflect"


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors the input at the ends of the last two dimensions.

    >>> torch.nn.ReflectionPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _spatial, _mode = 2, "reflect"


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors the input at the ends of the last three dimensions.

    >>> torch.nn.ReflectionPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _spatial, _mode = 3, "reflect"


class _ReplicationPadNd(_PadNd):
    """What the three have in common."""


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the first and last element of the last dimension.

    >>> torch.nn.ReplicationPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[1., 1., 2., 3., 3.]])
    """

    _spatial, _mode = 1, "replicate"


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the outermost elements of the last two dimensions.

    >>> torch.nn.ReplicationPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _spatial, _mode = 2, "replicate"


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the outermost elements of the last three dimensions.

    >>> torch.nn.ReplicationPad3d(1)(torch.ones(1, 3, 3, 3)).shape
    torch.Size([1, 5, 5, 5])
    """

    _spatial, _mode = 3, "replicate"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (self._spatial + 1, self._spatial + 2):
            low = self._spatial + 1
            raise at_call(ValueError, f"expected {low}D or {low + 1}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Continues the last dimension from its other end.

    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1, 2, 3]]))
    tensor([[3, 1, 2, 3, 1]])
    """

    _spatial = 1


class CircularPad2d(_CircularPadNd):
    """Continues the last two dimensions from their other ends.

    >>> torch.nn.CircularPad2d(1)(torch.tensor([[[1, 2], [3, 4]]]))
    tensor([[[4, 3, 4, 3],
             [2, 1, 2, 1],
             [4, 3, 4, 3],
             [2, 1, 2, 1]]])
    """

    _spatial = 2


class CircularPad3d(_CircularPadNd):
    """Continues the last three dimensions from their other ends.

    >>> torch.nn.CircularPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _spatial = 3
