"""Pooling: averages, maxima and norms of windows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._core import Tensor
from ...amp.precision import in_float32_on_cpu
from ...error_words import at_call
from ..sizes import _list_with_default, _ntuple, _pair, _single, _triple
from .core import core

_functions = _core.functions

avg_pool1d = core("avg_pool1d")
avg_pool2d = core("avg_pool2d")
avg_pool3d = core("avg_pool3d")
adaptive_avg_pool1d = core("adaptive_avg_pool1d")
_adaptive_avg_pool2d = core("adaptive_avg_pool2d")
_adaptive_avg_pool3d = core("adaptive_avg_pool3d")


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Averages over windows chosen to give output_size; None keeps a size.

    Shape and dtype: (N, C, *output_size) of (N, C, H, W), or without N; the dtype of the input.
    Derivative: g shared among the elements of the window

    >>> torch.nn.functional.adaptive_avg_pool2d(torch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    return _adaptive_avg_pool2d(input, _list_with_default(output_size, list(input.shape)))


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Averages over windows chosen to give output_size; None keeps a size.

    Shape and dtype: (N, C, *output_size) of (N, C, D, H, W), or without N; the dtype of the input.
    Derivative: g shared among the elements of the window

    >>> torch.nn.functional.adaptive_avg_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 1)
    tensor([[[[3.5000]]]])
    """
    if input.numel() == 0:
        _check_not_empty("adaptive_avg_pool3d", input)
    return _adaptive_avg_pool3d(input, _list_with_default(output_size, list(input.shape)))


# ---- maxima


def _max_pool(dims: int) -> tuple[Callable, Callable]:
    names = f"max_pool{dims}d_with_indices", f"max_pool{dims}d"
    with_indices, plain = map(core, names)

    def pool_with_indices(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """The maximum of each window and where in the input it is.

        Shape and dtype: (N, C, ...) or (C, ...), each size n becomes
        (n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.max_pool1d_with_indices(torch.tensor([[1., 3., 2., 4.]]), 2)
        (tensor([[3., 4.]]), tensor([[1, 3]]))
        """
        stride = () if stride is None else stride
        return with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)

    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        """The maximum of each window; return_indices: and where in the input it is.

        Shape and dtype: (N, C, ...) or (C, ...), each size n becomes
        (n + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.max_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
        tensor([[3., 4.]])
        """
        stride = () if stride is None else stride
        chosen = with_indices if return_indices else plain
        return chosen(input, kernel_size, stride, padding, dilation, ceil_mode)

    pool_with_indices.__name__, pool.__name__ = names
    return pool_with_indices, pool


max_pool1d_with_indices, max_pool1d = _max_pool(1)
max_pool2d_with_indices, max_pool2d = _max_pool(2)
max_pool3d_with_indices, max_pool3d = _max_pool(3)


def _adaptive_max_pool(dims: int) -> tuple[Callable, Callable]:
    name = f"adaptive_max_pool{dims}d"
    largest = core(name if dims == 1 else name + "_with_indices")
    if dims == 3:  # autocast's list has the third only
        largest = in_float32_on_cpu(largest)

    def pool_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        """The maximum of each window and where in the input it is.

        Shape and dtype: (N, C, *output_size) of (N, C, ...), or without N; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.adaptive_max_pool1d_with_indices(torch.tensor([[1., 3., 2., 4.]]), 2)
        (tensor([[3., 4.]]), tensor([[1, 3]]))
        """
        size = output_size if dims == 1 else _list_with_default(output_size, list(input.shape))
        if input.numel() == 0:
            _check_not_empty(name, input)
        return largest(input, size)

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """Maxima over windows chosen to give output_size; return_indices: and where in the input they are.

        Shape and dtype: (N, C, *output_size) of (N, C, ...), or without N; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
        tensor([[3., 4.]])
        """
        both = pool_with_indices(input, output_size)
        return both if return_indices else both[0]

    pool_with_indices.__name__, pool.__name__ = name + "_with_indices", name
    return pool_with_indices, pool


def _check_not_empty(name: str, input: Tensor) -> None:
    for d in range(1, input.dim()):
        if input.shape[d] == 0:
            raise at_call(
                RuntimeError,
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {d} being empty",
            )


adaptive_max_pool1d_with_indices, adaptive_max_pool1d = _adaptive_max_pool(1)
adaptive_max_pool2d_with_indices, adaptive_max_pool2d = _adaptive_max_pool(2)
adaptive_max_pool3d_with_indices, adaptive_max_pool3d = _adaptive_max_pool(3)


def _fractional_max_pool(dims: int) -> tuple[Callable, Callable]:
    name = f"fractional_max_pool{dims}d"
    largest = in_float32_on_cpu(core("_" + name))

    def pool_with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The maximum of each window and where in the input it is.

        Shape and dtype: (N, C, *output_size) of (N, C, ...), or without N; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.fractional_max_pool2d_with_indices(torch.ones(1, 3, 3), 2, output_size=1)[0]
        tensor([[[1.]]])
        """
        if output_size is None:
            if output_ratio is None:
                raise at_call(ValueError, f"{name} requires specifying either an output_size or an output_ratio")
            ratios = _ntuple(dims)(output_ratio)
            if len(ratios) > dims:
                raise at_call(ValueError, f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
            output_size = [int(n * r) for n, r in zip(input.shape[-dims:], ratios, strict=True)]
        if _random_samples is None:
            batch = 1 if input.dim() == dims + 1 else input.size(0)
            _random_samples = _functions["rand"](batch, input.size(-dims - 1), dims, dtype=input.dtype)
        samples: Tensor = _random_samples  # type: ignore[assignment]
        _check_fractional(dims, input, kernel_size, output_size, samples)
        if 0 in _ntuple(dims)(output_size):
            sizes = (*input.shape[:-dims], *_ntuple(dims)(output_size))
            return input.new_empty(sizes), _functions["empty"](sizes, dtype=_core.int64)
        return largest(input, kernel_size, output_size, samples)

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        """Maxima of windows at places drawn at random, so that sizes shrink by any ratio.

        Shape and dtype: (N, C, *output_size) of (N, C, ...), or without N; the dtype of the input, int64 for indices.
        Derivative: g added where the largest element was

        >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 3, 3), 2, output_size=1)
        tensor([[[1.]]])
        """
        both = pool_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return both if return_indices else both[0]

    pool_with_indices.__name__, pool.__name__ = name + "_with_indices", name
    return pool_with_indices, pool


def _check_fractional(dims: int, input: Tensor, kernel_size: Any, output_size: Any, samples: Tensor) -> None:
    name, ints = f"fractional_max_pool{dims}d", "tuple of Ints" if dims == 2 else "tuple of three Ints"
    for what, value in (("kernel_size", kernel_size), ("output_size", output_size)):
        if isinstance(value, (tuple, list)) and len(value) != dims:
            raise at_call(RuntimeError, f"{name}: {what} must either be a single Int or {ints}")
    called = name if dims == 2 else name + "_out"
    first = input.dim() - dims - 1
    for d in range(first, input.dim()):
        if input.shape[d] == 0:
            raise at_call(
                RuntimeError,
                f"{called}(): Expected input to have non-zero size for non-batch dimensions, but got"
                f"{list(input.shape)} with dimension {d} being empty.",
            )
    wrong = ""
    if samples.dtype is not input.dtype:
        wrong = " to have the same dtype as input"
    elif samples.dim() != 3:
        wrong = f" to have 3 dimensions, got {samples.dim()}"
    elif samples.size(0) < (input.size(0) if first else 1):
        wrong = ".size(0) no less then input batch size."
    elif samples.size(1) != input.size(first):
        wrong = ".size(1) equals to input channel size."
    elif samples.size(2) != dims:
        wrong = f".size(2) equals to {dims}; got {samples.size(2)}."
    if wrong:
        raise at_call(RuntimeError, f"Expect _random_samples{wrong}")


fractional_max_pool2d_with_indices, fractional_max_pool2d = _fractional_max_pool(2)
fractional_max_pool3d_with_indices, fractional_max_pool3d = _fractional_max_pool(3)


# ---- norms


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of each window: (sum of x ** norm_type) ** (1 / norm_type).

    Shape and dtype: (N, C, L') of (N, C, L), or without N; the dtype of the input.
    Derivative: g * (x / y) ** (norm_type - 1), summed over the windows of x

    >>> torch.nn.functional.lp_pool1d(torch.tensor([[3., 4., 6., 8.]]), 2, 2)
    tensor([[ 5., 10.]])
    """
    return _norm_pool(input, norm_type, _single(kernel_size), stride, ceil_mode, max_pool1d, avg_pool1d)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of each window: (sum of x ** norm_type) ** (1 / norm_type).

    Shape and dtype: (N, C, H', W') of (N, C, H, W), or without N; the dtype of the input.
    Derivative: g * (x / y) ** (norm_type - 1), summed over the windows of x

    >>> torch.nn.functional.lp_pool2d(torch.tensor([[[3., 4.], [0., 0.]]]), 2, 2)
    tensor([[[5.]]])
    """
    return _norm_pool(input, norm_type, _pair(kernel_size), stride, ceil_mode, max_pool2d, avg_pool2d)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The norm of each window: (sum of x ** norm_type) ** (1 / norm_type).

    Shape and dtype: (N, C, D', H', W') of (N, C, D, H, W), or without N; the dtype of the input.
    Derivative: g * (x / y) ** (norm_type - 1), summed over the windows of x

    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 2, 2), 2, 2)
    tensor([[[[2.8284]]]])
    """
    return _norm_pool(input, norm_type, _triple(kernel_size), stride, ceil_mode, max_pool3d, avg_pool3d)


def _norm_pool(
    input: Tensor, p: float, kernel: tuple, stride: Any, ceil_mode: bool, largest: Callable, average: Callable
) -> Tensor:
    if p == math.inf:
        return largest(input.abs(), kernel, stride, 0, 1, ceil_mode)
    if p == -math.inf:
        return -largest(-input.abs(), kernel, stride, 0, 1, ceil_mode)
    mean = average(input.pow(p), kernel, kernel if stride is None else stride, 0, ceil_mode)
    # The sign times the rectified absolute value is the mean again, but with gradient 0 where it is 0.
    return (mean.sign() * mean.abs().relu()).mul(math.prod(kernel)).pow(1.0 / p)


# ---- back to where the maxima were

_max_unpool2d, _max_unpool3d = core("_max_unpool2d"), core("_max_unpool3d")


@in_float32_on_cpu
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Puts the values where max_pool1d found them, zeros elsewhere.

    Shape and dtype: (N, C, L) of (N, C, L'), or without N; the dtype of the input.
    Derivative: g at the indices

    >>> torch.nn.functional.max_unpool1d(torch.tensor([[3., 4.]]), torch.tensor([[1, 3]]), 2)
    tensor([[0., 3., 0., 4.]])
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


@in_float32_on_cpu
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Puts the values where max_pool2d found them, zeros elsewhere.

    Shape and dtype: (N, C, H, W) of (N, C, H', W'), or without N; the dtype of the input.
    Derivative: g at the indices

    >>> torch.nn.functional.max_unpool2d(torch.tensor([[[3.]]]), torch.tensor([[[2]]]), 2)
    tensor([[[0., 0.],
             [3., 0.]]])
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


@in_float32_on_cpu
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Puts the values where max_pool3d found them, zeros elsewhere.

    Shape and dtype: (N, C, D, H, W) of (N, C, D', H', W'), or without N; the dtype of the input.
    Derivative: g at the indices

    >>> torch.nn.functional.max_unpool3d(torch.tensor([[[[3.]]]]), torch.tensor([[[[5]]]]), 2).flatten()
    tensor([0., 0., 0., 0., 0., 3., 0., 0.])
    """
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)


def _unpool(
    dims: int, input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    each = _ntuple(dims)
    kernel, padding = each(kernel_size), each(padding)
    if len(kernel) != dims:
        needed, places = ("two", "(height, width)") if dims < 3 else ("three", "(depth, height, width)")
        raise at_call(
            RuntimeError,
            f"There should be exactly {needed} elements {places} in output_size, but got "
            f"{len(kernel) + (dims == 1)} elements.",
        )
    stride = kernel if stride is None else each(stride)
    sizes = _unpooled_sizes(input, kernel, stride, padding, output_size)
    if dims == 3:
        return _max_unpool3d(input, indices, sizes, stride, padding)
    if dims == 2:
        return _max_unpool2d(input, indices, sizes)
    return _max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*sizes, 1]).squeeze(-1)


def _unpooled_sizes(input: Tensor, kernel: tuple, stride: tuple, padding: tuple, output_size: Any) -> list[int]:
    dims = len(kernel)
    usual = [(n - 1) * s + k - 2 * p for n, k, s, p in zip(input.shape[-dims:], kernel, stride, padding, strict=True)]
    if output_size is None:
        sizes = usual
    else:
        sizes = list(output_size)[2:] if len(output_size) == dims + 2 else list(output_size)
        if len(sizes) != dims:
            raise at_call(
                ValueError,
                f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
                f"'{len(sizes)}'",
            )
        for d, (size, default, step) in enumerate(zip(sizes, usual, stride, strict=True)):
            if not default - step < size < default + step:
                raise at_call(
                    ValueError,
                    f'invalid output_size "{output_size}" '
                    f"(dim {d} must be between {default - step} and {default + step})",
                )
    for d, size in enumerate(sizes):
        if size < 0:
            raise at_call(
                ValueError,
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={size}",
            )
    return sizes
