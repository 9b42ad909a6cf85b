"""Operations that move the places of values: transposes, selections, joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from .convert import to_coo
from .elementwise import unsupported
from .history import assembled, coalesced, loose, opened, values_of
from .parts import BSC, BSR, COO, CSC, CSR, CompressedPattern, CooPattern, is_sparse, pattern_of, viewing

_functions = _core.functions
_TURNED = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}


def wrapped(dim: int, ndim: int) -> int:
    """A dimension counted from the front."""
    if not -ndim <= dim < max(ndim, 1):
        raise at_call(
            IndexError,
            f"Dimension out of range (expected to be in range of [{-max(ndim, 1)}, {max(ndim, 1) - 1}], but got {dim})",
        )
    return dim % ndim if ndim else 0


def permute(input: Tensor, *dims: Any) -> Tensor:
    """COO with its dimensions in another order; sparse and dense ones stay among themselves."""
    order = list(dims[0]) if len(dims) == 1 and not isinstance(dims[0], int) else list(dims)
    _check_order(input, order)
    pattern = pattern_of(input)
    if pattern.layout is not COO:
        if sorted(wrapped(d, input.ndim) for d in order) == list(range(input.ndim)) and input.ndim == 2:
            return input if wrapped(order[0], 2) == 0 else transpose(input, 0, 1)
        raise unsupported("permute", input)
    order = [wrapped(d, input.ndim) for d in order]
    pattern, values = loose(input)
    n = len(pattern.outer)
    if any((d < n) != (i < n) for i, d in enumerate(order)):
        raise at_call(
            RuntimeError,
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
            "transpositions within sparse and dense dimensions are supported.",
        )
    size = [pattern.size[d] for d in order]
    moved = values.permute(0, *(d - n + 1 for d in order[n:]))
    same = order[:n] == list(range(n))
    indices = pattern.indices if same else pattern.indices.index_select(0, _functions["tensor"](order[:n]))
    return viewing(
        assembled(moved, CooPattern(indices, size, pattern.coalesced and (same or not pattern.count))), input
    )


def _check_order(input: Tensor, order: Sequence[int]) -> None:
    if len(order) != input.ndim:
        raise at_call(
            RuntimeError,
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}",
        )
    if len({wrapped(d, input.ndim) for d in order}) < len(order):
        raise at_call(RuntimeError, "permute(): duplicate dims are not allowed.")


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    a, b = wrapped(dim0, input.ndim), wrapped(dim1, input.ndim)
    pattern = pattern_of(input)
    if pattern.layout is not COO:
        return viewing(_transposed_compressed(input, a, b), input)
    n = len(pattern.outer)
    if (a < n) != (b < n):
        raise at_call(
            RuntimeError,
            f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {n}, d0: {a}, d1: {b}",
        )
    order = list(range(input.ndim))
    order[a], order[b] = b, a
    return permute(input, order)


def _transposed_compressed(x: Tensor, a: int, b: int) -> Tensor:
    pattern, values = pattern_of(x), values_of(x)
    at = pattern.batch
    if x.ndim > at + 2:
        raise at_call(
            RuntimeError, "transpose(): hybrid sparse compressed tensors with dense dimensions are not supported"
        )
    kinds = ["Batch" if d < at else "Sparse" for d in (a, b)]
    if kinds[0] != kinds[1]:
        raise at_call(
            RuntimeError,
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{a}({kinds[0]}) and {b}({kinds[1]})",
        )
    if a == b:
        return assembled(values, pattern)
    size = list(pattern.size)
    size[a], size[b] = size[b], size[a]
    starts, plain = pattern.starts, pattern.plain
    if a < at:
        starts, plain, values = starts.transpose(a, b), plain.transpose(a, b), values.transpose(a, b)
        return assembled(values, CompressedPattern(pattern.layout, starts, plain, size, pattern.block))
    if pattern.layout in (BSR, BSC):
        values = values.transpose(at + 1, at + 2)
    return assembled(values, CompressedPattern(_TURNED[pattern.layout], starts, plain, size, pattern.block[::-1]))


def t(input: Tensor) -> Tensor:
    pattern = pattern_of(input)
    if pattern.layout is not COO and input.ndim > 2:
        raise at_call(RuntimeError, f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    if pattern.layout is COO and (input.ndim > 2 or len(pattern.outer) < input.ndim):
        n = len(pattern.outer)
        raise at_call(
            RuntimeError,
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {n} sparse and {input.ndim - n} "
            "dense dimensions",
        )
    return transpose(input, 0, 1) if input.ndim == 2 else input


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    at = wrapped(dim, input.ndim + 1)
    if pattern_of(input).layout is not COO:
        raise unsupported("unsqueeze", input)
    pattern, values = loose(input)
    size, n = list(pattern.size), len(pattern.outer)
    size.insert(at, 1)
    if at > n:
        return assembled(values.unsqueeze(at - n + 1), CooPattern(pattern.indices, size, pattern.coalesced))
    rows = pattern.indices
    zeros = rows.new_zeros(1, rows.shape[1])
    indices = _functions["cat"]([rows[:at], zeros, rows[at:]])
    return viewing(assembled(values, CooPattern(indices, size, pattern.coalesced)), input)


def as_real(input: Tensor) -> Tensor:
    """Complex COO with its two parts in a new dense dimension."""
    if pattern_of(input).layout is not COO:
        raise unsupported("view_as_real", input)
    if not input.is_complex():
        raise at_call(RuntimeError, "view_as_real_sparse is only supported for complex sparse tensors")
    pattern, values = loose(input)
    found = CooPattern(pattern.indices, (*pattern.size, 2), pattern.coalesced)
    return viewing(assembled(_functions["view_as_real"](values), found), input)


def as_complex(input: Tensor) -> Tensor:
    """COO whose last dimension, a dense one, has the two parts."""
    pattern = pattern_of(input)
    if pattern.layout is not COO:
        raise unsupported("view_as_complex", input)
    if not input.ndim or input.shape[-1] != 2 or input.ndim == len(pattern.outer):
        raise at_call(
            RuntimeError,
            "view_as_complex_sparse is only supported for sparse tensors with the last dim == 2 and dense_dim > 0.",
        )
    pattern, values = loose(input)
    found = CooPattern(pattern.indices, pattern.size[:-1], pattern.coalesced)
    return viewing(assembled(_functions["view_as_complex"](values), found), input)


def _taken(values: Tensor, pattern: Any, mask: Tensor, indices: Tensor, size: Sequence[int]) -> Tensor:
    at = mask.nonzero().reshape(-1)
    found = CooPattern(indices.index_select(1, at), size, pattern.coalesced)
    return assembled(values.index_select(0, at), found)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One slice: of compressed layouts one of the batch in the same layout, a row or a column as COO."""
    return viewing(select_copy(input, dim, index, "select"), input)


def select_copy(input: Tensor, dim: int, index: int, name: str = "select_copy") -> Tensor:
    d = wrapped(dim, input.ndim)
    index = _index_within(input, d, int(index))
    pattern = pattern_of(input)
    if pattern.layout is COO:
        return _selected(input, d, index)
    if not pattern.batch <= d < pattern.batch + 2:
        return _selected_of_batch(input, d, index)
    if pattern.batch:
        raise at_call(
            RuntimeError,
            f"{name}(): selecting sparse dimensions is not supported for batched sparse compressed tensors.",
        )
    return _selected(input, d, index)


@differentiable(name="SelectBackward0")
def _selected(x: Tensor, d: int, index: int) -> Tensor:
    """A slice of COO, or a row or a column of a compressed matrix."""
    found = _slice_of_coo(to_coo(x), d, index)
    return coalesced(found) if is_sparse(found) and pattern_of(x).layout is not COO else found


@_selected.gradient("x")
def _(g: Tensor, x: Tensor, d: int, index: int) -> Tensor:
    if not is_sparse(g):
        return _functions["select_scatter"](g.new_zeros(x.shape), g, d, index)
    own, values = loose(g)
    size = [*own.size[:d], x.shape[d], *own.size[d:]]
    if d > len(own.outer):
        whole = values.new_zeros((own.count, *size[len(own.outer) :]))
        found = _functions["select_scatter"](whole, values, d - len(own.outer) + 1, index)
        return assembled(found, CooPattern(own.indices, size, own.coalesced))
    at = own.indices.new_full((1, own.count), index)
    indices = _functions["cat"]([own.indices[:d], at, own.indices[d:]])
    return assembled(values, CooPattern(indices, size, own.coalesced))


def _selected_of_batch(input: Tensor, d: int, index: int) -> Tensor:
    """One of a batch, or of the dense dimensions, of a compressed tensor."""
    pattern, values = pattern_of(input), values_of(input)
    size = [*pattern.size[:d], *pattern.size[d + 1 :]]
    starts, plain = pattern.starts, pattern.plain
    if d >= pattern.batch:
        values = values.select(d - input.ndim, index)
    else:
        starts, plain = starts.select(d, index).contiguous(), plain.select(d, index).contiguous()
        values = values.select(d, index)
    return assembled(values, CompressedPattern(pattern.layout, starts, plain, size, pattern.block))


def _index_within(x: Tensor, d: int, index: int) -> int:
    length = x.shape[d]
    if not -length <= index < length:
        raise at_call(
            IndexError,
            f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {d}",
        )
    return index % length


def _slice_of_coo(input: Tensor, d: int, index: int) -> Tensor:
    pattern, values = loose(input)
    n = len(pattern.outer)
    size = [*pattern.size[:d], *pattern.size[d + 1 :]]
    if d >= n:
        return assembled(values.select(d - n + 1, index), CooPattern(pattern.indices, size, pattern.coalesced))
    mask = pattern.indices[d] == index
    if n == 1:
        found = values.index_select(0, mask.nonzero().reshape(-1))
        return found.any(0) if found.dtype is _core.bool else found.sum(0, dtype=found.dtype)
    rest = _functions["cat"]([pattern.indices[:d], pattern.indices[d + 1 :]])
    return _taken(values, pattern, mask, rest, size)


def _sparse_broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """COO with its entries repeated along dimensions of size 1, and along new ones in front."""
    if pattern_of(input).layout is not COO:
        raise unsupported("_sparse_broadcast_to", input)
    size = tuple(size)
    added = len(size) - input.ndim
    if added < 0:
        raise at_call(RuntimeError, "the requested broadcast shape has fewer dimensions than the input")
    for d, n in enumerate(input.shape):
        if n not in (1, size[d + added]):
            raise at_call(
                RuntimeError,
                f"The input's length {n} at dimension {d} does not broadcast over the requested shape of length "
                f"{size[d + added]} at dimension {d + added}",
            )
    pattern, values = loose(input)
    n = len(pattern.outer)
    rows = list(pattern.indices.unbind(0))
    values = values.expand(pattern.count, *size[n + added :])
    repeated = [*range(added), *(d + added for d in range(n) if pattern.outer[d] != size[d + added])]
    rows = [pattern.indices.new_zeros(pattern.count) for _ in range(added)] + rows
    for d in repeated:
        count = rows[0].shape[0] if rows else pattern.count
        rows = [row.repeat_interleave(size[d]) for row in rows]
        values = values.repeat_interleave(size[d], 0)
        rows[d] = _functions["arange"](size[d]).repeat(count)
    indices = _functions["stack"](rows) if rows else pattern.indices
    return assembled(values, CooPattern(indices, size, pattern.coalesced and not repeated))


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A range of slices, as a copy."""
    start, length = int(start), int(length)
    if length < 0:
        raise at_call(RuntimeError, "narrow(): length must be non-negative.")
    if not 0 <= dim < input.ndim:
        raise at_call(RuntimeError, f"Dimension {dim} out of range. Expecting 0 <= dim < {input.ndim}.")
    if start < 0 or start + length > input.shape[dim]:
        raise at_call(
            RuntimeError,
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {input.shape[dim]}).",
        )
    return sliced(to_coo(input), dim, start, start + length, 1)


def sliced(x: Tensor, d: int, start: int, stop: int, step: int) -> Tensor:
    pattern, values = loose(x)
    n = len(pattern.outer)
    size = list(pattern.size)
    size[d] = len(range(start, stop, step))
    if d >= n:
        key = (slice(None),) * (d - n + 1) + (slice(start, stop, step),)
        return assembled(values[key], CooPattern(pattern.indices, size, pattern.coalesced))
    at = pattern.indices[d]
    mask = (at >= start) & (at < stop) & ((at - start) % step == 0)
    indices = pattern.indices.clone()
    indices[d] = (at - start).div(step, rounding_mode="floor")
    return _taken(values, pattern, mask, indices, size)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Slices by their numbers; one may be named several times."""
    d = wrapped(dim, input.ndim)
    x = to_coo(input)
    if index.ndim != 1 or index.dtype is not _core.int64 or is_sparse(index):
        raise at_call(IndexError, "index_select() argument index must be 1-D strided (non-sparse) long-tensor.")
    length = input.shape[d]
    if index.numel() and (int(index.min()) < -length or int(index.max()) >= length):
        raise at_call(
            IndexError,
            f"index_select(): index contains {int(index.max())} that is out of range for tensor of size "
            f"{list(input.shape)} at dimension {d}",
        )
    index = _functions["where"](index < 0, index + length, index)
    pattern, values = opened(x) if input.requires_grad else loose(x)
    n = len(pattern.outer)
    size = list(pattern.size)
    size[d] = len(index)
    if d >= n:
        moved = values.index_select(d - n + 1, index)
        return assembled(moved, CooPattern(pattern.indices, size, pattern.coalesced))
    order = pattern.indices[d].argsort(stable=True)
    sorted_at = pattern.indices[d].index_select(0, order)
    first = _functions["searchsorted"](sorted_at, index)
    counts = _functions["searchsorted"](sorted_at, index, right=True) - first
    named = _functions["arange"](len(index)).repeat_interleave(counts)
    within = _functions["arange"](len(named)) - (counts.cumsum(0) - counts).repeat_interleave(counts)
    entries = order.index_select(0, first.repeat_interleave(counts) + within)
    indices = pattern.indices.index_select(1, entries)
    indices[d] = named
    return assembled(values.index_select(0, entries), CooPattern(indices, size, pattern.coalesced and d == 0))


def cat(tensors: Sequence[Tensor], dim: int = 0, **options: Any) -> Tensor:
    """Tensors one after another along a dimension."""
    dim = options.get("axis", dim)
    if not all(is_sparse(x) for x in tensors):
        raise at_call(
            RuntimeError,
            "Concatenating sparse tensors, but a dense tensor was found at position "
            f"{next(i for i, x in enumerate(tensors) if not is_sparse(x))}.",
        )
    xs = [to_coo(x) for x in tensors]
    d = wrapped(dim, xs[0].ndim)
    n = len(pattern_of(xs[0]).outer)
    _check_joinable(xs, d, n)
    parts = [loose(x) for x in xs]
    size = list(xs[0].shape)
    size[d] = sum(x.shape[d] for x in xs)
    if d >= n:
        return _cat_dense(parts, size, d - n + 1)
    shifted, begin = [], 0
    for x, (pattern, _) in zip(xs, parts, strict=True):
        indices = pattern.indices.clone()
        indices[d] += begin
        shifted.append(indices)
        begin += x.shape[d]
    coalesced_all = d == 0 and all(pattern.coalesced for pattern, _ in parts)
    found = CooPattern(_functions["cat"](shifted, 1), size, coalesced_all)
    return assembled(_functions["cat"]([values for _, values in parts]), found)


def _check_joinable(xs: Sequence[Tensor], d: int, n: int) -> None:
    dense = xs[0].ndim - n
    for i, x in enumerate(xs):
        own = len(pattern_of(x).outer)
        if (own, x.ndim - own) != (n, dense):
            raise at_call(
                RuntimeError,
                f"All tensors must have the same sparse_dim and dense_dim: {n}, {dense}, but tensor at "
                f"position {i} has {own}, {x.ndim - own}.",
            )
        if any(a != b for k, (a, b) in enumerate(zip(x.shape, xs[0].shape, strict=True)) if k != d):
            raise at_call(
                RuntimeError,
                f"All tensors must have the same shape: {list(xs[0].shape)} (except in the concatenating dimension), "
                f"but found shape: {list(x.shape)} at position {i}.",
            )


def _cat_dense(parts: Sequence[tuple[Any, Tensor]], size: Sequence[int], dim: int) -> Tensor:
    """Along a dense dimension: each tensor's values with zeros beside them."""
    begin, widened = 0, []
    for _, values in parts:
        shape = list(values.shape)
        shape[dim] = sum(v.shape[dim] for _, v in parts)
        whole = values.new_zeros(shape)
        at = (slice(None),) * dim + (slice(begin, begin + values.shape[dim]),)
        widened.append(_placed(whole, at, values))
        begin += values.shape[dim]
    indices = _functions["cat"]([pattern.indices for pattern, _ in parts], 1)
    return assembled(_functions["cat"](widened), CooPattern(indices, size))


def _placed(whole: Tensor, at: tuple, values: Tensor) -> Tensor:
    whole[at] = values
    return whole


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    return cat([unsqueeze(x, dim) for x in tensors], dim)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    d = wrapped(dim, input.ndim)
    return tuple(select(input, d, i) for i in range(input.shape[d]))


def subscript(input: Tensor, key: Any) -> Tensor:
    """x[1], x[:, 2], x[index]: integers, whole slices and one index after another."""
    keys = list(key) if isinstance(key, tuple) else [key]
    x, d, gone = input, 0, 0
    given = sum(k is not None and k is not Ellipsis for k in keys)
    for k in keys:
        if k is Ellipsis:
            d += input.ndim - given
        elif k is None:
            x, d = unsqueeze(x, d), d + 1
        elif isinstance(k, slice):
            x, d = _sliced(x, d, k), d + 1
        elif isinstance(k, Tensor) and k.ndim:
            x, d = _by_tensor(x, d, k), d + 1
        elif isinstance(k, (list, range)):
            x, d = index_select(x, d, _functions["tensor"](list(k))), d + 1
        else:
            x, gone = _at(x, d, int(k), d + gone), gone + 1
    return x


def _at(x: Tensor, d: int, index: int, named: int) -> Tensor:
    """One slice; an error has the number of the dimension that the caller knows."""
    if d < x.ndim and not -x.shape[d] <= index < x.shape[d]:
        raise at_call(IndexError, f"index {index} is out of bounds for dimension {named} with size {x.shape[d]}")
    return select(x, d, index) if is_sparse(x) else x.select(d, index)


def _by_tensor(x: Tensor, d: int, index: Tensor) -> Tensor:
    if index.dtype is _core.bool:
        index = index.nonzero().reshape(-1)
    return index_select(x, d, index)


def _sliced(x: Tensor, d: int, key: slice) -> Tensor:
    start, stop, step = key.indices(x.shape[d])
    if (start, stop, step) == (0, x.shape[d], 1):
        return x
    if step < 0:
        raise at_call(ValueError, "step must be greater than zero")
    return sliced(to_coo(x), d, start, max(start, stop), step)


RULES = {
    "permute": permute,
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), transpose),
    "t": t,
    "adjoint": lambda input: transpose(input.conj(), -2, -1),
    "unsqueeze": unsqueeze,
    "select": select,
    "select_copy": select_copy,
    **dict.fromkeys(("narrow", "narrow_copy"), narrow),
    "index_select": index_select,
    **dict.fromkeys(("cat", "concat", "concatenate"), cat),
    "stack": stack,
    "unbind": unbind,
    "__getitem__": subscript,
}
