"""Operations on each item: with numbers, with nested tensors of the same rows, with ordinary tensors that broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Tensor
from ..error_words import at_call
from ..overrides import DisableTorchFunctionSubclass
from .jagged import NestedTensor, wrapped
from .kinds import packed

_ONE = """
    neg negative positive reciprocal square abs absolute sign sgn nan_to_num floor ceil trunc fix round frac sqrt rsqrt
    exp exp2 expm1 log log2 log10 log1p special_entr sigmoid logsigmoid logit sin cos tan asin acos atan sinh cosh tanh
    asinh acosh atanh arcsin arccos arctan arcsinh arccosh arctanh sinc deg2rad rad2deg angle erf erfc erfinv lgamma
    digamma polygamma i0 relu relu6 hardtanh threshold leaky_relu elu celu selu gelu silu mish softplus hardshrink
    softshrink
    hardsigmoid hardswish softsign tanhshrink bitwise_not logical_not isnan isinf isfinite isposinf isneginf signbit
    special_erfcx special_ndtr special_log_ndtr special_ndtri special_i0e special_i1 special_i1e conj conj_physical
    resolve_conj resolve_neg isreal special_expit special_expm1 special_exp2 special_log1p special_sinc special_logit
    __invert__ __pos__ __neg__ __abs__
"""
_SEVERAL = """
    add sub subtract rsub mul multiply div divide true_divide floor_divide remainder fmod copysign maximum minimum
    fmax fmin
    clamp clip clamp_min clamp_max addcmul addcdiv lerp where heaviside nextafter ldexp hypot pow float_power logaddexp
    logaddexp2 xlogy atan2 arctan2 bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor eq ne lt le
    gt ge
    not_equal less less_equal greater greater_equal masked_fill gcd lcm isclose
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__
    __rmod__
    __pow__ __rpow__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __or__ __xor__ __rand__ __ror__ __rxor__
"""
_WRITES = "__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__"
_WITH_NUMBERS = "add sub mul div eq ne lt le gt ge remainder fmod"
IN_PLACE = frozenset((*_ONE.split(), *_SEVERAL.split(), "zero", "fill"))


def calculated(function: Callable, *args: Any, **options: Any) -> Any:
    """A function of the packed values of nested tensors and of what stands beside them."""
    nested = first_nested((*args, *options.values()))
    values, given = _beside(nested, function, args, options)
    return wrapped(function(*values, **given), nested._rows)


def in_place(function: Callable, *args: Any, **options: Any) -> Any:
    """A function that writes its result into its first argument."""
    input = args[0]
    if not isinstance(input, NestedTensor):
        raise at_call(
            RuntimeError,
            f"{function.__name__}(): an ordinary tensor of shape {tuple(input.shape)} cannot take nested values",
        )
    values, given = _beside(input, function, args[1:], options)
    with DisableTorchFunctionSubclass():  # on the tensor itself, whose place in the graph changes
        function(input, *values, **given)
    return input


def first_nested(values: Any) -> NestedTensor:
    """The nested tensor whose rows the result has."""
    return next(x for x in values if isinstance(x, NestedTensor))


def _beside(nested: NestedTensor, function: Callable, args: tuple, options: dict) -> tuple[list, dict]:
    name = function.__name__.strip("_")
    values = [aligned(nested, x, name) for x in args]
    return values, {key: aligned(nested, x, name) for key, x in options.items()}


def aligned(nested: NestedTensor, x: Any, name: str) -> Any:
    """An operand so that it broadcasts with the packed values; what is no tensor, as it is."""
    if not isinstance(x, Tensor):
        return x
    if x is nested:
        return packed(x)
    if isinstance(x, NestedTensor):
        return _of_same_rows(nested, x, name)
    if x.dim() > nested.dim():
        raise at_call(
            NotImplementedError,
            f"NYI: broadcasting NT with T with larger dim: got {tuple(nested.shape)} and {tuple(x.shape)}",
        )
    small = x
    while small.dim() and small.shape[0] == 1:
        small = small.squeeze(0)
    if nested.dim() >= small.dim() + 2:
        return _behind_rows(nested, small, x, name)
    if x.dim() != nested.dim() or x.shape[0] != nested.shape[0]:
        raise _mismatch(name, nested, x)
    return spread(nested, x)


def _of_same_rows(nested: NestedTensor, x: NestedTensor, name: str) -> Tensor:
    end = nested._rows.ragged + 1
    if nested.dim() != x.dim() or nested.shape[:end] != x.shape[:end]:
        raise _mismatch(name, nested, x)
    return packed(x)


def _behind_rows(nested: NestedTensor, small: Tensor, x: Tensor, name: str) -> Tensor:
    """Broadcasts over the rows. A size of its own in the ragged dimension would meet the packed items by mistake."""
    behind = nested.dim() - nested._rows.ragged - 1
    if small.dim() > behind and small.shape[-behind - 1] != 1:
        raise _mismatch(name, nested, x)
    return small


def spread(nested: NestedTensor, x: Tensor) -> Tensor:
    """A tensor with one item, or one padded row, for each row: laid beside the packed values."""
    pattern = nested._rows
    rows, within, places = pattern.places
    one = x.shape[pattern.ragged] == 1
    if not one:
        sizes = [-1] * x.dim()
        sizes[pattern.ragged] = max(pattern.counts, default=0)
        x = x.expand(sizes)
    items = x.transpose(1, pattern.ragged)[rows, rows.new_zeros(()) if one else within]
    length = packed(nested).shape[pattern.ragged - 1]
    if len(places) != length or pattern.lengths is not None:  # items between the rows get what nobody will see
        items = items.new_zeros(length, *items.shape[1:]).index_put((places,), items)
    return items.transpose(0, pattern.ragged - 1)


def _mismatch(name: str, a: NestedTensor, b: Tensor) -> Exception:
    full = f"{name}.Tensor" if name in _WITH_NUMBERS.split() else f"{name}.default"
    sizes = [", ".join(map(str, x.shape)) for x in (a, b)]
    rows = [x._rows.counts for x in (a, b) if isinstance(x, NestedTensor)]
    return at_call(
        RuntimeError,
        f"cannot call binary pointwise function {full} with inputs of shapes ({sizes[0]}) and ({sizes[1]}): the "
        "rows have "
        f"the lengths {' and '.join(map(str, rows))}"
        + ("; only tensors made with the same offsets go together" if len(rows) > 1 else ""),
    )


def _equal(function: Callable, a: Any, b: Any) -> bool:
    if not (isinstance(a, NestedTensor) and isinstance(b, NestedTensor)):
        raise at_call(RuntimeError, "equal(): expected both tensors to be nested; unbind() gives the rows")
    return function(packed(a), _of_same_rows(a, b, "equal"))


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys((_ONE + _SEVERAL).split(), calculated),
    **dict.fromkeys(_WRITES.split(), in_place),
    "equal": _equal,
}
