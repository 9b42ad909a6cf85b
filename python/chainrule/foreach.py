"""torch._foreach_add and its kin: an operation on each tensor of a list, as optimizers and averages of weights use it.

They are made when they are asked for, from the operation's name: `_foreach_mul_(tensors, 2.)` calls `mul_` of each
tensor. An argument that is a list has one value for each tensor; any other is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

from ._core import Tensor, functions
from .error_words import at_call

_ONE = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"""
_MORE = "add addcdiv addcmul clamp_max clamp_min div lerp maximum minimum mul pow sub"
_NEW_ONLY = "clone max mm norm powsum"
_IN_PLACE_ONLY = "copy_ zero_"
_BOTH = (_ONE + " " + _MORE).split()
NAMES = frozenset(_BOTH) | {f"{name}_" for name in _BOTH} | {*_NEW_ONLY.split(), *_IN_PLACE_ONLY.split()}

# The names of operands, in PyTorch's order; an operation has one name at most for each place.
_OPERANDS = ("other", "scalar", "mat2", "src", "exponent", "ord", "tensor1", "tensors1", "tensor2", "weight", "weights")
_LAST = ("value", "scalars")


def _vector_norm(tensor: Tensor, ord: Any = 2, dtype: Any = None) -> Tensor:
    return functions["linalg_vector_norm"](tensor, ord, dtype=dtype)


def _power_sum(tensor: Tensor, ord: Any = 2, dtype: Any = None) -> Tensor:
    return tensor.abs().pow(ord).sum(dtype=dtype)


def _fused(method: str) -> Callable:
    return lambda tensor, tensor1, tensor2, value=1: getattr(tensor, method)(tensor1, tensor2, value=value)


def _with_numbers(operands: list) -> list:
    """Operands of addcmul and addcdiv: their factors may come as one tensor."""
    return [operand.tolist() if isinstance(operand, Tensor) else operand for operand in operands]


def _operation(name: str) -> Callable:
    """What is done with each tensor."""
    special = {"norm": _vector_norm, "powsum": _power_sum}
    if name in special:
        return special[name]
    if name.startswith("addc"):
        return _fused(name)
    return getattr(Tensor, name.replace("maximum", "clamp_min").replace("minimum", "clamp_max"))


def _operands(function: str, args: tuple, options: dict) -> list:
    """All operands in their order; what remains in `options` are keywords of the operation."""
    named = [options.pop(name) for name in (*_OPERANDS, *_LAST) if name in options]
    unknown = options.keys() - {"alpha", "dtype", "memory_format", "non_blocking"}
    if unknown:
        raise at_call(TypeError, f"{function}() got an unexpected keyword argument '{min(unknown)}'")
    return [*args, *named]


def _column(operand: Any, count: int) -> Iterable[Any]:
    """An operand's value for each tensor."""
    if not isinstance(operand, (list, tuple)):
        if isinstance(operand, Tensor) and operand.ndim:
            found = f"{operand.ndim} dimensions and {operand.numel()} elements"
            raise at_call(RuntimeError, f"scalar tensor expected to be 0 dim but it has {found}.")
        return repeat(operand, count)
    if len(operand) == count:
        return operand
    if operand and isinstance(operand[0], Tensor):
        raise at_call(
            RuntimeError, f"Tensor lists must have the same number of tensors, got {count} and {len(operand)}"
        )
    raise at_call(RuntimeError, "Tensor list must have same number of elements as scalar list.")


def _check_list(function: str, tensors: Any) -> None:
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(tensor, Tensor) for tensor in tensors):
        raise at_call(
            TypeError,
            f"{function}(): argument 'self' (position 1) must be tuple of Tensors, not {type(tensors).__name__}",
        )
    if not tensors:
        raise at_call(RuntimeError, "Tensor list must have at least one tensor.")


def _make(function: str, name: str) -> Callable:
    operation = _operation(name)

    def each(self: Sequence[Tensor] | Any, *args: Any, **options: Any) -> Any:
        operands = _operands(function, args, options)
        if name == "pow" and isinstance(self, (int, float, complex)):
            return tuple(functions["pow"](self, exponent) for exponent in operands[0])
        _check_list(function, self)
        if name.startswith("addc"):
            operands = _with_numbers(operands)
        columns = [_column(operand, len(self)) for operand in operands]
        results = tuple(operation(*row, **options) for row in zip(self, *columns, strict=True))
        return self if name.endswith("_") else results

    each.__name__ = each.__qualname__ = function
    each.__doc__ = f"`{name}` of each tensor of a list" + (", in place." if name.endswith("_") else ": a tuple.")
    return each


def __getattr__(function: str) -> Any:
    name = function.removeprefix("_foreach_")
    if name == function or name not in NAMES:
        raise AttributeError(f"module 'chainrule' has no attribute '{function}'")
    globals()[function] = each = _make(function, name)
    return each
