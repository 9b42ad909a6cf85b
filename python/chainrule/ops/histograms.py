"""Histograms over one or more dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod
from typing import Any

from .. import float32, float64, linspace, ones, searchsorted, tensor, where
from .._core import Tensor
from .checks import refuse_dtype


def histogram_bins(
    input: Tensor, bins: int, range: Sequence[float] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    """How many elements, or how much weight, lie in each of `bins` intervals of one length, and their edges."""
    points = input.reshape(-1, 1)
    return _one(_histogram(points, _equal_bins(points, [bins], range), _flat(weight), density))


def histogram_edges(input: Tensor, bins: Tensor, weight: Tensor | None, density: bool) -> tuple[Tensor, Tensor]:
    """How many elements, or how much weight, lie between each two neighbours of `bins`."""
    points = input.reshape(-1, 1)
    return _one(_histogram(points, _given_bins(points, [bins]), _flat(weight), density))


def histogramdd(
    input: Tensor, bins: Any, range: Sequence[float] | None, weight: Tensor | None, density: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """How many points, or how much weight, lie in each box. A point's coordinates are the input's last dimension."""
    if input.ndim == 0:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if input.ndim < 2:
        raise RuntimeError(f"torch.histogramdd: input tensor should have at least 2 dimensions, but has {input.ndim}")
    count = input.size(-1)
    bins = [bins] * count if isinstance(bins, int) else bins
    if not isinstance(bins, (list, tuple)) or not all(isinstance(b, (int, Tensor)) for b in bins):
        raise TypeError(f"histogramdd(): argument 'bins' must be int, tuple of ints or tuple of Tensors, not {bins!r}")
    if len(bins) != count:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input. "
            f"They are {len(bins)} and {count}"
        )
    points = input.reshape(-1, count) if count else input.reshape(prod(input.shape[:-1]), 0)
    if weight is not None and weight.shape != input.shape[:-1]:
        _refuse_weight_shape(input, weight)
    make = _given_bins(points, bins) if bins and isinstance(bins[0], Tensor) else _equal_bins(points, bins, range)
    return _histogram(points, make, _flat(weight), density)


# ---- edges


def _equal_bins(points: Tensor, bins: Sequence[int], range: Sequence[float] | None) -> list[Tensor]:
    for dim, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}")
    if range is not None and len(range) != 2 * len(bins):
        raise RuntimeError(
            f"torch.histogramdd: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, "
            f"but got {len(range)}"
        )
    if range is None and points.dtype not in (float32, float64):  # PyTorch finds the range of no other dtypes
        refuse_dtype("histogramdd", points.dtype)
    edges = []
    for dim, count in enumerate(bins):
        low, high = _limits(points[:, dim], dim, None if range is None else range[2 * dim : 2 * dim + 2])
        edges.append(linspace(low, high, count + 1, dtype=points.dtype))
    return edges


def _limits(coordinate: Tensor, dim: int, given: Sequence[float] | None) -> tuple[float, float]:
    if given is not None:
        low, high = given
    elif coordinate.numel() == 0:
        low, high = 0.0, 1.0
    else:
        low, high = coordinate.min().item(), coordinate.max().item()
    if not (isfinite(low) and isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
        )
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _given_bins(points: Tensor, bins: Sequence[Tensor]) -> list[Tensor]:
    for dim, edges in enumerate(bins):
        if edges.dtype != points.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{_spoken(points)} and bins for dimension {dim} with dtype {_spoken(edges)}"
            )
        if edges.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the "
                f"bins tensor for dimension {dim}"
            )
        if edges.numel() == 0:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor "
                f"for dimension {dim}"
            )
        if edges.numel() == 1:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got 0 for dimension {dim}")
    return [edges.detach().clone() for edges in bins]


# ---- counting


def _histogram(
    points: Tensor, edges: list[Tensor], weight: Tensor | None, density: bool
) -> tuple[Tensor, tuple[Tensor, ...]]:
    if not points.is_floating_point():
        refuse_dtype("histogram_cpu", points.dtype)
    if weight is not None:
        _check_weight(points, weight)
    shape = [edge.numel() - 1 for edge in edges]
    if weight is None and len(edges) == 1:
        hist = _counts(points[:, 0].contiguous(), edges[0]).to(points.dtype)
        return (_as_density(hist, edges) if density else hist), tuple(edges)
    inside, place = ones(points.size(0), dtype=float64), tensor(0)
    for dim, edge in enumerate(edges):
        # A bin has its left edge; the last one has both.
        x = points[:, dim].contiguous()
        at = (searchsorted(edge, x, right=True) - 1).clamp(0, shape[dim] - 1)
        inside = inside * ((x >= edge[0]) & (x <= edge[-1]))
        place = place * shape[dim] + at
    amount = inside if weight is None else where(inside != 0, weight.detach().to(float64), 0.0)
    place = place.expand(points.size(0))
    hist = place.bincount(amount, prod(shape)).reshape(shape).to(points.dtype)
    return (_as_density(hist, edges) if density else hist), tuple(edges)


def _counts(x: Tensor, edge: Tensor) -> Tensor:
    """How many of one row of numbers lie in each bin."""
    place = searchsorted(edge, x, out_int32=True, right=True)
    counts = place.bincount(minlength=edge.numel() + 1)[1:-1]  # without what lies before the first edge or after all
    counts[-1] += (x == edge[-1]).sum()  # the last bin has its right edge too
    return counts


def _as_density(hist: Tensor, edges: list[Tensor]) -> Tensor:
    hist = hist / hist.sum()
    for dim, edge in enumerate(edges):
        hist = hist / edge.diff().reshape([-1] + [1] * (hist.ndim - dim - 1))
    return hist


def _check_weight(points: Tensor, weight: Tensor) -> None:
    if weight.numel() != points.size(0):
        _refuse_weight_shape(points, weight)
    if weight.dtype != points.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({_spoken(points)}), and weight({_spoken(weight)})"
        )


def _refuse_weight_shape(input: Tensor, weight: Tensor) -> None:
    raise RuntimeError(
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "
        f"its innermost dimension, but got input with shape {list(input.shape)} and weight with shape "
        f"{list(weight.shape)}"
    )


def _flat(weight: Tensor | None) -> Tensor | None:
    return None if weight is None else weight.flatten()


def _one(result: tuple[Tensor, tuple[Tensor, ...]]) -> tuple[Tensor, Tensor]:
    hist, (edges,) = result
    return hist, edges


def _spoken(t: Tensor) -> str:
    """As C++ calls the type."""
    return {"torch.float32": "float", "torch.float64": "double", "torch.int64": "long int"}.get(
        repr(t.dtype), repr(t.dtype).removeprefix("torch.")
    )
