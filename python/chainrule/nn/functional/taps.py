"""Resampling along one dimension: each output element is a weighted sum of a few input elements, its taps."""

from __future__ import annotations

import math
from collections.abc import Callable

from ... import _core
from ..._core import Tensor

_functions = _core.functions

Taps = tuple[list[list[int]], list[list[float]] | None]  # for each tap: an index and a weight for each output


def resampled(input: Tensor, sizes: list[int], taps: list[Taps]) -> Tensor:
    """The input with its last dimensions resampled by the taps of each; half types are rounded once, at the end."""
    half = input.dtype in (_core.bfloat16, _core.float16)
    result = input.float() if half else input
    first = input.dim() - len(sizes)
    for dim, (indices, weights) in enumerate(taps, first):
        result = _along(result, dim, indices, weights)
    return result.to(input.dtype) if half else result


def _along(x: Tensor, dim: int, indices: list[list[int]], weights: list[list[float]] | None) -> Tensor:
    lead, size = (slice(None),) * dim, x.shape[dim]
    shape = [-1] + [1] * (x.dim() - dim - 1)
    total = None
    for tap, places in enumerate(indices):
        part = x if places == list(range(size)) else x[(*lead, _functions["tensor"](places))]
        if weights is not None:
            part = part * _functions["tensor"](weights[tap], dtype=x.dtype).reshape(shape)
        total = part if total is None else total + part
    assert total is not None
    return total


def lanczos(input: Tensor, sizes: list[int] | None, align_corners: bool, factors: list[float] | None) -> Tensor:
    """Lanczos' filter of six taps, as wide as the step between outputs."""
    before = list(input.shape[2:])
    scales = factors or [None] * len(before)
    if sizes is None:
        sizes = [math.floor(n * f) for n, f in zip(before, factors or (), strict=True)]
    taps = [
        _smoothed(_lanczos, 3.0, n, size, 1.0 / f if f else n / size)
        for n, size, f in zip(before, sizes, scales, strict=True)
    ]
    return resampled(input, sizes, taps)


def _smoothed(filter: Callable[[float], float], reach: float, size: int, output: int, scale: float) -> Taps:
    """Filters as wide as the step between outputs, so that nothing is missed."""
    stretch = max(scale, 1.0)
    rows = []
    for i in range(output):
        centre = scale * (i + 0.5)
        begin = max(int(centre - reach * stretch + 0.5), 0)
        end = min(int(centre + reach * stretch + 0.5), size)
        weights = [filter((j - centre + 0.5) / stretch) for j in range(begin, end)]
        total = sum(weights) or 1.0
        rows.append((begin, [w / total for w in weights]))
    longest = max(len(weights) for _, weights in rows)
    padded = [(begin, weights + [0.0] * (longest - len(weights))) for begin, weights in rows]
    indices = [[min(begin + k, size - 1) for begin, _ in padded] for k in range(longest)]
    return indices, [[weights[k] for _, weights in padded] for k in range(longest)]


def _lanczos(x: float) -> float:
    if x == 0:
        return 1.0
    return 3 * math.sin(math.pi * x) * math.sin(math.pi * x / 3) / (math.pi * x) ** 2 if abs(x) < 3 else 0.0
