"""Elementwise operations inside vmap: shapes are aligned from the right."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .batch_rules import RULES, Call
from .batched import BatchedTensor

_TABLE = {op["name"] for op in _core.op_table()} | {name for name, _ in _core.op_aliases()}
_ALIKE = """
clone contiguous conj conj_physical resolve_conj resolve_neg real imag view_as_real view_as_complex float_power
where copy_ fill_ zero_ bool byte char short int long half bfloat16 float double cfloat cdouble
zeros_like ones_like full_like empty_like _mark_numpy clamp clip nan_to_num isclose angle sgn dropout
isreal _as_leaf _mul_scalar _div_scalar detach type polygamma pow addcmul addcdiv lerp maximum minimum
"""


def elementwise(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Every batched tensor gets dimensions of length 1 behind that of the samples, up to the largest rank."""
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
    rank = max(t.ndim for t in tensors)
    name = call.function.__name__
    in_place = name.endswith("_") and not name.startswith("_")
    if in_place and not call.is_batched(args[0]):
        _core.raise_batched_write("inplace arithmetic")
    aligned = _promoted(tensors) if len(tensors) > 1 else {}

    def align(a: Any) -> Any:
        if not isinstance(a, Tensor):
            return a
        value = call.value(a)
        if id(a) in aligned and not (in_place and a is args[0]):
            value = value.to(aligned[id(a)])
        if call.is_batched(a) and a.ndim < rank:
            value = value.reshape(value.shape[0], *(1,) * (rank - a.ndim), *a.shape)
        return value

    result = call.function(*map(align, args), **{key: align(a) for key, a in kwargs.items()})
    return args[0] if in_place else call.wrapped(result)


def _promoted(tensors: list[Tensor]) -> dict[int, Any]:
    """A sample without dimensions has less say about the dtype than its values, which have one: convert it first."""
    flat = [t for t in tensors if type(t) is BatchedTensor and t.ndim == 0 and t.dtype != _core.bool]
    others = [t for t in tensors if t.ndim > 0]
    if not flat or not others:
        return {}
    return {
        id(t): o.dtype
        for t in flat
        for o in others
        if t.dtype != o.dtype and _core.result_type(t, o) == o.dtype and o.dtype != _core.bool
    }


def prelu(call: Call, input: Tensor, weight: Tensor) -> Any:
    """The weights belong to the second dimension of a sample."""
    x, w = call.expanded(input), call.expanded(weight)
    if input.ndim > 1 and weight.ndim:
        w = w.reshape(call.size, 1, -1, *(1,) * (input.ndim - 2))
    elif input.ndim == 1 or not weight.ndim:
        w = w.reshape(call.size, *(1,) * input.ndim)
    else:
        w = w.reshape(call.size)
    return call.wrapped(_core.functions["where"](x > 0, x, w * x))


RULES.update(dict.fromkeys([*_TABLE, *_ALIKE.split(), *(n + "_" for n in _TABLE)], elementwise))
RULES["prelu"] = prelu


def fill(call: Call, input: Tensor, value: Any) -> Any:
    """Each sample with a number of its own."""
    if not isinstance(value, Tensor) or not call.is_batched(value):
        return elementwise(call, input, value)
    if value.ndim:
        raise at_call(
            RuntimeError, f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    return elementwise(call._replace(function=Tensor.copy_), input, value)


def view_as_complex(call: Call, input: Tensor) -> Any:
    """The samples are no dimension of theirs."""
    if not input.ndim:
        raise at_call(RuntimeError, "Input tensor must have one or more dimensions")
    return elementwise(call, input)


RULES.update({"fill_": fill, "view_as_complex": view_as_complex})
