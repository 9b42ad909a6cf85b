"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from .. import init
from ..parameter import Parameter, UninitializedParameter, fresh
from ..sizes import _ntuple, _reverse_repeat_tuple
from .lazy import LazyModuleMixin
from .module import Module

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_PADDINGS = {"same", "valid"}
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions share."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check_groups(in_channels, out_channels, groups)
        _check_padding(padding, stride, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        self._reversed_padding_repeated_twice = _padding_around(padding, kernel_size, dilation)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = fresh(first, second // groups, *kernel_size, device=device, dtype=dtype)
        self.register_parameter("bias", fresh(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the parameters: uniform between -1 and 1 over the root of the number of inputs."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        dims = len(self.kernel_size)
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        parts += [f"padding={self.padding}"] if self.padding != (0,) * dims else []
        parts += [f"dilation={self.dilation}"] if self.dilation != (1,) * dims else []
        parts += [f"output_padding={self.output_padding}"] if self.output_padding != (0,) * dims else []
        parts += [f"groups={self.groups}"] if self.groups != 1 else []
        parts += ["bias=False"] if self.bias is None else []
        parts += [f"padding_mode={self.padding_mode}"] if self.padding_mode != "zeros" else []
        return ", ".join(parts)


def _check_groups(in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise at_call(ValueError, "groups must be a positive integer")
    if in_channels % groups != 0:
        raise at_call(ValueError, "in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise at_call(ValueError, "out_channels must be divisible by groups")


def _check_padding(padding: Any, stride: tuple, mode: str) -> None:
    if isinstance(padding, str):
        if padding not in _PADDINGS:
            raise at_call(ValueError, f"Invalid padding string {padding!r}, should be one of {_PADDINGS}")
        if padding == "same" and any(s != 1 for s in stride):
            raise at_call(ValueError, "padding='same' is not supported for strided convolutions")
    if mode not in _PADDING_MODES:
        raise at_call(ValueError, f"padding_mode must be one of {set(_PADDING_MODES)}, but got padding_mode='{mode}'")


def _padding_around(padding: Any, kernel_size: tuple, dilation: tuple) -> Sequence[int]:
    """Padding in the order that nn.functional.pad takes."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    around: list[int] = []
    for kernel, step in zip(reversed(kernel_size), reversed(dilation), strict=True):
        total = step * (kernel - 1) if padding == "same" else 0
        around += [total // 2, total - total // 2]
    return around


class _Conv(_ConvNd):
    """Conv1d, 2d and 3d but for the number of dimensions. The arguments stand in Conv2d."""

    _dims: int
    _function: str  # of nn.functional, where programs may have put another one

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        each = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            padding if isinstance(padding, str) else each(padding),
            each(dilation),
            False,
            each(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(F, self._function)
        if self.padding_mode == "zeros":
            return convolve(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        padded = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
        return convolve(padded, weight, bias, self.stride, 0, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Slides a window over (N, C, L). The arguments are those of Conv2d.

    >>> torch.nn.Conv1d(3, 8, kernel_size=3)(torch.ones(1, 3, 10)).shape
    torch.Size([1, 8, 8])
    """

    _dims, _function = 1, "conv1d"


class Conv2d(_Conv):
    """Slides a window over (N, C, H, W).

    Args:
        in_channels, out_channels: channels of the input and of the output.
        kernel_size: size of the window.
        stride: how far the window moves.
        padding: what is added on each side; or "valid" (nothing), or "same" (as much as keeps the size).
        dilation: the distance between the elements of the window.
        groups: blocks of channels that are kept apart.
        bias: whether to add one.
        padding_mode: "zeros", "reflect", "replicate" or "circular".

    >>> torch.nn.Conv2d(3, 8, kernel_size=3, padding=1)(torch.ones(1, 3, 10, 10)).shape
    torch.Size([1, 8, 10, 10])
    """

    _dims, _function = 2, "conv2d"


class Conv3d(_Conv):
    """Slides a window over (N, C, D, H, W). The arguments are those of Conv2d.

    >>> torch.nn.Conv3d(3, 8, kernel_size=3)(torch.ones(1, 3, 5, 5, 5)).shape
    torch.Size([1, 8, 3, 3, 3])
    """

    _dims, _function = 3, "conv3d"


# ---- transposed


class _ConvTransposeNd(_ConvNd):
    """ConvTranspose1d, 2d and 3d but for the number of dimensions. The arguments stand in ConvTranspose2d."""

    _dims: int
    _function: str  # of nn.functional, where programs may have put another one

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise at_call(ValueError, f'Only "zeros" padding mode is supported for {type(self).__name__}')
        each = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            each(padding),
            each(dilation),
            True,
            each(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The output; output_size: of this size, if the stride allows it."""
        if self.padding_mode != "zeros":
            raise at_call(ValueError, f"Only `zeros` padding mode is supported for {type(self).__name__}")
        output_padding = self.output_padding if output_size is None else self._output_padding(input, output_size)
        return getattr(F, self._function)(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int]) -> list[int]:
        dims = self._dims
        lead = 2 if input.dim() == dims + 2 else 1
        sizes = list(output_size)[lead:] if len(output_size) == lead + dims else list(output_size)
        if len(sizes) != dims:
            raise at_call(
                ValueError,
                f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or {lead + dims} "
                f"elements (got {len(output_size)})",
            )
        rows = zip(input.shape[lead:], self.stride, self.padding, self.kernel_size, self.dilation, strict=True)
        smallest = [(n - 1) * s - 2 * int(p) + d * (k - 1) + 1 for n, s, p, k, d in rows]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(smallest, sizes, largest, strict=True)):
            raise at_call(
                ValueError,
                f"requested an output size of {sizes}, but valid sizes range from {smallest} to {largest} "
                f"(for an input of {input.size()[2:]})",
            )
        return [size - low for size, low in zip(sizes, smallest, strict=True)]


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d as a layer. The arguments are those of ConvTranspose2d.

    >>> torch.nn.ConvTranspose1d(3, 8, kernel_size=2, stride=2)(torch.ones(1, 3, 10)).shape
    torch.Size([1, 8, 20])
    """

    _dims, _function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of Conv2d as a layer.

    Args:
        in_channels, out_channels: channels of the input and of the output.
        kernel_size, stride, padding, dilation: those of the convolution that this one turns round.
        output_padding: what is added on one side of the output.
        groups: blocks of channels that are kept apart.
        bias: whether to add one.

    >>> torch.nn.ConvTranspose2d(3, 8, kernel_size=2, stride=2)(torch.ones(1, 3, 10, 10)).shape
    torch.Size([1, 8, 20, 20])
    """

    _dims, _function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of Conv3d as a layer. The arguments are those of ConvTranspose2d.

    >>> torch.nn.ConvTranspose3d(3, 8, kernel_size=2, stride=2)(torch.ones(1, 3, 4, 4, 4)).shape
    torch.Size([1, 8, 8, 8, 8])
    """

    _dims, _function = 3, "conv_transpose3d"


# ---- lazy


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that takes in_channels from its first input."""

    _dims: int

    def _make_lazy(self: Any, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        """Draws the parameters, once their shapes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            _ConvNd.reset_parameters(self)

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Takes in_channels from the input."""
        if not self.has_uninitialized_params():
            return
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise at_call(
                RuntimeError,
                f"Expected {self._dims + 1}D (unbatched) or {self._dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}",
            )
        self.in_channels = input.shape[-self._dims - 1]
        if self.in_channels % self.groups != 0:
            raise at_call(ValueError, "in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        with no_grad():
            self.weight.materialize((first, second // self.groups, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d that takes in_channels from its first input.

    >>> torch.nn.LazyConv1d(8, 3)(torch.ones(1, 3, 10)).shape
    torch.Size([1, 8, 8])
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d that takes in_channels from its first input.

    >>> torch.nn.LazyConv2d(8, 3)(torch.ones(1, 3, 10, 10)).shape
    torch.Size([1, 8, 8, 8])
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d that takes in_channels from its first input.

    >>> torch.nn.LazyConv3d(8, 3)(torch.ones(1, 3, 5, 5, 5)).shape
    torch.Size([1, 8, 3, 3, 3])
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """ConvTranspose1d that takes in_channels from its first input.

    >>> torch.nn.LazyConvTranspose1d(8, 2)(torch.ones(1, 3, 10)).shape
    torch.Size([1, 8, 11])
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """ConvTranspose2d that takes in_channels from its first input.

    >>> torch.nn.LazyConvTranspose2d(8, 2)(torch.ones(1, 3, 10, 10)).shape
    torch.Size([1, 8, 11, 11])
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """ConvTranspose3d that takes in_channels from its first input.

    >>> torch.nn.LazyConvTranspose3d(8, 2)(torch.ones(1, 3, 4, 4, 4)).shape
    torch.Size([1, 8, 5, 5, 5])
    """

    cls_to_become = ConvTranspose3d


_ConvTransposeMixin = _ConvTransposeNd  # its name until PyTorch 1.6, which packages still import
