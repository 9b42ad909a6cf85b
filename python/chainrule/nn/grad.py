"""Gradients of convolutions as functions, as torch.nn.grad has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd import grad
from ..autograd.grad_mode import enable_grad
from .functional import conv1d, conv2d, conv3d

_CONVOLUTIONS = {1: conv1d, 2: conv2d, 3: conv3d}


def _gradient(dims: int, wanted: int, input: Tensor, weight: Tensor, grad_output: Tensor, options: tuple) -> Tensor:
    with enable_grad():
        leaves = [input.detach(), weight.detach()]
        leaves[wanted]._as_leaf()
        stride, padding, dilation, groups = options
        output = _CONVOLUTIONS[dims](*leaves, None, stride, padding, dilation, groups)
        return grad(output, leaves[wanted], grad_output)[0]


def _functions_for(dims: int) -> tuple[Any, Any]:
    def of_input(
        input_size: Sequence[int],
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """The gradient of a convolution's input, which has the size input_size."""
        input = _core.functions["zeros"](list(input_size), dtype=weight.dtype, device=weight.device)
        return _gradient(dims, 0, input, weight, grad_output, (stride, padding, dilation, groups))

    def of_weight(
        input: Tensor,
        weight_size: Sequence[int],
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """The gradient of a convolution's weight, which has the size weight_size."""
        weight = _core.functions["zeros"](list(weight_size), dtype=input.dtype, device=input.device)
        return _gradient(dims, 1, input, weight, grad_output, (stride, padding, dilation, groups))

    of_input.__name__, of_weight.__name__ = f"conv{dims}d_input", f"conv{dims}d_weight"
    return of_input, of_weight


conv1d_input, conv1d_weight = _functions_for(1)
conv2d_input, conv2d_weight = _functions_for(2)
conv3d_input, conv3d_weight = _functions_for(3)
