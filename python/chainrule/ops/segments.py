"""Reductions of the pieces that a dimension is cut into."""

from __future__ import annotations

from .. import arange, int64, searchsorted, where
from .._core import Tensor
from .checks import is_integral, refuse_dtype, wrap_dim

# The name in scatter_reduce, and what an empty segment gives.
_KINDS = {
    "sum": ("sum", 0.0),
    "prod": ("prod", 1.0),
    "mean": ("sum", 0.0),
    **dict.fromkeys(("max", "amax"), ("amax", float("-inf"))),
    **dict.fromkeys(("min", "amin"), ("amin", float("inf"))),
}


def segment_reduce(
    data: Tensor,
    reduce: str,
    lengths: Tensor | None,
    indices: Tensor | None,
    offsets: Tensor | None,
    axis: int,
    unsafe: bool,
    initial: float | None,
) -> Tensor:
    """Each segment along `axis` reduced to one element; the segments follow each other."""
    axis = wrap_dim(axis, data.ndim)
    _check(data, reduce, lengths, indices, offsets)
    starts, sizes = _segments(data, lengths, offsets, axis, unsafe)
    name, neutral = _KINDS[reduce]
    index, inside = _segment_of_each(data, starts, sizes, axis)
    shape = [*sizes.shape, *data.shape[axis + 1 :]]
    is_extreme = name in ("amax", "amin")
    begin = data.new_full(shape, neutral if initial is None or is_extreme else initial)
    if inside is not None:
        data = where(inside, data, neutral)
    folded = begin.scatter_reduce(axis, index, data, name, include_self=True)
    if is_extreme and initial is not None:  # where an element is as large, it gets the gradient
        folded = where(folded < initial if name == "amax" else folded > initial, initial, folded)
    if reduce != "mean":
        return folded
    counts = sizes.reshape([*sizes.shape, *[1] * (data.ndim - axis - 1)]).to(data.dtype)
    return folded / (counts if initial is None else counts.clamp_min(1))


def _check(data: Tensor, reduce: str, lengths: Tensor | None, indices: Tensor | None, offsets: Tensor | None) -> None:
    if reduce not in _KINDS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    cuts = lengths if offsets is None else offsets
    if cuts is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if not data.is_floating_point():
        refuse_dtype("_segment_reduce_cpu", data.dtype)
    if not is_integral(cuts.dtype):
        refuse_dtype("_segment_reduce_lengths_cpu_kernel1", cuts.dtype)


def _segments(
    data: Tensor, lengths: Tensor | None, offsets: Tensor | None, axis: int, unsafe: bool
) -> tuple[Tensor, Tensor]:
    """Where each segment begins, and how long it is."""
    cuts = lengths if offsets is None else offsets
    assert cuts is not None
    if cuts.ndim != axis + 1 or cuts.shape[:axis] != data.shape[:axis]:
        raise RuntimeError(
            f"Expected one row of segments for each row of data: data of shape {list(data.shape)} is reduced along "
            f"dimension {axis}, the segments have shape {list(cuts.shape)}"
        )
    cuts = cuts.to(int64)
    if offsets is not None:
        return cuts[..., :-1], cuts.diff(dim=-1)
    if not unsafe:
        if (cuts < 0).any():
            raise RuntimeError("lengths contains negative value!")
        if (cuts.sum(-1) != data.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                f"!unsafe. They sum to {cuts.sum(-1).tolist()}, the dimension has {data.shape[axis]}"
            )
    return cuts.cumsum(-1) - cuts, cuts


def _segment_of_each(data: Tensor, starts: Tensor, sizes: Tensor, axis: int) -> tuple[Tensor, Tensor | None]:
    """The segment of every element of `data`, and which elements are in one if not all are."""
    rows = arange(data.shape[axis]).expand([*starts.shape[:-1], data.shape[axis]]).contiguous()
    ends = (starts + sizes).contiguous()
    segment = searchsorted(ends, rows, right=True)  # past empty segments, which end where they begin
    inside = (segment < ends.shape[-1]) & (rows >= starts[..., :1])
    segment = segment.clamp_max(ends.shape[-1] - 1)

    def spread(t: Tensor) -> Tensor:
        return t.reshape([*t.shape, *[1] * (data.ndim - axis - 1)]).expand(data.shape)

    return spread(segment), None if inside.all() else spread(inside)
