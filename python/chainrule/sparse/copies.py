"""What changes a sparse tensor as a whole: copies into it, and other sizes."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .elementwise import cast, dtype_name, unsupported, written
from .history import assembled, values_of
from .methods import check_growth, dense_dim, duplicate, sparse_dim, sparse_resize_
from .parts import (
    BLOCKED,
    BY_ROW,
    COO,
    CSR,
    LAYOUT_WORDS,
    CompressedPattern,
    is_sparse,
    layout_of,
    make,
    pattern_of,
    raw_values,
)

_functions = _core.functions
_STRIDED = _core.strided


def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """input.copy_(src), of tensors of one layout."""
    own, other = layout_of(input), layout_of(src)
    if own in (COO, _STRIDED) and other not in (COO, _STRIDED):
        raise at_call(
            RuntimeError,
            f"copy_sparse_compressed_ expected sparse compressed tensor layout but got {LAYOUT_WORDS[own]}",
        )
    if own in (COO, _STRIDED):
        return _copy_coo(input, src)
    if own is not other:
        raise at_call(
            RuntimeError,
            "torch.copy_: copy of sparse compressed tensors having different layouts is not supported. self layout is "
            f"{LAYOUT_WORDS[own]} and src layout is {LAYOUT_WORDS[other]}",
        )
    return _copy_compressed(input, src)


def _copy_coo(input: Tensor, src: Tensor) -> Tensor:
    if not (is_sparse(input) and is_sparse(src)):
        raise at_call(
            RuntimeError,
            "copy_() between dense and sparse Tensors is not implemented! Found self type = torch."
            f"{type_name(input)} and src type = torch.{type_name(src)}",
        )
    pattern = pattern_of(input)
    if pattern.count and input.shape != src.shape:
        check_growth(pattern, tuple(src.shape), sparse_dim(src), dense_dim(src))
    return written(input, cast(duplicate(src), input.dtype))


def type_name(x: Tensor) -> str:
    """sparse.FloatTensor, FloatTensor"""
    name = _functions["empty"](0, dtype=x.dtype).type().removeprefix("torch.")
    return f"sparse.{name}" if is_sparse(x) else name


def _copy_compressed(input: Tensor, src: Tensor) -> Tensor:
    own, other = pattern_of(input), pattern_of(src)
    if own.plain.shape[-1] != other.plain.shape[-1]:
        raise at_call(
            RuntimeError,
            "torch.copy_: only sparse compressed tensors with the same number of specified elements are supported.",
        )
    _check_lines(own, other)
    if own.block != other.block:
        raise at_call(
            RuntimeError,
            "torch.copy_: copy of sparse compressed tensors having different block sizes is not supported. self and "
            f"src block sizes are {list(own.block)} and {list(other.block)}, respectively.",
        )
    starts = other.starts.to(own.starts.dtype).expand(own.starts.shape).clone()
    plain = other.plain.to(own.plain.dtype).expand(own.plain.shape).clone()
    values = values_of(src).to(input.dtype).expand(raw_values(input).shape).clone()
    return written(input, assembled(values, CompressedPattern(own.layout, starts, plain, own.size, own.block)))


def _check_lines(own: CompressedPattern, other: CompressedPattern) -> None:
    """Raises where two patterns have not as many rows (columns, for CSC)."""
    at, of = (p.batch + (p.layout not in BY_ROW) for p in (own, other))
    had, has = own.size[at], other.size[of]
    if had == has:
        return
    where = f"dimension {at}" if at == of else f"dimensions {at} and {of}, respectively,"
    raise at_call(
        RuntimeError,
        f"torch.copy_: expected shapes of self and src to match along {where} for {LAYOUT_WORDS[own.layout]} layout "
        f"but the corresponding dimensions of self and src are {had} and {has}, respectively.",
    )


# ---- sizes


def resize_(input: Tensor, *size: Any, **options: Any) -> Tensor:
    """Another size for a tensor of CSR: rows come and go at the end, and so do the entries that no longer have room."""
    given = options.get("size", size)
    size = tuple(given[0] if len(given) == 1 and not isinstance(given[0], int) else given)
    pattern = pattern_of(input)
    if pattern.layout is COO:
        raise unsupported("resize_", input)
    if len(size) < 2:
        raise at_call(
            RuntimeError,
            f"torch.resize_: Only batched sparse CSR matrices are supported, but got size {list(size)}",
        )
    if size[-1] < input.shape[-1]:
        raise at_call(
            RuntimeError,
            "torch.resize_: Resizing columns of sparse CSR tensors to a smaller value is not supported. The original "
            f"number of columns is {input.shape[-1]} while the requested new number of columns is {size[-1]}.",
        )
    if pattern.layout is not CSR or input.ndim > pattern.batch + 2:
        raise unsupported("resize_", input)
    return _core.become(input, _resized_rows(input, size))


def _resized_rows(x: Tensor, size: tuple[int, ...]) -> Tensor:
    pattern, batch, rows = pattern_of(x), size[:-2], size[-2]
    count = min(pattern.plain.shape[-1], rows * size[-1])
    starts = _first_batches(pattern.starts, batch)
    kept = min(rows, pattern.grid[0])
    starts = _functions["cat"]([starts[..., : kept + 1], starts.new_full((*batch, rows - kept), count)], -1)
    starts[..., -1] = count
    starts = starts.clamp_max(count)
    plain = _first_batches(pattern.plain, batch)[..., :count].contiguous()
    values = _first_batches(raw_values(x), batch)[..., :count].contiguous()
    return make(CompressedPattern(CSR, starts, plain, size), values)


def _first_batches(parts: Tensor, batch: tuple[int, ...]) -> Tensor:
    """As many batches as there are to be; those that are new are as the first ones."""
    if tuple(parts.shape[:-1]) == batch:
        return parts
    wanted = _functions["empty"](batch).numel()
    flat = parts.reshape(-1, parts.shape[-1])
    at = _functions["arange"](wanted) % max(flat.shape[0], 1)
    return flat.index_select(0, at).reshape(*batch, parts.shape[-1])


def resize_as_(input: Tensor, the_template: Tensor, **options: Any) -> Tensor:
    """The size of another tensor."""
    if not is_sparse(input):
        return input.resize_(tuple(the_template.shape))
    if layout_of(input) is COO and layout_of(the_template) is COO:
        return resize_as_sparse_(input, the_template)
    return resize_(input, tuple(the_template.shape))


def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """Gives a sparse tensor the size of another one of its layout, in place; compressed ones also as many values.

    Shape and dtype: The size of the template.
    Derivative: none

    >>> x = torch.sparse_coo_tensor(size=(2,))
    >>> x.resize_as_sparse_(torch.ones(3, 2).to_sparse()).shape
    torch.Size([3, 2])
    """
    own, other = layout_of(input), layout_of(the_template)
    plain = (COO, _STRIDED)
    if own in plain and other in plain:
        return sparse_resize_(input, the_template.shape, sparse_dim(the_template), dense_dim(the_template))
    for which, layout in (("self", own), ("src", other)):
        if layout in plain:
            raise at_call(
                RuntimeError,
                f"resize_as_sparse_compressed_: {which}  expected sparse compressed tensor layout but got "
                f"{LAYOUT_WORDS[layout]}",
            )
    if own is not other:
        raise at_call(
            RuntimeError,
            "resize_as_sparse_compressed_tensor_: self and src must have the same layout, but got: self "
            f"({LAYOUT_WORDS[own]}) and source ({LAYOUT_WORDS[other]})",
        )
    return _resized_as(input, the_template)


def _resized_as(input: Tensor, other: Tensor) -> Tensor:
    own, pattern = pattern_of(input), pattern_of(other)
    shape = raw_values(other).shape
    if own.size == pattern.size and own.starts.shape == pattern.starts.shape and raw_values(input).shape == shape:
        return input
    starts, plain = pattern.starts.to(own.starts.dtype).clone(), pattern.plain.to(own.plain.dtype).clone()
    found = CompressedPattern(own.layout, starts, plain, pattern.size, pattern.block)
    return _core.become(input, make(found, raw_values(input).new_zeros(tuple(shape))))


# ---- without values


def _sparse_compressed_tensor_with_dims(
    nnz: int,
    dense_dim: int,
    size: Any,
    blocksize: Any,
    index_dtype: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """A compressed tensor with room for so many entries; what they are is not said."""
    size, block, name = tuple(size), tuple(blocksize), "sparse_compressed_tensor_with_dims"
    if layout in (None, COO, _STRIDED):
        raise at_call(
            RuntimeError, f"{name} expected sparse compressed tensor layout but got {LAYOUT_WORDS[layout or _STRIDED]}"
        )
    blocked = layout in BLOCKED
    _check_dims(name, nnz, dense_dim, size, block, layout)
    if index_dtype not in (_core.int32, _core.int64):
        raise at_call(RuntimeError, f"indices dtype must be Int or Long, but got {dtype_name(index_dtype)}")
    block = block or (1, 1)
    at = len(size) - dense_dim - 2
    by_row = layout in BY_ROW
    lines = size[at] // block[0] if by_row else size[at + 1] // block[1]
    batch = size[:at]
    starts = _functions["full"]((*batch, lines + 1), nnz, dtype=index_dtype)
    starts[..., 0] = 0
    plain = _functions["zeros"](*batch, nnz, dtype=index_dtype)
    values = _functions["zeros"]((*batch, nnz, *(block if blocked else ()), *size[at + 2 :]), dtype=dtype)
    return make(CompressedPattern(layout, starts, plain, size, block), values)


def _check_dims(name: str, nnz: int, dense_dim: int, size: tuple, block: tuple, layout: Any) -> None:
    at = len(size) - dense_dim - 2
    problem = None
    if layout in BLOCKED and len(block) != 2:
        problem = f"blocksize needs to be a tuple of size 2, but got {len(block)}"
    elif layout in BLOCKED and min(block) < 1:
        problem = f"blocksize needs to be positive, but got {list(block)}"
    elif layout not in BLOCKED and block:
        problem = f"blocksize cannot be specified for non-block layout {LAYOUT_WORDS[layout]}"
    elif nnz < 0:
        problem = f"nnz must be non-negative, got {nnz}"
    elif dense_dim < 0:
        problem = f"dense_dim must be non-negative, got {dense_dim}"
    elif at < 0:
        problem = f"dimensionality must be at least dense_dim(={dense_dim}) + sparse_dim(=2), but got {len(size)}"
    else:
        odd = next((i for i, n in enumerate(block) if size[at + i] % n), None)
        if odd is not None:
            problem = (
                f"dimension {at + odd} must be multiple of blocksize[{odd}](={block[odd]}) but got {size[at + odd]}"
            )
    if problem:
        raise at_call(RuntimeError, f"{name}: {problem}")


RULES = {
    "copy_": copy_,
    "resize_": resize_,
    "resize_as_": resize_as_,
}
