"""Normalisation that does not look at the batch."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, fresh
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


def _shape_of(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Module):
    """The last dimensions normalised together.

    Args:
        normalized_shape: the shape of the last dimensions.
        eps: added to the variance.
        elementwise_affine: whether there is a weight (and, bias: a bias) for each element.

    >>> torch.nn.LayerNorm(2)(torch.tensor([[1., 3.]])).detach()
    tensor([[-1.0000,  1.0000]])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = shape = _shape_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        affine = elementwise_affine
        self.register_parameter("weight", fresh(*shape, device=device, dtype=dtype) if affine else None)
        self.register_parameter("bias", fresh(*shape, device=device, dtype=dtype) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The last dimensions divided by the root of the mean of their squares.

    Args:
        normalized_shape: the shape of the last dimensions.
        eps: added to the mean; the dtype's epsilon if it is not given.
        elementwise_affine: whether there is a weight for each element.

    >>> torch.nn.RMSNorm(2)(torch.tensor([[3., 4.]])).detach()
    tensor([[0.8485, 1.1314]])
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = shape = _shape_of(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", fresh(*shape, device=device, dtype=dtype) if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weights to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Groups of channels normalised together, each example for itself.

    Args:
        num_groups: how many groups the channels are cut into.
        num_channels: how many channels there are.
        eps: added to the variance.
        affine: whether there is a weight (and, bias: a bias) for each channel.

    >>> torch.nn.GroupNorm(2, 4)(torch.ones(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise at_call(ValueError, f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self.register_parameter("weight", fresh(num_channels, device=device, dtype=dtype) if affine else None)
        self.register_parameter("bias", fresh(num_channels, device=device, dtype=dtype) if affine and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """The input divided by a power of the mean square of neighbouring channels.

    >>> torch.nn.LocalResponseNorm(2)(torch.ones(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm for (N, C, H, W) by its old name, with the old one's window.

    The window of channel c ends (size - 1) // 2 channels after it. It should begin as many before it, but PyTorch
    never takes channel 0 out again, and so it is here.

    >>> torch.nn.CrossMapLRN2d(2)(torch.ones(1, 4, 3, 3)).shape
    torch.Size([1, 4, 3, 3])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != 4:
            raise at_call(ValueError, f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        reach = int((self.size - 1) / 2 + 1)
        channel = _core.functions["arange"](input.shape[1])
        behind = channel.unsqueeze(1) - channel
        counts = (behind > -reach) & ((behind < reach) | (channel == 0) | (channel.unsqueeze(1) <= reach))
        sums = counts.to(input.dtype) @ input.square().flatten(2)
        scale = sums.reshape(input.shape) * (self.alpha / self.size) + self.k
        return input * scale.pow(-self.beta)
