"""torchvision's compiled operations, where torchvision looks for them: torch.ops.torchvision.

Averages over boxes are separable: the weights of rows times those of columns. So a box is two products with a piece of
the image, and its gradient is the two products transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import _core
from ._core import Tensor, int64
from .autograd.function import Function, once_differentiable
from .library_definitions import DefinedOp
from .ops.einsum import einsum

_functions = _core.functions
_zeros, _arange, _stack = _functions["zeros"], _functions["arange"], _functions["stack"]


def operation(name: str) -> DefinedOp | None:
    """The operation of that name."""
    if name not in _OPERATIONS:
        return None
    schema, function = _OPERATIONS[name]
    op = _VisionOp(f"torchvision::{name}", schema)
    op.register("CompositeImplicitAutograd", function)
    return op


class _VisionOp(DefinedOp):
    """An operation with a gradient of its own, which it keeps."""

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """Does nothing: torchvision registers the same gradient, by way of its compiled operations."""


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """The boxes that stay, by falling score: each takes away those that overlap it by more than the threshold."""
    if dets.dim() != 2 or dets.size(1) != 4:
        raise RuntimeError(f"boxes should be a 2d tensor with 4 columns, got a tensor of shape {tuple(dets.shape)}")
    if scores.dim() != 1 or scores.size(0) != dets.size(0):
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, got "
            f"{dets.size(0)} and {scores.size(0)}"
        )
    order = scores.detach().argsort(dim=0, descending=True, stable=True)
    x1, y1, x2, y2 = dets.detach()[order].unbind(1)
    areas = (x2 - x1) * (y2 - y1)
    gone = [False] * len(order)
    kept = []
    for i in range(len(order)):
        if gone[i]:
            continue
        kept.append(i)
        rest = slice(i + 1, None)
        width = (x2[i].minimum(x2[rest]) - x1[i].maximum(x1[rest])).clamp(min=0)
        height = (y2[i].minimum(y2[rest]) - y1[i].maximum(y1[rest])).clamp(min=0)
        shared = width * height
        over = shared / (areas[i] + areas[rest] - shared) > iou_threshold
        for j in over.nonzero().flatten().tolist():
            gone[i + 1 + j] = True
    return order[_functions["tensor"](kept, dtype=int64)]


# ---- averages over boxes


def _line_weights(start: Tensor, size: Tensor, bins: int, length: int, sampling_ratio: int) -> Tensor:
    """How much each pixel of a line counts for each bin of each box: the mean of points between two pixels each."""
    per_bin = size / bins
    counts = (size / bins).ceil().clamp(min=0) if sampling_ratio <= 0 else _functions["full_like"](size, sampling_ratio)
    most = int(counts.max().item()) if counts.numel() else 0
    at = _arange(most, dtype=start.dtype)[None, None, :]
    step = (per_bin / counts.clamp(min=1))[:, None, None]
    bin_start = start[:, None, None] + _arange(bins, dtype=start.dtype)[None, :, None] * per_bin[:, None, None]
    points = bin_start + (at + 0.5) * step
    counted = (at < counts[:, None, None]) & (points >= -1.0) & (points <= length)
    points = points.clamp(min=0)
    low = points.floor().clamp(max=length - 1)
    points = _functions["where"](low >= length - 1, low, points)
    fraction = points - low
    share = counted.to(start.dtype) / counts.clamp(min=1)[:, None, None]
    weights = _zeros(len(start), bins, length, dtype=start.dtype)
    low = low.to(int64)
    weights.scatter_add_(2, low, share * (1 - fraction))
    return weights.scatter_add_(2, (low + 1).clamp(max=length - 1), share * fraction)


def _whole_pixel_weights(start: Tensor, size: Tensor, bins: int, length: int, end: int) -> Tensor:
    """The same, where each bin takes whole pixels before the end, all of them alike."""
    per_bin = size / bins
    numbers = _arange(bins, dtype=start.dtype)[None, :]
    first = ((numbers * per_bin[:, None]).floor() + start[:, None]).clamp(0, end)
    last = (((numbers + 1) * per_bin[:, None]).ceil() + start[:, None]).clamp(0, end)
    pixels = _arange(length, dtype=start.dtype)[None, None, :]
    inside = ((pixels >= first[:, :, None]) & (pixels < last[:, :, None])).to(start.dtype)
    return inside / (last - first).clamp(min=1)[:, :, None]


def _touched(weights: Tensor) -> list[slice]:
    """Which part of the line each box touches."""
    used = weights.any(1)
    ranges = []
    for row in used:
        pixels = row.nonzero().flatten()
        ranges.append(slice(int(pixels[0]), int(pixels[-1]) + 1) if len(pixels) else slice(0, 0))
    return ranges


class _BoxAverages(Function):
    """Averages over boxes of images, by weights of rows and columns; position-sensitive: each bin has its channels.

    `back` has the weights of the gradient.
    """

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, images: Tensor, weights: tuple, back: tuple | None = None, by_position: bool = False
    ) -> Tensor:
        ctx.images, ctx.back = images.tolist(), back or weights
        ctx.shape, ctx.by_position = input.shape, by_position
        bins = weights[0].size(1), weights[1].size(1)
        channels = input.size(1) // (bins[0] * bins[1] if by_position else 1)
        result = _zeros(len(ctx.images), channels, *bins, dtype=input.dtype)
        for i, (image, down, across, rows, columns) in enumerate(_pieces(ctx.images, *weights)):
            piece = input[image, :, down, across]
            if by_position:
                result[i] = einsum("cijhw,ih,jw->cij", piece.unflatten(0, (channels, *bins)), rows, columns)
            else:
                result[i] = rows @ piece @ columns.t()
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Any:
        result = _zeros(*ctx.shape, dtype=g.dtype)
        for i, (image, down, across, rows, columns) in enumerate(_pieces(ctx.images, *ctx.back)):
            if ctx.by_position:
                result[image, :, down, across] += einsum("cij,ih,jw->cijhw", g[i], rows, columns).flatten(0, 2)
            else:
                result[image, :, down, across] += rows.t() @ g[i] @ columns
        return result, None, None, None, None


def _pieces(images: list[int], rows: Tensor, columns: Tensor) -> Iterator[tuple[int, slice, slice, Tensor, Tensor]]:
    """For each box its image, the part that it touches, and the weights there."""
    for i, (image, down, across) in enumerate(zip(images, _touched(rows), _touched(columns), strict=True)):
        yield image, down, across, rows[i, :, down], columns[i, :, across]


def _check_boxes(name: str, input: Tensor, rois: Tensor) -> None:
    if rois.dim() != 2 or rois.size(1) != 5:
        raise RuntimeError("Tensor rois should have shape as Tensor[K, 5]")
    if input.dtype != rois.dtype:
        raise RuntimeError(
            f"{name}: expected tensor for input and rois of one dtype, got {input.dtype} and {rois.dtype}"
        )


def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool = False,
) -> Tensor:
    """The mean of points in each bin of each box."""
    _check_boxes("roi_align", input, rois)
    boxes = rois.detach()[:, 1:] * spatial_scale - (0.5 if aligned else 0.0)
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    if not aligned:
        width, height = width.clamp(min=1), height.clamp(min=1)
    rows = _line_weights(boxes[:, 1], height, pooled_height, input.size(2), sampling_ratio)
    columns = _line_weights(boxes[:, 0], width, pooled_width, input.size(3), sampling_ratio)
    return _BoxAverages.apply(input, rois[:, 0].to(int64), (rows, columns))


def _mapping(input: Tensor, rois: Tensor, height: int, width: int) -> Tensor:
    """Which channel of the input each element of a position-sensitive result comes from."""
    if input.size(1) % (height * width):
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")
    channels = input.size(1) // (height * width)
    mapping = _arange(input.size(1), dtype=_core.int32).reshape(1, channels, height, width)
    return mapping.expand(len(rois), -1, -1, -1).contiguous()


def ps_roi_align(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int
) -> tuple[Tensor, Tensor]:
    """roi_align in which each bin has channels of its own."""
    _check_boxes("ps_roi_align", input, rois)
    mapping = _mapping(input, rois, pooled_height, pooled_width)
    boxes = rois.detach()[:, 1:] * spatial_scale - 0.5
    rows = _line_weights(boxes[:, 1], boxes[:, 3] - boxes[:, 1], pooled_height, input.size(2), sampling_ratio)
    columns = _line_weights(boxes[:, 0], boxes[:, 2] - boxes[:, 0], pooled_width, input.size(3), sampling_ratio)
    return _BoxAverages.apply(input, rois[:, 0].to(int64), (rows, columns), None, True), mapping


def ps_roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """The mean of whole pixels in each bin of each box, each bin with channels of its own."""
    _check_boxes("ps_roi_pool", input, rois)
    mapping = _mapping(input, rois, pooled_height, pooled_width)
    boxes = _away_from_zero(rois.detach()[:, 1:] * spatial_scale)
    height, width = (boxes[:, 3] - boxes[:, 1]).clamp(min=1), (boxes[:, 2] - boxes[:, 0]).clamp(min=1)
    sides = (boxes[:, 1], height, pooled_height, input.size(2)), (boxes[:, 0], width, pooled_width, input.size(3))
    # torchvision's value leaves out the last row and column of the image, and its gradient does not.
    weights = tuple(_whole_pixel_weights(*side, side[-1] - 1) for side in sides)
    back = tuple(_whole_pixel_weights(*side, side[-1]) for side in sides)
    return _BoxAverages.apply(input, rois[:, 0].to(int64), weights, back, True), mapping


# ---- the largest of boxes


def _away_from_zero(x: Tensor) -> Tensor:
    """Rounded as C's round() does it, halves away from zero."""
    return (x.abs() + 0.5).floor() * x.sign()


def roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """The largest element in each bin of each box, and where it is."""
    _check_boxes("roi_pool", input, rois)
    boxes = _away_from_zero(rois.detach()[:, 1:] * spatial_scale)
    size = (boxes[:, 2:] - boxes[:, :2] + 1).clamp(min=1)
    images = rois[:, 0].to(int64)
    down = _ranges(boxes[:, 1], size[:, 1], pooled_height, input.size(2))
    across = _ranges(boxes[:, 0], size[:, 0], pooled_width, input.size(3))
    where = _functions["full"]((len(rois), input.size(1), pooled_height, pooled_width), -1, dtype=int64)
    values = input.detach()
    for i, image in enumerate(images.tolist()):
        for row, (top, bottom) in enumerate(down[i]):
            for column, (left, right) in enumerate(across[i]):
                if top < bottom and left < right:
                    best = values[image, :, top:bottom, left:right].flatten(1).argmax(1)
                    width = right - left
                    where[i, :, row, column] = (top + best // width) * input.size(3) + left + best % width
    flat = input.flatten(2)[images]
    picked = flat.gather(2, where.clamp(min=0).flatten(2)).reshape(where.shape)
    return _functions["where"](where >= 0, picked, _functions["zeros_like"](picked)), where.to(_core.int32)


def _ranges(start: Tensor, size: Tensor, bins: int, length: int) -> list[list[tuple[int, int]]]:
    numbers = _arange(bins, dtype=start.dtype)[None, :]
    per_bin = (size / bins)[:, None]
    first = ((numbers * per_bin).floor() + start[:, None]).clamp(0, length).to(int64).tolist()
    last = (((numbers + 1) * per_bin).ceil() + start[:, None]).clamp(0, length).to(int64).tolist()
    return [list(zip(a, b, strict=True)) for a, b in zip(first, last, strict=True)]


# ---- convolutions whose points move


def _between_pixels(image: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """The values of images [N, C, H, W] at points [N, P] between pixels: [N, C, P]; outside they are 0."""
    height, width = image.shape[2:]
    flat = image.flatten(2)
    top, left = y.detach().floor(), x.detach().floor()
    result: Any = 0
    for dy in (0, 1):
        for dx in (0, 1):
            row, column = top + dy, left + dx
            weight = (1 - (y - row).abs()) * (1 - (x - column).abs())
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            at = row.clamp(0, height - 1) * width + column.clamp(0, width - 1)
            at = at.to(int64)[:, None, :].expand(-1, flat.size(1), -1)
            result = result + flat.gather(2, at) * (weight * inside)[:, None, :]
    return result


def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """A convolution that takes its points at an offset each, and counts each by its mask."""
    samples, channels, height, width = input.shape
    out_channels, per_group, kh, kw = weight.shape
    out_h = (height + 2 * pad_h - dilation_h * (kh - 1) - 1) // stride_h + 1
    out_w = (width + 2 * pad_w - dilation_w * (kw - 1) - 1) // stride_w + 1
    if tuple(offset.shape) != (samples, 2 * offset_groups * kh * kw, out_h, out_w):
        raise RuntimeError(
            f"offset.shape is {tuple(offset.shape)}, and ({samples}, {2 * offset_groups * kh * kw}, {out_h}, {out_w}) "
            "is expected: two numbers for each group of offsets, each point of the kernel and each result"
        )
    moves = offset.reshape(samples, offset_groups, kh * kw, 2, out_h, out_w)
    kernel = _arange(kh * kw, dtype=input.dtype)
    y = (kernel // kw * dilation_h - pad_h)[:, None, None] + (_arange(out_h, dtype=input.dtype) * stride_h)[
        None, :, None
    ]
    x = (kernel % kw * dilation_w - pad_w)[:, None, None] + (_arange(out_w, dtype=input.dtype) * stride_w)[
        None, None, :
    ]
    points = samples * offset_groups, kh * kw * out_h * out_w
    pieces = input.reshape(samples * offset_groups, channels // offset_groups, height, width)
    values = _between_pixels(pieces, (y + moves[:, :, :, 0]).reshape(points), (x + moves[:, :, :, 1]).reshape(points))
    if use_mask:
        values = values * mask.reshape(samples * offset_groups, 1, -1)
    columns = values.reshape(samples, groups, per_group * kh * kw, out_h * out_w)
    kernels = weight.reshape(1, groups, out_channels // groups, per_group * kh * kw)
    return (kernels @ columns).reshape(samples, out_channels, out_h, out_w) + bias[None, :, None, None]


_BOX = "Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width"
_OPERATIONS: dict[str, tuple[str, Callable]] = {
    "nms": ("(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", nms),
    "roi_align": (f"({_BOX}, int sampling_ratio, bool aligned) -> Tensor", roi_align),
    "roi_pool": (f"({_BOX}) -> (Tensor, Tensor)", roi_pool),
    "ps_roi_align": (f"({_BOX}, int sampling_ratio) -> (Tensor, Tensor)", ps_roi_align),
    "ps_roi_pool": (f"({_BOX}) -> (Tensor, Tensor)", ps_roi_pool),
    "deform_conv2d": (
        "(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, int stride_h, int stride_w, int pad_h, "
        "int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, bool use_mask) -> Tensor",
        deform_conv2d,
    ),
    "_cuda_version": ("() -> int", lambda: -1),
}
