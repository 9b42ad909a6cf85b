"""Pooling as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from .. import functional as F  # noqa: N812
from ..sizes import _ntuple, _pair, _single, _triple
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


# ---- maxima


class _MaxPoolNd(Module):
    _pool: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of (N, C, L).

    The arguments are those of MaxPool2d.

    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1., 3., 5., 7.]]))
    tensor([[3., 7.]])
    """

    _pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of (N, C, H, W).

    Args:
        kernel_size: size of the window, one number or one for each dimension.
        stride: how far the window moves; by its size if None.
        padding: how much is added on each side; it is never the maximum.
        dilation: the distance between the elements of the window.
        return_indices: whether to return the places of the maxima too, for MaxUnpool2d.
        ceil_mode: whether the last window may reach over the end.

    >>> torch.nn.MaxPool2d(2)(torch.arange(16.).view(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    _pool = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of (N, C, D, H, W).

    The arguments are those of MaxPool2d.

    >>> torch.nn.MaxPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _pool = staticmethod(F.max_pool3d)


class _MaxUnpoolNd(Module):
    _each: Callable[[Any], tuple]
    _unpool: Callable[..., Tensor]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        each = type(self)._each
        self.kernel_size = each(kernel_size)
        self.stride = each(kernel_size if stride is None else stride)
        self.padding = each(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return type(self)._unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts values where MaxPool1d found them, zeros elsewhere.

    >>> values, places = torch.nn.MaxPool1d(2, return_indices=True)(torch.tensor([[1., 3., 7., 5.]]))
    >>> torch.nn.MaxUnpool1d(2)(values, places)
    tensor([[0., 3., 7., 0.]])
    """

    _each, _unpool = staticmethod(_single), staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts values where MaxPool2d found them, zeros elsewhere.

    >>> values, places = torch.nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 4, 4))
    >>> torch.nn.MaxUnpool2d(2)(values, places).shape
    torch.Size([1, 4, 4])
    """

    _each, _unpool = staticmethod(_pair), staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts values where MaxPool3d found them, zeros elsewhere.

    >>> values, places = torch.nn.MaxPool3d(2, return_indices=True)(torch.ones(1, 4, 4, 4))
    >>> torch.nn.MaxUnpool3d(2)(values, places).shape
    torch.Size([1, 4, 4, 4])
    """

    _each, _unpool = staticmethod(_triple), staticmethod(F.max_unpool3d)


class _FractionalMaxPoolNd(Module):
    _dims: int
    _pool: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name, each = type(self).__name__, _ntuple(self._dims)
        self.kernel_size = each(kernel_size)
        if self._dims == 3 and not all(k > 0 for k in self.kernel_size):
            raise at_call(ValueError, f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = each(output_size) if output_size is not None else None
        self.output_ratio = each(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise at_call(ValueError, f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise at_call(ValueError, "only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise at_call(ValueError, f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Maxima of windows of (N, C, H, W) at random places, to any output size or ratio.

    >>> torch.nn.FractionalMaxPool2d(2, output_size=3)(torch.ones(1, 8, 8)).shape
    torch.Size([1, 3, 3])
    """

    _dims, _pool = 2, staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Maxima of windows of (N, C, D, H, W) at random places, to any output size or ratio.

    >>> torch.nn.FractionalMaxPool3d(2, output_size=3)(torch.ones(1, 8, 8, 8)).shape
    torch.Size([1, 3, 3, 3])
    """

    _dims, _pool = 3, staticmethod(F.fractional_max_pool3d)


# ---- averages and norms


class _AvgPoolNd(Module):
    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L).

    The arguments are those of AvgPool2d.

    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1., 3., 5., 7.]]))
    tensor([[2., 6.]])
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of (N, C, H, W).

    Args:
        kernel_size: size of the window, one number or one for each dimension.
        stride: how far the window moves; by its size if None.
        padding: zeros that are added on each side.
        ceil_mode: whether the last window may reach over the end.
        count_include_pad: whether added zeros count for the mean.
        divisor_override: what sums are divided by instead of the window's size.

    >>> torch.nn.AvgPool2d(2)(torch.arange(16.).view(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    _pool: Callable[..., Tensor] = F.avg_pool2d

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(AvgPool2d):
    """The mean of each window of (N, C, D, H, W).

    The arguments are those of AvgPool2d.

    >>> torch.nn.AvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _pool = F.avg_pool3d


class _LPPoolNd(Module):
    _pool: Callable[..., Tensor]

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The norm of each window of (N, C, L).

    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3., 4.]]))
    tensor([[5.]])
    """

    _pool = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """The norm of each window of (N, C, H, W).

    >>> torch.nn.LPPool2d(2, 2)(torch.ones(1, 1, 4, 4)).shape
    torch.Size([1, 1, 2, 2])
    """

    _pool = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """The norm of each window of (N, C, D, H, W).

    >>> torch.nn.LPPool3d(2, 2)(torch.ones(1, 1, 4, 4, 4)).shape
    torch.Size([1, 1, 2, 2, 2])
    """

    _pool = staticmethod(F.lp_pool3d)


# ---- to a given size


class _AdaptiveAvgPoolNd(Module):
    _pool: Callable[..., Any]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._pool(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give the output size.

    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1., 2., 3., 4.]]))
    tensor([[1.5000, 3.5000]])
    """

    _pool = F.adaptive_avg_pool1d


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give the output size; None keeps a size.

    >>> torch.nn.AdaptiveAvgPool2d(1)(torch.ones(2, 8, 8)).shape
    torch.Size([2, 1, 1])
    """

    _pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give the output size; None keeps a size.

    >>> torch.nn.AdaptiveAvgPool3d((1, 2, 3))(torch.ones(2, 8, 8, 8)).shape
    torch.Size([2, 1, 2, 3])
    """

    _pool = staticmethod(F.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(_AdaptiveAvgPoolNd):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return type(self)._pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima over windows chosen to give the output size.

    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1., 2., 3., 4.]]))
    tensor([[2., 4.]])
    """

    _pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maxima over windows chosen to give the output size; None keeps a size.

    >>> torch.nn.AdaptiveMaxPool2d(1)(torch.ones(2, 8, 8)).shape
    torch.Size([2, 1, 1])
    """

    _pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maxima over windows chosen to give the output size; None keeps a size.

    >>> torch.nn.AdaptiveMaxPool3d(1)(torch.ones(2, 8, 8, 8)).shape
    torch.Size([2, 1, 1, 1])
    """

    _pool = staticmethod(F.adaptive_max_pool3d)
