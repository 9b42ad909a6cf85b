"""Dimensions of jagged tensors: turned, split, taken; the batch and the ragged dimension stay what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .conversions import wrapped_dim
from .jagged import NestedTensor, wrapped
from .kinds import packed
from .pattern import Pattern
from .ragged_size import RaggedSize


def inner_dim(x: NestedTensor, dim: int, name: str, count: int | None = None, ragged: bool = False) -> int:
    """The dimension among the packed values'; the batch dimension and, unless allowed, the ragged one are refused."""
    n = x.dim() if count is None else count
    if not -n <= dim < n:
        raise at_call(IndexError, f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    dim %= n
    if dim == x._rows.ragged and not ragged:
        raise at_call(RuntimeError, f"{name}(): not supported for NestedTensor on ragged dim: {_way_out(x, dim)}")
    if dim == 0:
        raise at_call(RuntimeError, f"{name}(): not supported for NestedTensor on dim=0: {_way_out(x, dim)}")
    return dim - 1


def _way_out(x: NestedTensor, dim: int) -> str:
    return f"dim {dim} of {tuple(x.shape)}; unbind() gives the rows, to_padded_tensor(padding) an ordinary tensor"


def _transpose(function: Callable, x: NestedTensor, dim0: int, dim1: int) -> Any:
    a, b, ragged = wrapped_dim(x, dim0), wrapped_dim(x, dim1), x._rows.ragged
    if ragged in (a, b) and a != b:
        if 0 in (a, b):
            raise at_call(ValueError, "Transpose is not supported on the batch dimension for jagged NT")
        return wrapped(function(packed(x), a - 1, b - 1), x._rows.with_ragged(b if a == ragged else a))
    return wrapped(function(packed(x), inner_dim(x, a, "transpose"), inner_dim(x, b, "transpose")), x._rows)


def _permute(function: Callable, x: NestedTensor, *dims: Any) -> Any:
    dims = _sizes(dims)
    if len(dims) != x.dim():
        raise at_call(
            ValueError,
            f"permute(): number of dimensions in the tensor input ({x.dim()}) does not match the length of the desired "
            f"ordering of dimensions ({len(dims)}).",
        )
    order = [wrapped_dim(x, d) for d in dims]
    if len(set(order)) < len(order):
        raise at_call(ValueError, f"permute(): duplicate dims are not allowed. Got {tuple(dims)}")
    if x.lengths() is not None:
        raise at_call(ValueError, "permute(): not supported on jagged layout nested tensor with holes")
    if order[0] != 0:
        raise at_call(ValueError, f"Permute is not supported on the batch dimension for jagged NT: got {tuple(dims)}")
    turned = packed(x).permute([d - 1 for d in order[1:]])
    return wrapped(turned, x._rows.with_ragged(order.index(x._rows.ragged)))


def _sizes(given: tuple) -> tuple:
    return tuple(given[0]) if len(given) == 1 and not isinstance(given[0], (int, RaggedSize)) else given


def _view(function: Callable, x: NestedTensor, *size: Any, **options: Any) -> Any:
    name, ragged = function.__name__, x._rows.ragged
    if len(size) == 1 and isinstance(size[0], _core.dtype):
        raise at_call(NotImplementedError, f"{name}(dtype): nested tensors have no such view; values().view(dtype) has")
    wanted = _sizes(size) if size else tuple(options["shape" if name == "reshape" else "size"])
    if ragged != 1 and tuple(x.shape) != tuple(wanted):
        shown = ", ".join(map(str, x.shape))
        raise at_call(
            RuntimeError,
            f"view(): does not support ragged_idx != 1 except when inp._size == size. inp._size is (({shown})) "
            "and size is "
            f"({list(wanted)}).",
        )
    end = ragged + 1
    fits = all(s == own or s == -1 for s, own in zip(wanted[:end], x.shape[:end], strict=False))
    if len(wanted) < max(3, end) or not fits:
        shown = ", ".join(map(str, x.shape))
        raise at_call(RuntimeError, f"{name}(): cannot view shape ({shown}) as {list(wanted)}")
    inner = list(wanted[1:])
    inner[ragged - 1] = packed(x).shape[ragged - 1]
    inner[: ragged - 1] = packed(x).shape[: ragged - 1]
    return wrapped(function(packed(x), tuple(inner)), x._rows)


def _view_as(function: Callable, x: Any, other: Any) -> Any:
    return getattr(x, function.__name__.removesuffix("_as"))(other.shape)


def _unflatten(function: Callable, x: NestedTensor, dim: int, sizes: Any) -> Any:
    inner = inner_dim(x, dim, "unflatten")
    ragged = x._rows.ragged + (len(sizes) - 1 if inner < x._rows.ragged - 1 else 0)
    return wrapped(function(packed(x), inner, sizes), x._rows.with_ragged(ragged))


def _flatten(function: Callable, x: NestedTensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    start, end = inner_dim(x, start_dim, "flatten"), inner_dim(x, end_dim, "flatten")
    ragged = x._rows.ragged - 1
    if start <= ragged <= end:
        raise at_call(
            RuntimeError, f"flatten(): not supported for NestedTensor on ragged dim: {_way_out(x, ragged + 1)}"
        )
    if start == end:
        return x
    return wrapped(
        function(packed(x), start, end), x._rows.with_ragged(x._rows.ragged - (end - start) * (end < ragged))
    )


def _squeeze(function: Callable, x: NestedTensor, dim: Any = None) -> Any:
    if not isinstance(dim, int):
        raise at_call(
            NotImplementedError, f"aten.squeeze.default: squeeze() of a nested tensor takes one dim, got {dim}"
        )
    inner = inner_dim(x, dim, "squeeze")
    values = function(packed(x), inner)
    fewer = packed(x).dim() - values.dim() if inner < x._rows.ragged - 1 else 0
    return wrapped(values, x._rows.with_ragged(x._rows.ragged - fewer))


def _unsqueeze(function: Callable, x: NestedTensor, dim: int) -> Any:
    inner = inner_dim(x, dim, "unsqueeze", x.dim() + 1, ragged=True)
    return wrapped(function(packed(x), inner), x._rows.with_ragged(x._rows.ragged + (inner <= x._rows.ragged - 1)))


def _expand(function: Callable, x: NestedTensor, *size: Any) -> Any:
    wanted, end = _sizes(size), x._rows.ragged + 1
    if len(wanted) != x.dim() or not all(
        s == own or s == -1 for s, own in zip(wanted[:end], x.shape[:end], strict=True)
    ):
        shown = ", ".join(map(str, x.shape))
        raise at_call(RuntimeError, f"expand(): cannot expand shape ({shown}) -> {list(wanted)}")
    inner = [-1 if d < end else wanted[d] for d in range(1, x.dim())]
    return wrapped(packed(x).expand(inner), x._rows)


def _expand_as(function: Callable, x: Tensor, other: Tensor) -> Any:
    if isinstance(x, NestedTensor):
        return x.expand(other.shape)
    assert isinstance(other, NestedTensor)
    from .elementwise import aligned

    return wrapped(aligned(other, x, "expand_as").expand(packed(other).shape), other._rows)


# ---- parts


def _unbind(function: Callable, x: NestedTensor, dim: int = 0) -> tuple:
    if wrapped_dim(x, dim) != 0:
        raise at_call(RuntimeError, f"unbind(): only supported for NestedTensor on dim=0, got dim={dim}")
    values, pattern = packed(x), x._rows
    inner = pattern.ragged - 1
    if pattern.covers(values.shape[inner]):
        return tuple(values.split(pattern.counts, inner))
    return tuple(
        values.narrow(inner, start, count) for start, count in zip(pattern.starts, pattern.counts, strict=True)
    )


def _chunk(function: Callable, x: NestedTensor, chunks: int, dim: int = 0) -> tuple:
    if wrapped_dim(x, dim) == 0:
        return _chunk_of_rows(x, chunks)
    return tuple(wrapped(part, x._rows) for part in function(packed(x), chunks, inner_dim(x, dim, "chunk")))


def _chunk_of_rows(x: NestedTensor, chunks: int) -> tuple:
    """PyTorch's chunks of the batch: each has offsets of its own."""
    if x.lengths() is not None:
        raise at_call(
            RuntimeError, "chunk(): not supported on dim=0 for nested tensors with holes; contiguous() has none"
        )
    counts, pattern = x.offsets().diff(), x._rows
    results, start = [], pattern.starts[0] if pattern.starts else 0
    for part in counts.chunk(chunks):
        length = int(part.sum())
        values = packed(x).narrow(pattern.ragged - 1, start, length)
        offsets = _core.functions["cat"]([part.new_zeros(1), part.cumsum(0)])
        results.append(wrapped(values, Pattern(offsets, None, pattern.ragged)))
        start += length
    return tuple(results)


def _split(function: Callable, x: NestedTensor, split_size: Any, dim: int = 0) -> Any:
    parts = function(packed(x), split_size, inner_dim(x, dim, function.__name__))
    return tuple(wrapped(part, x._rows) for part in parts)


def _narrow(function: Callable, x: NestedTensor, dim: int, start: Any, length: int) -> Any:
    return wrapped(function(packed(x), inner_dim(x, dim, "narrow"), start, length), x._rows)


def _select(function: Callable, x: NestedTensor, dim: int, index: int) -> Any:
    if wrapped_dim(x, dim) == 0:
        return _row(x, index)
    inner = inner_dim(x, dim, "select")
    if x.lengths() is not None:
        raise at_call(ValueError, "select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes")
    ragged = x._rows.ragged - (inner < x._rows.ragged - 1)
    return wrapped(packed(x).select(inner, index), x._rows.with_ragged(ragged))


def _row(x: NestedTensor, index: int) -> Tensor:
    pattern = x._rows
    count = len(pattern.counts)
    if not -count <= index < count:
        raise at_call(IndexError, f"index {index} is out of bounds for dimension 0 with size {count}")
    return packed(x).narrow(pattern.ragged - 1, pattern.starts[index], pattern.counts[index])


def _subscript(function: Callable, x: NestedTensor, index: Any) -> Any:
    items = list(index) if isinstance(index, tuple) else [index]
    if sum(item is Ellipsis for item in items) == 1:
        at = next(i for i, item in enumerate(items) if item is Ellipsis)
        given = sum(item is not None for item in items) - 1
        items[at : at + 1] = [slice(None)] * (x.dim() - given)
    if not all(item is None or isinstance(item, slice) or type(item) is int for item in items):
        raise at_call(
            NotImplementedError,
            f"aten.index.Tensor: nested tensors take integers, slices and None as an index, got {index}; unbind() "
            "gives "
            "the rows",
        )
    result: Any = x
    dim = 0
    for item in items:
        if item is None:
            result = result.unsqueeze(dim)
        elif type(item) is int:
            result = result.select(dim, item)
            if dim == 0:  # one row, an ordinary tensor
                rest = tuple(items[1:])
                return result[rest] if rest else result
            continue
        elif item != slice(None):
            inner = inner_dim(result, dim, "slice")
            result = wrapped(packed(result)[(slice(None),) * inner + (item,)], result._rows)
        dim += 1
    return result._alike(packed(result)) if result is x else result


def _assign(function: Callable, x: Any, index: Any, value: Any) -> None:
    raise at_call(
        NotImplementedError,
        "aten.index_put_.default: a nested tensor cannot be assigned to by an index; unbind()[row][...] = value writes "
        "into a row",
    )


def _masked_select(function: Callable, x: Any, mask: Any) -> Any:
    if not (isinstance(x, NestedTensor) and isinstance(mask, NestedTensor)) or x.dim() > 2:
        raise at_call(RuntimeError, "masked_select only support 2-D selections currently, of and by nested tensors")
    if x.shape != mask.shape:
        raise at_call(RuntimeError, f"Mask with shape {mask.shape} is not compatible with input's shape {x.shape}")
    if x.lengths() is not None:
        raise at_call(
            RuntimeError, "masked_select(): not supported for nested tensors with holes; contiguous() has none"
        )
    chosen = packed(mask)
    before = _core.functions["cat"]([x.offsets().new_zeros(1), chosen.cumsum(0)])
    return wrapped(packed(x).masked_select(chosen), Pattern(before[x.offsets()], None, x._rows.ragged))


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _transpose),
    "permute": _permute,
    **dict.fromkeys(("view", "reshape"), _view),
    **dict.fromkeys(("view_as", "reshape_as"), _view_as),
    "unflatten": _unflatten,
    "flatten": _flatten,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    **dict.fromkeys(("expand", "broadcast_to"), _expand),
    "expand_as": _expand_as,
    "unbind": _unbind,
    "chunk": _chunk,
    **dict.fromkeys(("split", "split_with_sizes"), _split),
    "narrow": _narrow,
    "select": _select,
    "__getitem__": _subscript,
    "__setitem__": _assign,
    "masked_select": _masked_select,
}
