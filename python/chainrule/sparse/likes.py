"""Tensors like another one, of which one or both are sparse: zeros_like, empty_like, full_like and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from . import construct
from .elementwise import on_parts, unsupported, written
from .parts import (
    BLOCKED,
    BY_ROW,
    COO,
    LAYOUT_WORDS,
    CompressedPattern,
    CooPattern,
    is_sparse,
    layout_of,
    make,
    pattern_of,
    raw_values,
)

_functions = _core.functions
_STRIDED = _core.strided
Rule = Callable[..., Any]


def empty_like(name: str, x: Tensor, layout: Any, dtype: Any) -> Tensor:
    """Of a compressed tensor with its indices and values that are not set, else without entries."""
    own = layout_of(x)
    if own is _STRIDED:
        raise at_call(
            NotImplementedError,
            f"Could not run 'aten::empty_strided' with arguments from the 'Sparse{'' if layout is COO else 'Csr'}CPU' "
            "backend. zeros_like has this argument.",
        )
    if own is COO:
        return _zeros_coo(x, dtype) if layout is COO else construct.made(layout, name, x.shape, dtype, False)
    if layout is not own:
        raise _other_layout(x, layout)
    return make(pattern_of(x), _functions["empty_like"](raw_values(x), dtype=dtype))


def _other_layout(x: Tensor, layout: Any) -> Exception:
    return at_call(
        RuntimeError,
        f"empty_like with different sparse layout is not supported (self is {LAYOUT_WORDS[layout_of(x)]} but you "
        f"requested {LAYOUT_WORDS[layout]})",
    )


def _zeros_coo(x: Tensor, dtype: Any) -> Tensor:
    """Without entries, with as many dense dimensions as a sparse tensor has."""
    size, dense_dims = tuple(x.shape), 0
    if is_sparse(x):
        own = pattern_of(x)
        dense_dims = len(size) - (len(own.outer) if own.layout is COO else own.batch + 2)
    n = len(size) - dense_dims
    pattern = CooPattern(_functions["zeros"](n, 0, dtype=_core.int64), size, True)
    return make(pattern, _functions["zeros"](0, *size[n:], dtype=dtype))


def zeros_like(name: str, x: Tensor, layout: Any, dtype: Any) -> Tensor:
    """Zeros of a layout, without entries."""
    if layout is COO:
        return _zeros_coo(x, dtype)
    own = pattern_of(x) if is_sparse(x) else None
    if layout is _STRIDED:
        raise _other_layout(x, layout)
    blocked = own is not None and own.layout in BLOCKED
    if blocked and layout not in BLOCKED:
        raise at_call(
            RuntimeError,
            "sparse_compressed_tensor_with_dims: blocksize cannot be specified for non-block layout "
            f"{LAYOUT_WORDS[layout]}",
        )
    if layout in BLOCKED and not blocked:
        raise at_call(
            RuntimeError, "sparse_compressed_tensor_with_dims: blocksize needs to be a tuple of size 2, but got 0"
        )
    if own is None or own.layout is COO:
        return construct.empty_compressed(x.shape, layout, dtype)
    batch, lines = own.size[: own.batch], own.grid[0] if layout in BY_ROW else own.grid[1]
    starts = own.starts.new_zeros(*batch, lines + 1)
    pattern = CompressedPattern(layout, starts, starts.new_zeros(*batch, 0), own.size, own.block)
    shape = (*batch, 0, *(own.block if blocked else ()), *own.size[own.batch + 2 :])
    return make(pattern, raw_values(x).new_zeros(shape, dtype=dtype))


def like(name: str, input: Tensor, *args: Any, **options: Any) -> Tensor:
    """What empty_like, zeros_like and those that fill a new tensor give."""
    layout, dtype = options.get("layout") or layout_of(input), options.get("dtype") or input.dtype
    grad = bool(options.get("requires_grad"))
    if layout is _STRIDED and layout_of(input) is COO:
        options.pop("layout", None)
        shape = _functions["empty"](tuple(input.shape), dtype=input.dtype)
        return _functions[name](shape, *args, **options)
    if options.get("memory_format") is not None and layout_of(input) is COO:
        raise at_call(RuntimeError, "memory format option is only supported by strided tensors")
    if name == "zeros_like":
        return construct.finished(zeros_like(name, input, layout, dtype), grad)
    found = empty_like(name, input, layout, dtype)
    if name != "empty_like":
        _filled(name, found, args, options)
    return construct.finished(found, grad)


_FILLED_BY = {"ones_like": "fill_", "full_like": "fill_", "randn_like": "normal_"}


def _filled(name: str, x: Tensor, args: tuple, options: dict[str, Any]) -> None:
    method = _FILLED_BY.get(name)
    if method is None or layout_of(x) is COO:
        raise unsupported({"fill_": "fill_.Scalar"}.get(method or "", method or name), x)
    given = (1,) if name == "ones_like" else (args or (options["fill_value"],)) if name == "full_like" else ()
    getattr(raw_values(x), method)(*given)


def _like(name: str) -> Rule:
    return lambda input, *args, **options: like(name, input, *args, **options)


def _new(name: str) -> Rule:
    def rule(input: Tensor, *size: Any, **options: Any) -> Tensor:
        given = options.pop("size", size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
        layout, dtype = options.get("layout") or layout_of(input), options.get("dtype") or input.dtype
        grad = bool(options.get("requires_grad"))
        plain = name.removeprefix("new_")
        if layout is _STRIDED:
            return _functions[plain](tuple(given), dtype=dtype, requires_grad=grad)
        return construct.made(layout, "empty" if layout in BLOCKED else plain, given, dtype, grad)

    return rule


def _in_values(name: str) -> Rule:
    """x.fill_(1) of compressed layouts: what fills the values."""

    def rule(input: Tensor, *args: Any, **options: Any) -> Tensor:
        if pattern_of(input).layout is COO:
            raise unsupported({"fill_": "fill_.Scalar"}.get(name, name), input)
        if input.requires_grad and _core.is_grad_enabled():
            return written(input, on_parts(lambda v: getattr(v.clone(), name)(*args, **options), input))
        getattr(raw_values(input), name)(*args, **options)
        return input

    return rule


_NAMES = "empty_like zeros_like ones_like full_like rand_like randn_like randint_like"
RULES: dict[str, Rule] = {
    **{name: _like(name) for name in _NAMES.split()},
    **{name: _new(name) for name in ("new_zeros", "new_empty")},
    **{name: _in_values(name) for name in ("fill_", "normal_")},
}
