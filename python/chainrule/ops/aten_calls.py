"""A call of the core as the operations of aten that PyTorch's dispatcher would see: modes and classes that dispatch
get them one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .._core import Tensor, functions
from .index_calls import read, write
from .overloads import aten, overload_of, schema_arguments

__all__ = ["Run", "as_aten"]

Run = Callable[..., Any]  # run(operation, *args, **kwargs)


def _divided(run: Run, x: Tensor, other: Any) -> Any:
    return run(aten.mul.Tensor, run(aten.reciprocal.default, x), other)


def _whole_division(run: Run, x: Tensor, other: Any) -> Any:
    return run(aten.floor_divide.default, functions["full"]([], other, dtype=x.dtype), x)


# other - x and its kin, whose tensor stands on the right.
_REFLECTED: dict[str, Callable] = {
    "__rsub__": lambda run, x, other: run(aten.rsub.Scalar, x, other),
    "__rtruediv__": _divided,
    "__rdiv__": _divided,
    "__rpow__": lambda run, x, other: run(aten.pow.Scalar, other, x),
    "__rfloordiv__": _whole_division,
    "__rmod__": lambda run, x, other: run(aten.remainder.Scalar_Tensor, other, x),
    "__rmatmul__": lambda run, x, other: as_aten(functions["matmul"], (other, x), {}, run),
    "__rlshift__": lambda run, x, other: run(aten.bitwise_left_shift.Scalar_Tensor, other, x),
    "__rrshift__": lambda run, x, other: run(aten.bitwise_right_shift.Scalar_Tensor, other, x),
}


def as_aten(
    function: Callable, args: tuple, kwargs: dict, run: Run, *, apart: bool = True, asked: Callable | None = None
) -> Any:
    """What a call gives, if each operation of aten that it is goes through `run`.

    Args:
        apart: whether what PyTorch composes of other operations, `linear` for example, is taken apart.
        asked: answers what is no operation; the function itself if None.
    """
    name = getattr(function, "__name__", "")
    if function is Tensor.__getitem__:
        x, index = args
        return read(x, index, run)
    if function is Tensor.__setitem__:
        x, index, value = args
        return write(x, index, value, run)
    if name in _REFLECTED:
        return _REFLECTED[name](run, *args)
    if apart:
        from .aten_parts import PARTS

        args, kwargs = _by_position(function, args, kwargs)
        part = PARTS.get(name)
        if part is not None:
            found = part(run, *args, **kwargs)
            if found is not NotImplemented:
                return found
    op = overload_of(function, args, kwargs)
    if op is None:  # a property or a question, which no kernel answers
        return (function if asked is None else asked)(*args, **kwargs)
    return run(op, *schema_arguments(op.overloadpacket.__name__, args), **kwargs)


def _by_position(function: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Arguments given by name stand by position, as far as no place is left out; defaults at the end are left out."""
    names, defaults = _positional(function)
    places, kwargs = list(args), dict(kwargs)
    while len(places) < len(names) and names[len(places)] in kwargs:
        places.append(kwargs.pop(names[len(places)]))
    while len(names) >= len(places) > 1 and _is_default(places[-1], defaults[len(places) - 1]):
        places.pop()
    return tuple(places), {name: value for name, value in kwargs.items() if name != "out" or value is not None}


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) in (int, float, bool) and type(value) is type(default) and value == default)


@lru_cache(maxsize=1024)
def _positional(function: Callable) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The names of arguments that may be given by position, and their defaults."""
    signature = getattr(function, "__signature__", None)
    parameters = [] if signature is None else [*signature.parameters.values()]
    places = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return tuple(p.name for p in places), tuple(p.default for p in places)
