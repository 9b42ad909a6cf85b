"""Linear and bilinear layers."""

from __future__ import annotations

import math
from typing import Any

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, UninitializedParameter, fresh
from .lazy import LazyModuleMixin
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Gives its input back; takes any arguments, so that it can stand in for any layer.

    >>> torch.nn.Identity()(torch.tensor([1., 2.]))
    tensor([1., 2.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input."""
        return input


class Linear(Module):
    """x @ weight.T + bias, over the last dimension.

    Args:
        in_features: the last dimension of the input.
        out_features: that of the output.
        bias: whether to add one.

    >>> layer = torch.nn.Linear(3, 2)
    >>> layer(torch.ones(4, 3)).shape
    torch.Size([4, 2])
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = fresh(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", fresh(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters: uniform between -1 and 1 over the root of in_features."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The product."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """Linear by another name: the type of MultiheadAttention.out_proj in PyTorch."""


class LazyLinear(LazyModuleMixin, Linear):
    """Linear that takes in_features from its first input.

    >>> layer = torch.nn.LazyLinear(2)
    >>> layer(torch.ones(4, 3)).shape, layer.weight.shape
    (torch.Size([4, 2]), torch.Size([2, 3]))
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws the parameters, once their shapes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Takes in_features from the input."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))  # type: ignore[attr-defined]
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))  # type: ignore[attr-defined]
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k] for each output k.

    Args:
        in1_features, in2_features: the last dimensions of the two inputs.
        out_features: that of the output.
        bias: whether to add one.

    >>> torch.nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
    torch.Size([5, 4])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = fresh(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", fresh(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters: uniform between -1 and 1 over the root of in1_features."""
        if self.in1_features <= 0:
            raise at_call(ValueError, f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The products."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )
