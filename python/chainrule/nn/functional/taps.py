"""Resampling along one dimension: each output element is a weighted sum of a few input elements, its taps."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

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


# ---- taps by mode


@lru_cache(maxsize=256)
def taps_of(mode: str, size: int, output: int, factor: float | None, align_corners: bool, antialias: bool) -> Taps:
    """The taps that make `output` elements of `size`."""
    if mode in ("nearest", "nearest-exact"):
        return _nearest(size, output, factor, 0.5 if mode == "nearest-exact" else 0.0)
    if align_corners:
        scale = (size - 1) / (output - 1) if output > 1 else 0.0
    else:
        scale = 1.0 / factor if factor else size / output
    if antialias:
        return _smoothed(_FILTERS[mode], _REACH[mode], size, output, scale)
    shift = 0.0 if align_corners else 0.5
    centres = [scale * (i + shift) - shift for i in range(output)]
    return _cubic(size, centres) if mode == "bicubic" else _linear(size, centres)


def _single(x: float) -> float:
    """x in single precision, in which PyTorch looks for the nearest element."""
    return _functions["tensor"](x, dtype=_core.float32).item()


def _nearest(size: int, output: int, factor: float | None, shift: float) -> Taps:
    scale = _single(1.0 / factor if factor else size / output)
    return [[min(math.floor(_single((i + shift) * scale)), size - 1) for i in range(output)]], None


def _linear(size: int, centres: list[float]) -> Taps:
    places = [max(c, 0.0) for c in centres]
    low = [min(int(p), size - 1) for p in places]
    high = [min(i + 1, size - 1) for i in low]
    part = [min(max(p - i, 0.0), 1.0) for p, i in zip(places, low, strict=True)]
    return [low, high], [[1.0 - p for p in part], part]


def _cubic(size: int, centres: list[float]) -> Taps:
    low = [math.floor(c) for c in centres]
    indices = [[min(max(i + k, 0), size - 1) for i in low] for k in (-1, 0, 1, 2)]
    weights = [[_cubic_filter(c - i - k, -0.75) for c, i in zip(centres, low, strict=True)] for k in (-1, 0, 1, 2)]
    return indices, weights


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


# ---- filters


def _triangle(x: float) -> float:
    return max(1.0 - abs(x), 0.0)


def _cubic_filter(x: float, a: float = -0.5) -> float:
    x = abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _lanczos(x: float) -> float:
    if x == 0:
        return 1.0
    return 3 * math.sin(math.pi * x) * math.sin(math.pi * x / 3) / (math.pi * x) ** 2 if abs(x) < 3 else 0.0


_FILTERS: dict[str, Callable[[float], float]] = {"bilinear": _triangle, "bicubic": _cubic_filter, "lanczos": _lanczos}
_REACH = {"bilinear": 1.0, "bicubic": 2.0, "lanczos": 3.0}
