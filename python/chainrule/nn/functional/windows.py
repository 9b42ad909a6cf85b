"""Pooling from indexing: which elements are in each window, and then their maximum or mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._core import Tensor
from ..sizes import _ntuple
from .taps import resampled

_functions = _core.functions

Table = list[list[int]]  # the elements in each window of one dimension


def _for_each(dims: int) -> Callable[[Any], tuple]:
    """A reader of sizes: one number, or a sequence of one, stands for all dimensions."""

    def read(x: Any) -> tuple:
        sizes = _ntuple(dims)(x)
        return sizes * dims if len(sizes) == 1 else sizes

    return read


# ---- windows


def _sliding(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> Table:
    """Windows at equal distances; they may reach beyond both ends."""
    more = stride - 1 if ceil_mode else 0
    count = (size + 2 * padding - dilation * (kernel - 1) - 1 + more) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1  # a window may not begin in the padding behind
    return [[i * stride - padding + j * dilation for j in range(kernel)] for i in range(count)]


def _adaptive(size: int, output: int) -> Table:
    """Windows that together cover everything, of sizes that differ by at most one."""
    return [list(range(i * size // output, -((-(i + 1) * size) // output))) for i in range(output)]


def _inside(table: Table, size: int) -> Table:
    """The table without what is outside; short windows repeat their first element, which changes no maximum."""
    kept = [[i for i in window if 0 <= i < size] for window in table]
    longest = max(map(len, kept))
    return [[*window, *([window[0]] * (longest - len(window)))] for window in kept]


# ---- maxima


def _largest(input: Tensor, tables: list[Table]) -> tuple[Tensor, Tensor]:
    """The maximum of each window and its place in the flattened image."""
    sizes = list(input.shape[-len(tables) :])
    tensors = [_functions["tensor"](_inside(t, n)) for t, n in zip(tables, sizes, strict=True)]
    dims = len(tables)
    spread = [_spread(t, d, dims) for d, t in enumerate(tensors)]
    blocks = input[(..., *spread)].flatten(-dims)
    values, which = blocks.max(-1)
    flat = spread[0]
    for index, size in zip(spread[1:], sizes[1:], strict=True):
        flat = flat * size + index
    outputs = [len(t) for t in tables]
    flat = flat.flatten(-dims).reshape(math.prod(outputs), -1)
    rows = _functions["arange"](len(flat)).reshape(outputs)
    return values, flat[rows, which]


def _spread(table: Tensor, dim: int, dims: int) -> Tensor:
    """A table of dimension `dim` among (windows of each dimension, elements of each dimension)."""
    shape = [1] * (2 * dims)
    shape[dim], shape[dims + dim] = table.shape
    return table.reshape(shape)


def max_pool(dims: int) -> tuple[Callable[..., tuple[Tensor, Tensor]], Callable[..., Tensor]]:
    """max_pool with and without indices for so many dimensions."""
    each, name = _for_each(dims), f"max_pool{dims}d"

    def with_indices(
        input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> tuple[Tensor, Tensor]:
        kernel, padding, dilation = each(kernel_size), each(padding), each(dilation)
        stride = kernel if stride in ((), [], None) else each(stride)
        _check(name, input, dims, kernel, stride, padding, dilation)
        tables = [
            _sliding(*sizes, ceil_mode)
            for sizes in zip(input.shape[-dims:], kernel, stride, padding, dilation, strict=True)
        ]
        _check_outputs(name, input, tables)
        return _largest(input, tables)

    def plain(*args: Any, **kwargs: Any) -> Tensor:
        return with_indices(*args, **kwargs)[0]

    return with_indices, plain


def adaptive_max_pool(dims: int) -> Callable[..., tuple[Tensor, Tensor]]:
    """adaptive_max_pool for so many dimensions."""

    def pool(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
        sizes = _for_each(dims)(output_size)
        _check_adaptive(f"adaptive_max_pool{dims}d", input, dims, sizes)
        return _largest(input, [_adaptive(n, size) for n, size in zip(input.shape[-dims:], sizes, strict=True)])

    return pool


def fractional_max_pool(dims: int) -> Callable[..., tuple[Tensor, Tensor]]:
    """fractional_max_pool for so many dimensions: each channel has windows at its own random places."""
    name = f"fractional_max_pool{dims}d"

    def pool(input: Tensor, kernel_size: Any, output_size: Any, samples: Tensor) -> tuple[Tensor, Tensor]:
        kernel, outputs = _for_each(dims)(kernel_size), _for_each(dims)(output_size)
        if input.dim() not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
            raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(input.shape)}")
        for n, k, out in zip(input.shape[-dims:], kernel, outputs, strict=True):
            if out + k - 1 > n:
                raise RuntimeError(f"{name}(): pool size {k} too large relative to input size {n}")
        batched = input if input.dim() == dims + 2 else input.unsqueeze(0)
        draws_of = samples[: batched.shape[0], : batched.shape[1]].reshape(-1, dims).tolist()
        channels = [
            _largest(
                image,
                [
                    _random_windows(*sizes)
                    for sizes in zip(image.shape, kernel, outputs, reversed(draws) if dims == 2 else draws, strict=True)
                ],
            )
            for image, draws in zip(batched.flatten(0, 1), draws_of, strict=True)
        ]
        shape = [*input.shape[:-dims], *outputs]
        if not channels:
            return input.new_zeros(shape) + input.sum(), _functions["zeros"](shape, dtype=_core.int64)
        values, indices = (_functions["stack"](part).reshape(shape) for part in zip(*channels, strict=True))
        return values, indices

    return pool


def _random_windows(size: int, kernel: int, output: int, draw: float) -> Table:
    if output == 1:
        return [list(range(size - kernel, size))]
    step = (size - kernel) / (output - 1)
    starts = [int((i + draw) * step) - int(draw * step) for i in range(output - 1)]
    return [list(range(start, start + kernel)) for start in [*starts, size - kernel]]


# ---- means


def avg_pool(dims: int) -> Callable[..., Tensor]:
    """avg_pool for so many dimensions."""
    each, name = _for_each(dims), f"avg_pool{dims}d"

    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """The mean of each window."""
        kernel, padding = each(kernel_size), each(padding)
        stride = kernel if stride in ((), [], None) else each(stride)
        _check(name, input, dims, kernel, stride, padding, each(1))
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        sizes = list(input.shape[-dims:])
        tables = [_sliding(*row, 1, ceil_mode) for row in zip(sizes, kernel, stride, padding, strict=True)]
        _check_outputs(name, input, tables)
        if divisor_override:
            return _means(input, tables, divisor_override)
        reach = [(-p, n + p) if count_include_pad else (0, n) for n, p in zip(sizes, padding, strict=True)]
        counts = [
            [sum(low <= i < high for i in window) for window in table]
            for table, (low, high) in zip(tables, reach, strict=True)
        ]
        return _means(input, tables, _products(counts))

    pool.__name__ = name
    return pool


def adaptive_avg_pool(dims: int) -> Callable[..., Tensor]:
    """adaptive_avg_pool for so many dimensions."""

    def pool(input: Tensor, output_size: Any) -> Tensor:
        """Means over windows chosen to give output_size."""
        sizes = _for_each(dims)(output_size)
        _check_adaptive(f"adaptive_avg_pool{dims}d", input, dims, sizes)
        tables = [_adaptive(n, size) for n, size in zip(input.shape[-dims:], sizes, strict=True)]
        return _means(input, tables, _products([[len(window) for window in table] for table in tables]))

    pool.__name__ = f"adaptive_avg_pool{dims}d"
    return pool


def _products(counts: list[list[int]]) -> Tensor:
    """The number of elements in each window, from those along each dimension."""
    result = _functions["tensor"](1)
    for along in counts:
        result = result.unsqueeze(-1) * _functions["tensor"](along, dtype=_core.int64)
    return result


def _means(input: Tensor, tables: list[Table], divisor: Tensor | int) -> Tensor:
    """The sum of each window over the divisor; half types are rounded once, at the end, and whole numbers cut off."""
    sizes = list(input.shape[-len(tables) :])
    half = input.dtype in (_core.bfloat16, _core.float16)
    taps = [_sum_taps(table, n) for table, n in zip(tables, sizes, strict=True)]
    total = resampled(input.float() if half else input, sizes, taps)
    if not total.is_floating_point():
        return total.div(divisor, rounding_mode="trunc")
    return (total / divisor).to(input.dtype)


def _sum_taps(table: Table, size: int) -> Any:
    """The sum as taps: elements outside weigh nothing."""
    longest = max(map(len, table), default=0)
    padded = [[*window, *([size] * (longest - len(window)))] for window in table]
    indices = [[min(max(window[k], 0), size - 1) for window in padded] for k in range(longest)]
    if all(0 <= i < size for window in padded for i in window):
        return indices, None
    return indices, [[float(0 <= window[k] < size) for window in padded] for k in range(longest)]


# ---- checks


def _check(name: str, input: Tensor, dims: int, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> None:
    for what, values in (("kernel_size", kernel), ("stride", stride), ("padding", padding), ("dilation", dilation)):
        if len(values) not in (1, dims):
            raise RuntimeError(f"{name}: {what} must either be a single int, or a tuple of {dims} ints")
    if min(kernel) <= 0:
        raise RuntimeError(f"kernel size should be greater than zero, but got {kernel}")
    if min(stride) <= 0:
        raise RuntimeError(f"stride should be greater than zero, but got {stride}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {dilation}")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    if input.dim() not in (dims + 1, dims + 2) or 0 in input.shape[-dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got: {list(input.shape)}"
        )


def _check_outputs(name: str, input: Tensor, tables: list[Table]) -> None:
    if any(len(table) < 1 for table in tables):
        raise RuntimeError(
            f"Given input size: {list(input.shape)}. Calculated output size: {[len(t) for t in tables]}. "
            "Output size is too small"
        )


def _check_adaptive(name: str, input: Tensor, dims: int, sizes: tuple) -> None:
    if input.dim() not in (dims + 1, dims + 2) or 0 in input.shape[-dims:]:
        raise RuntimeError(
            f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor with non-zero spatial dimensions, but got "
            f"{list(input.shape)}"
        )
    if len(sizes) != dims or min(sizes, default=0) < 0:
        raise RuntimeError(f"{name}: output_size must be {dims}, and each at least 0, but got {sizes}")
