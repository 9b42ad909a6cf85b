"""Elementwise operations: on the values, where zeros stay zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiable import differentiable
from ..error_words import at_call
from ..shapes import broadcast_shapes
from .convert import dense, fitted, to_compressed, to_coo
from .history import assembled, coalesced, loose, opened, read, values_of
from .parts import (
    COO,
    LAYOUT_WORDS,
    CompressedPattern,
    CooPattern,
    is_sparse,
    layout_of,
    pattern_of,
    raw_values,
    same_places,
)

_functions = _core.functions
Rule = Callable[..., Any]


def on_values(function: Callable, x: Tensor, *args: Any, **options: Any) -> Tensor:
    """A function that keeps zeros, of each value; those of one place are added first."""
    pattern, values = opened(x)
    return assembled(function(values, *args, **options), pattern)


def on_parts(function: Callable, x: Tensor, *args: Any, **options: Any) -> Tensor:
    """A linear function of each value; those of one place stay apart."""
    pattern, values = loose(x)
    return assembled(function(values, *args, **options), pattern)


_KEEPS_ZEROS = """
    abs absolute angle asin arcsin asinh arcsinh atan arctan atanh arctanh ceil deg2rad erf erfinv expm1 fix floor frac
    isinf isnan isneginf isposinf log1p nan_to_num rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh
    trunc
"""
_ARC = "sin sinh tan tanh"
_LINEAR = "neg negative conj_physical conj _conj resolve_conj resolve_neg positive real imag clone contiguous"


def _unary(name: str, how: Callable) -> Rule:
    function = _functions.get(name) or getattr(Tensor, name)

    def rule(input: Tensor, *args: Any, **options: Any) -> Tensor:
        options.pop("memory_format", None)
        return how(function, input, *args, **options)

    return rule


def cast(x: Tensor, dtype: Any) -> Tensor:
    """The same with values of another dtype."""
    return x if x.dtype is dtype else on_parts(lambda v: v.to(dtype), x)


# ---- sums


def _joined(a: Tensor, b: Tensor, alpha: Any) -> Tensor:
    """a + alpha * b of one layout."""
    dtype = _core.promote_types(a.dtype, b.dtype)
    first, second = _as_loose(cast(a, dtype)), _as_loose(cast(b, dtype))
    pattern, other = pattern_of(first), pattern_of(second)
    if pattern is other:
        return assembled(loose(first)[1] + _times(loose(second)[1], alpha), pattern)
    if pattern.layout is not COO:
        total = to_coo(_joined(to_coo(first), to_coo(second), alpha))
        return to_compressed(coalesced(total), pattern.layout, pattern.block)
    if other.layout is not COO:
        return _joined(first, to_coo(second), alpha)
    if len(pattern.outer) != len(other.outer):
        if not other.count:
            return first
        if not pattern.count:
            return on_parts(lambda v: _times(v, alpha), second)
        raise at_call(
            RuntimeError,
            "add: expected 'self' and 'other' to have same density, but 'self' has "
            f"{len(pattern.outer)} sparse dimensions while 'other' has {len(other.outer)} sparse dimensions",
        )
    values = _functions["cat"]([loose(first)[1], _times(loose(second)[1], alpha)])
    indices = _functions["cat"]([pattern.indices, other.indices], 1)
    result = assembled(values, CooPattern(indices, pattern.size))
    return coalesced(result) if pattern.coalesced and other.coalesced else result


def _as_loose(x: Tensor) -> Tensor:
    return coalesced(x) if x.requires_grad and _core.is_grad_enabled() else x


def _times(values: Tensor, alpha: Any) -> Tensor:
    if alpha == 1:
        return values
    return values * (bool(alpha) if values.dtype is _core.bool else alpha)


_SPARSE_FIRST = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."


def _no_broadcasting(size: Sequence[int], other: Sequence[int], kind: str = "dense") -> Exception:
    return at_call(
        RuntimeError,
        f"add: expected 'self' and 'other' to have same size, but self has size {list(size)} while other has size "
        f"{list(other)} (FYI: {kind}-sparse addition does not currently support broadcasting)",
    )


def _kind_of_second(x: Tensor) -> str:
    """What PyTorch calls the dense tensor of a sum."""
    return "dense" if pattern_of(x).layout is COO else "op2"


def plus(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input + alpha * other; dense if one of them is."""
    if not isinstance(other, Tensor) or not isinstance(input, Tensor):
        x = input if isinstance(input, Tensor) else other
        if x is input and pattern_of(x).layout is COO:
            raise at_call(RuntimeError, _SPARSE_FIRST)
        raise _no_broadcasting((), x.shape)
    if is_sparse(input) and not is_sparse(other):
        if pattern_of(input).layout is COO:
            raise at_call(RuntimeError, _SPARSE_FIRST)
        if input.shape != other.shape:
            raise _no_broadcasting(other.shape, input.shape, "op2")
        return _added(other, input, alpha)  # PyTorch takes alpha for the sparse one in either order
    if input.shape != other.shape:
        if not is_sparse(input):
            raise _no_broadcasting(input.shape, other.shape, _kind_of_second(other))
        if pattern_of(input).layout is not COO:
            raise at_call(
                RuntimeError,
                "torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape "
                f"{list(input.shape)} and tensor `other` with shape {list(other.shape)}",
            )
        raise at_call(
            RuntimeError,
            f"add: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}",
        )
    return _joined(input, other, alpha) if is_sparse(input) else _added(input, other, alpha)


def _added(input: Tensor, other: Tensor, alpha: Any) -> Tensor:
    """dense + alpha * sparse, each with the gradient that a dense tensor would have."""
    return input + _times(_spread(other), alpha)


@differentiable(name="ToDenseBackward0")
def _spread(x: Tensor) -> Tensor:
    """A dense tensor whose gradient is x's, as it is."""
    return dense(x)


@_spread.gradient("x")
def _(g: Tensor) -> Tensor:
    return g


def minus(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    return plus(input, other, alpha=-alpha)


def add_in_place(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input += alpha * other."""
    if is_sparse(input) or not isinstance(other, Tensor):
        return written(input, plus(input, other, alpha=alpha))
    if input.shape != other.shape:
        raise _no_broadcasting(input.shape, other.shape, _kind_of_second(other))
    pattern, values = pattern_of(other), raw_values(other)
    quick = input.dtype in (_core.float32, _core.float64) and input.dtype is other.dtype and input.is_contiguous()
    recorded = _core.is_grad_enabled() and (input.requires_grad or other.requires_grad)
    if not quick or recorded or pattern.layout not in (COO, _core.sparse_csr) or isinstance(alpha, Tensor):
        return input.add_(_times(_spread(other), alpha))
    if values.numel():
        table = input.view(prod(pattern.outer), -1)
        _functions["_sparse_add_rows_"](table, pattern.keys, values, alpha)
    return input


def sub_in_place(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    return add_in_place(input, other, alpha=-alpha)


# ---- products


def times(input: Any, other: Any) -> Tensor:
    """input * other: sparse, as the places of zeros stay."""
    if isinstance(input, Tensor) and isinstance(other, Tensor) and is_sparse(input) and is_sparse(other):
        if input.ndim and other.ndim:
            return _intersection(*_same_dense_sizes(input, other))
        # a number that somebody made sparse
        input, other = (input, dense(other)) if other.ndim == 0 else (dense(input), other)
    x, factor = (input, other) if is_sparse(input) else (other, input)
    if x.ndim == 0 and isinstance(factor, Tensor) and factor.ndim == 0:
        x = cast(x, _core.promote_types(x.dtype, factor.dtype))
    if not isinstance(factor, Tensor) or factor.ndim == 0:
        return on_parts(lambda v: v * factor, x)
    shape = _functions["broadcast_tensors"](factor, factor.new_empty(()).expand(x.shape))[0].shape
    if shape != x.shape:
        from .shapes import _sparse_broadcast_to

        x = coalesced(_sparse_broadcast_to(coalesced(to_coo(x)), shape))
    return _masked(x, factor if factor.shape == shape else factor.expand(shape), int(is_sparse(input)))


@differentiable(name="MulBackward0")
def _masked(x: Tensor, factor: Tensor, at: int) -> Tensor:
    """A sparse tensor times a dense one, which stands at this place of the arguments."""
    pattern, values = loose(x)
    return assembled(values * read(factor, pattern), pattern.wide)


@_masked.gradient("x")
def _(g: Tensor, factor: Tensor) -> Tensor:
    return g * factor.conj() if factor.is_complex() else g * factor


@_masked.gradient("factor")
def _(g: Tensor, x: Tensor, at: int) -> Tensor:
    gradient = times(g, x.conj() if x.is_complex() else x)
    layout = layout_of(gradient)
    if layout is _core.sparse_csr:
        raise RuntimeError(
            f"Function MulBackward0 returned an invalid gradient at index {at} - expected layout Strided but got "
            f"{LAYOUT_WORDS[layout]}"
        )
    return gradient if layout is COO else dense(gradient)


def _same_dense_sizes(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Both with dense dimensions of one size: of COO these broadcast, the sparse ones do not."""
    first, second = pattern_of(a), pattern_of(b)
    if a.shape == b.shape or first.layout is not COO or second.layout is not COO:
        return a, b
    if first.outer != second.outer or a.ndim != b.ndim:
        raise _no_intersection()
    shape = broadcast_shapes(a.shape, b.shape)[len(first.outer) :]
    return _widened(coalesced(a), shape), _widened(coalesced(b), shape)


def _no_intersection() -> Exception:
    return at_call(
        RuntimeError,
        "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
        "dimensions, and shape of sparse dimensions",
    )


def _widened(x: Tensor, shape: Sequence[int]) -> Tensor:
    """With dense dimensions of these sizes."""
    pattern = pattern_of(x)
    values = values_of(x).expand((pattern.count, *shape))
    return assembled(values, CooPattern(pattern.indices, (*pattern.outer, *shape), True))


def _intersection(a: Tensor, b: Tensor) -> Tensor:
    if a.shape != b.shape:
        if pattern_of(a).layout is not COO:
            raise _no_intersection()
        raise at_call(
            RuntimeError,
            f"mul: expected 'self' and 'other' to have same sizes, but {list(a.shape)} != {list(b.shape)}",
        )
    a, b = coalesced(a), coalesced(b)
    return _in_both(a, b)


@differentiable(name="MulBackward0")
def _in_both(a: Tensor, b: Tensor) -> Tensor:
    """The product of two sparse tensors, at the places that both have."""
    pattern, other = pattern_of(a), pattern_of(b)
    if same_places(pattern, other):
        return assembled(values_of(a) * values_of(b), pattern.wide)
    fitting = fitted(b, pattern)
    if fitting is None:
        return times(a, dense(b))
    both = _functions["isin"](pattern.keys, pattern_of(fitting).keys)
    x = kept(a, both)
    return assembled(values_of(x) * read(b, pattern_of(x)), pattern_of(x).wide)


@_in_both.gradient("a")
def _(g: Tensor, b: Tensor) -> Tensor:
    return times(g, b.conj() if b.is_complex() else b)


@_in_both.gradient("b")
def _(g: Tensor, a: Tensor) -> Tensor:
    return times(g, a.conj() if a.is_complex() else a)


def kept(x: Tensor, mask: Tensor) -> Tensor:
    """The entries that the mask, one of bools for each, lets through."""
    pattern, values = pattern_of(x), values_of(x)
    at = mask.nonzero().reshape(-1)
    if pattern.layout is COO:
        return assembled(
            values.index_select(0, at), CooPattern(pattern.indices.index_select(1, at), pattern.size, pattern.coalesced)
        )
    if pattern.batch:
        raise unsupported("mul", x)
    lines = pattern.lines.index_select(0, at)
    from .parts import compressed

    starts = compressed(lines, pattern.starts.shape[0] - 1).to(pattern.starts.dtype)
    return assembled(
        values.index_select(0, at),
        CompressedPattern(pattern.layout, starts, pattern.plain.index_select(0, at), pattern.size, pattern.block),
    )


def divided(input: Any, other: Any, *, rounding_mode: str | None = None, name: str = "Sparse division") -> Tensor:
    if isinstance(other, Tensor) and (is_sparse(other) or other.ndim):
        got = f"shape {list(other.shape)} for divisor" if other.ndim else "a sparse divisor"
        raise at_call(RuntimeError, f"{name} requires a scalar or zero-dim dense tensor divisor (got {got})")
    how = on_parts if rounding_mode is None else on_values
    return how(lambda v: v.div(other, rounding_mode=rounding_mode), input)


def floor_divided(input: Any, other: Any) -> Tensor:
    return divided(input, other, rounding_mode="floor", name="Sparse floor division")


def power(input: Any, exponent: Any) -> Tensor:
    if not is_sparse(input) or (isinstance(exponent, Tensor) and exponent.ndim):
        raise unsupported("pow.Tensor_Tensor", exponent if is_sparse(exponent) else input)
    if exponent == 0:
        raise at_call(
            RuntimeError, "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    return on_values(lambda v: v**exponent, input)


def zeros_like_this(input: Tensor) -> Tensor:
    """input.zero_(): no entries."""
    from .construct import empty_coo

    pattern = pattern_of(input)
    if pattern.layout is not COO:
        none = CompressedPattern(
            pattern.layout, pattern.starts * 0, pattern.plain[..., :0], pattern.size, pattern.block
        )
        return assembled(raw_values(input)[(slice(None),) * pattern.batch + (slice(0, 0),)], none)
    if len(pattern.outer) == len(pattern.size):
        return empty_coo(input.shape, input.dtype)
    none = CooPattern(pattern.indices[:, :0], pattern.size, True)
    return assembled(raw_values(input)[:0], none)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same elements."""
    if tuple(input.shape) != tuple(other.shape):
        return False
    return bool(_functions["equal"](dense(input.detach()), dense(other.detach())))


def unsupported(name: str, x: Any) -> Exception:
    """What PyTorch raises for an operation that sparse tensors have not."""
    backend = "CPU" if not is_sparse(x) else "SparseCPU" if pattern_of(x).layout is COO else "SparseCsrCPU"
    way_out = (
        "Only sparse tensors have it; x.to_sparse() gives one."
        if backend == "CPU"
        else "Sparse tensors have no such operation; x.to_dense() gives a dense tensor, which has all."
    )
    return at_call(
        NotImplementedError, f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. {way_out}"
    )


def written(target: Tensor, result: Tensor) -> Tensor:
    """The end of an operation in place."""
    if result.dtype is not target.dtype:
        if not _core.can_cast(result.dtype, target.dtype):
            raise at_call(
                RuntimeError,
                f"result type {dtype_name(result.dtype)} can't be cast to the desired output type "
                f"{dtype_name(target.dtype)}",
            )
        result = cast(result, target.dtype) if is_sparse(result) else result.to(target.dtype)
    if is_sparse(result) and not is_sparse(target):
        return target.copy_(dense(result))
    own = pattern_of(target) if is_sparse(target) and is_sparse(result) else None
    if own is not None and own.layout is not COO and pattern_of(result) is own and not result.requires_grad:
        raw_values(target).copy_(raw_values(result))  # others may look at these values
        return target
    return _core.become(target, result)


def dtype_name(dtype: Any) -> str:
    """Float: as errors call float32."""
    return _functions["empty"](0, dtype=dtype).type().rpartition(".")[2].removesuffix("Tensor")


_SHOWN = {"absolute": "abs", "fix": "trunc", **{f"arc{name}": f"a{name}" for name in _ARC.split()}}


def _unary_in_place(name: str) -> Rule:
    """x.sin_(): of COO only where each place is there once."""
    rule = _unary(name, on_values)

    def in_place(input: Tensor, *args: Any, **options: Any) -> Tensor:
        pattern = pattern_of(input)
        if pattern.layout is COO and not pattern.coalesced:
            raise at_call(RuntimeError, f"{_SHOWN.get(name, name)}_ requires coalesced input")
        return written(input, rule(input, *args, **options))

    return in_place


RULES: dict[str, Rule] = {
    **{f"{name}_": _unary_in_place(name) for name in _KEEPS_ZEROS.split() if hasattr(Tensor, f"{name}_")},
    **{name: _unary(name, on_values) for name in _KEEPS_ZEROS.split() if name in _functions},
    **{name: _unary(name, on_parts) for name in _LINEAR.split()},
    **dict.fromkeys(("add", "__radd__"), plus),
    **dict.fromkeys(("sub", "subtract"), minus),
    **dict.fromkeys(("mul", "multiply", "__rmul__"), times),
    **dict.fromkeys(("div", "divide", "true_divide"), divided),
    **dict.fromkeys(("floor_divide", "__floordiv__"), floor_divided),
    **dict.fromkeys(("pow", "float_power"), power),
    "add_": add_in_place,
    "sub_": sub_in_place,
    "zero": zeros_like_this,
    "equal": equal,
}
