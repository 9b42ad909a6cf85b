"""Which overload of an aten operation a call is, by its arguments: aten.add.Tensor, aten.sum.dim_IntList."""

from __future__ import annotations

from typing import Any

from .._core import Tensor, functions
from . import __getattr__ as _library
from .dispatcher_names import OpOverload

__all__ = ["aten", "overload_of", "schema_arguments"]

aten = _library("aten")

# The overloads that a call may be, by what decides: two tensors or a number, a dimension or none.
_TABLE = {
    "arithmetic": "add sub mul div true_divide bitwise_and bitwise_or bitwise_xor rsub",
    "comparison": "eq ne lt le gt ge remainder fmod fill __lshift__ __rshift__ bitwise_left_shift bitwise_right_shift",
    "along": "mean prod all any",
    "best": "max min median nanmedian mode",
    "int": "transpose select softmax log_softmax",
    "Tensor": "split slice index",
    "correction": "std var",
}
_KINDS = {name: kind for kind, names in _TABLE.items() for name in names.split()}
# Python takes the numbers of a shape one by one as well; the operation has one argument for them.
_SHAPES = """
reshape view permute expand repeat tile flip ones zeros empty rand randn full new_ones new_zeros new_empty
"""
_QUESTIONS = """
size stride dim ndimension numel nelement element_size data_ptr is_contiguous storage_offset __len__ __format__
is_floating_point is_complex requires_grad_ backward register_hook retain_grad tolist __repr__ __str__ __bool__ type
untyped_storage storage numpy get_device is_same_size __dlpack__ __array__ is_conj is_neg __get__
"""  # answered without a kernel


def overload_of(function: Any, args: tuple, kwargs: dict) -> OpOverload | None:
    """The operation of torch.ops.aten that a call is; None for what is no operation."""
    name = getattr(function, "__name__", "")
    base = _dunder(name)
    if not base or name in _QUESTIONS.split():
        return None
    if base not in functions and base.rstrip("_") not in functions and not callable(getattr(Tensor, base, None)):
        return None
    return getattr(getattr(aten, base), _overload(base.rstrip("_"), args, kwargs))


def schema_arguments(name: str, args: tuple) -> tuple:
    """The arguments as an operation takes them: the numbers of a shape are a list."""
    first = 1 if args and isinstance(args[0], Tensor) else 0
    if name not in _SHAPES.split() or len(args) <= first or not all(isinstance(n, int) for n in args[first:]):
        return args
    return (*args[:first], list(args[first:]))


def _dunder(name: str) -> str:
    """add for __add__, add_ for __iadd__, and for a reflected __radd__ add as well."""
    if not (name.startswith("__") and name.endswith("__")):
        return name
    plain = name.strip("_")
    if plain == "getitem":
        return "index"
    if plain == "setitem":
        return "index_put_"
    plain = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and"}.get(plain, plain)
    if hasattr(Tensor, plain):
        return plain
    inner = {"truediv": "div"}.get(plain[1:], plain[1:])
    if plain[:1] == "i" and hasattr(Tensor, f"{inner}_"):
        return f"{inner}_"
    return inner if plain[:1] == "r" and hasattr(Tensor, inner) else ""


def _overload(name: str, args: tuple[Any, ...], kwargs: dict) -> str:
    first = args[0] if args else kwargs.get("input")
    second = args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("exponent"))
    has_dim = len(args) > 1 or "dim" in kwargs
    kind = _KINDS.get(name, "default")
    if kind == "arithmetic":
        return "Tensor"
    if kind == "comparison":
        return _kind(second)
    if kind == "along":
        return "dim" if has_dim else "default"
    if kind == "best":
        return "dim" if has_dim and not isinstance(second, Tensor) else "default"
    if name == "pow":
        return f"{_kind(first)}_{_kind(second)}"
    if name == "sum":
        return "dim_IntList" if has_dim else "default"
    if name == "where":
        return "self" if len(args) > 1 else "default"
    return _kind(args[2]) if name == "masked_fill" and len(args) > 2 else kind


def _kind(value: Any) -> str:
    return "Tensor" if isinstance(value, Tensor) else "Scalar"
