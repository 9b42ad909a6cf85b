"""Operations that others make up, inside vmap: each is said once more in terms of operations that have a rule."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .batch_elementwise import elementwise
from .batch_rules import RULES, Call
from .batched import at_depth

_functions = _core.functions


def composed(*names: str) -> Callable[[Callable], Callable]:
    """Registers a function of batched tensors as the rule."""

    def register(f: Callable) -> Callable:
        def run(call: Call, *args: Any, **kwargs: Any) -> Any:
            with at_depth(call.level):
                return f(*args, **kwargs)

        RULES.update(dict.fromkeys(names, run))
        return f

    return register


RULES.update(dict.fromkeys(["complex", "polar", "frexp"], elementwise))


def _masked_fill(call: Call, input: Tensor, mask: Tensor, value: Any) -> Any:
    if not isinstance(value, Tensor):
        return elementwise(call, input, mask, value)
    with at_depth(call.level):
        return _functions["where"](mask, value.to(input.dtype), input)


RULES["masked_fill"] = _masked_fill


# ---- copies of views


def _copy(name: str, input: Tensor, *args: Any, **kwargs: Any) -> Any:
    result = getattr(input, name)(*args, **kwargs)
    return result.clone() if isinstance(result, Tensor) else tuple(part.clone() for part in result)


_VIEWS = "detach diagonal expand permute select squeeze t transpose unsqueeze view narrow split split_with_sizes unbind"
for _name in _VIEWS.split():
    composed(f"{_name}_copy")(functools.partial(_copy, _name))
composed("alias_copy")(lambda input: input.clone())
for _name in ("chunk", "split", "split_with_sizes"):
    composed(f"unsafe_{_name}")(_functions[_name])


composed("unfold_copy")(lambda input, dimension, size, step: input.unfold(dimension, size, step).clone())
composed("view_as_complex_copy")(lambda input: _functions["view_as_complex"](input).clone())
composed("is_same_size")(lambda input, other: tuple(input.shape) == tuple(other.shape))


def _sliced(input: Tensor, dim: int, start: int | None, end: int | None, step: int) -> Tensor:
    return input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)]


@composed("slice_copy")
def _slice_copy(input: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    return _sliced(input, dim, start, end, step).clone()


# ---- turning and taking apart

composed("fliplr")(lambda input: input.flip(1))
composed("flipud")(lambda input: input.flip(0))
composed("msort")(lambda input: input.sort(0)[0])
composed("trace")(lambda input: input.diagonal().sum())
composed("diagflat")(lambda input, offset=0: _functions["diag_embed"](input.reshape(-1), offset))


@composed("rot90")
def _rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    a, b = dims
    turns = {0: lambda x: x.clone(), 1: lambda x: x.flip(b).transpose(a, b)}
    turns |= {2: lambda x: x.flip((a, b)), 3: lambda x: x.flip(a).transpose(a, b)}
    return turns[k % 4](input)


@composed("channel_shuffle")
def _channel_shuffle(input: Tensor, groups: int) -> Tensor:
    images, channels, *space = input.shape
    return input.reshape(images, groups, channels // groups, *space).transpose(1, 2).reshape(input.shape)


@composed("fill")
def _fill(input: Tensor, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        return _functions["full_like"](input, value)
    return value.to(input.dtype).expand(input.shape).clone()


@composed("sum_to_size")
def _sum_to_size(input: Tensor, *size: Any) -> Tensor:
    wanted = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    more = input.ndim - len(wanted)
    shrunk = [i for i in range(more, input.ndim) if wanted[i - more] == 1 and input.shape[i] != 1]
    summed = input.sum(tuple(shrunk), keepdim=True) if shrunk else input
    summed = summed.sum(tuple(range(more))) if more else summed
    if tuple(summed.shape) != tuple(wanted):
        raise at_call(RuntimeError, f"size {{{list(wanted)}}} is not expandable to size {{{list(input.shape)}}}.")
    return summed


# ---- differences and areas


@composed("diff")
def _diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    parts = [t for t in (prepend, input, append) if t is not None]
    x = _functions["cat"](parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, x.shape[dim])):
        size = x.shape[dim]
        ahead, behind = x.narrow(dim, 1, size - 1), x.narrow(dim, 0, size - 1)
        x = ahead ^ behind if x.dtype == _core.bool else ahead - behind
    return x if n else x.clone()


# ---- products


@composed("linalg_vecdot")
def _vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    return (x.conj() * y).sum(dim)


@composed("kron")
def _kron(input: Tensor, other: Tensor) -> Tensor:
    rank = max(input.ndim, other.ndim)
    a, b = (t.reshape((1,) * (rank - t.ndim) + tuple(t.shape)) for t in (input, other))
    left = [n for size in a.shape for n in (size, 1)]
    right = [n for size in b.shape for n in (1, size)]
    shape = [m * n for m, n in zip(a.shape, b.shape, strict=True)]
    return (a.reshape(left) * b.reshape(right)).reshape(shape)


@composed("inner")
def _inner(input: Tensor, other: Tensor) -> Tensor:
    if not input.ndim or not other.ndim:
        return input * other
    return _functions["tensordot"](input, other, ([-1], [-1]))


@composed("tensordot")
def _tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    if isinstance(dims, int):
        first, second = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        first, second = ([d] if isinstance(d, int) else [int(n) for n in d] for d in dims)
    first, second = [d % a.ndim for d in first], [d % b.ndim for d in second]
    kept_a = [d for d in range(a.ndim) if d not in first]
    kept_b = [d for d in range(b.ndim) if d not in second]
    shape = [*(a.shape[d] for d in kept_a), *(b.shape[d] for d in kept_b)]
    inner = math.prod(a.shape[d] for d in first)
    left = a.permute(*kept_a, *first).reshape(math.prod(a.shape[d] for d in kept_a), inner)
    right = b.permute(*second, *kept_b).reshape(inner, math.prod(b.shape[d] for d in kept_b))
    return (left @ right).reshape(shape)


# ---- writing into a copy


@composed("select_scatter")
def _select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    return _with_part(input, src, lambda whole: whole.select(dim, index))


@composed("diagonal_scatter")
def _diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return _with_part(input, src, lambda whole: whole.diagonal(offset, dim1, dim2))


@composed("slice_scatter")
def _slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    return _with_part(input, src, lambda whole: _sliced(whole, dim, start, end, step))


def _with_part(input: Tensor, src: Tensor, part: Callable[[Tensor], Tensor]) -> Tensor:
    """A copy of which one part is another tensor; the choice that is never made batches the copy where src is."""
    whole = input.clone()
    whole = _functions["where"](_functions["zeros_like"](src, dtype=_core.bool).any(), 0, whole)
    part(whole).copy_(src)
    return whole


# ---- lengths of differences


@composed("dist")
def _dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return (input - other).norm(p)


# ---- look-up tables


@composed("_embedding_bag_sum")
def _embedding_bag_sum(
    weight: Tensor,
    indices: Tensor,
    starts: Tensor,
    factors: Tensor | None,
    padding_idx: int,
    scale_grad_by_freq: bool,
    mean: bool,
    sparse: bool,
) -> Tensor:
    rows = _functions["embedding"](weight, indices, padding_idx, scale_grad_by_freq, sparse)
    counted = (indices != padding_idx).to(rows.dtype).unsqueeze(1)
    places = _functions["arange"](indices.shape[0], device=indices.device).to(starts.dtype)
    bags = (_functions["searchsorted"](starts, places, right=True) - 1).clamp_min(0)
    share = (bags == _functions["arange"](starts.shape[0], device=starts.device).unsqueeze(1)).to(rows.dtype)
    total = share @ (rows * counted if factors is None else rows * counted * factors.unsqueeze(1))
    return total / (share @ counted).clamp_min(1) if mean else total
