"""ReduceOp, and what MPI calls to reduce elements of each dtype."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .mpi import library

"""MPI has no type for float16 and bfloat16. We give it 16-bit words and an operation of our own, which reads them as
halves: the tensor's memory is sent as it is, half the bytes of a conversion to float32, at the price that each of the
additions along the way rounds (as PyTorch's gloo does). The kernel adds in float and rounds once per pair.
"""

_functions = _core.functions


class ReduceOp(enum.Enum):
    """How elements of several processes become one."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


setattr(ReduceOp, "RedOpType", ReduceOp)  # noqa: B010  (what PyTorch calls the class of the values)

_MPI_NAMES = {"SUM": "SUM", "AVG": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX"}
_BITWISE = {"BAND": "BAND", "BOR": "BOR", "BXOR": "BXOR"}
_LOGICAL = {"SUM": "LOR", "PRODUCT": "LAND", "MIN": "LAND", "MAX": "LOR", "BAND": "LAND", "BOR": "LOR", "BXOR": "LXOR"}
_HALVES = {"SUM": "add", "AVG": "add", "PRODUCT": "mul", "MIN": "minimum", "MAX": "maximum"}
_INTEGERS = (_core.uint8, _core.int8, _core.int16, _core.int32, _core.int64)


def operation(call: str, op: ReduceOp, tensor: Tensor) -> Any:
    """What MPI calls to reduce elements of the tensor's dtype; raises for what has no meaning there.

    Args:
        call: the collective, for errors.
        op: how.
        tensor: only its dtype counts.
    """
    if not isinstance(op, ReduceOp):
        raise TypeError(f"{call}: op must be a ReduceOp, but got {type(op)}")
    dtype = tensor.dtype
    if dtype in (_core.float16, _core.bfloat16):
        name = _HALVES.get(op.name)
        if name is not None:
            return _operation_on_halves(dtype, name)
    elif dtype is _core.bool:
        name = _LOGICAL.get(op.name)
    elif dtype in _INTEGERS:
        name = {**_MPI_NAMES, **_BITWISE}.get(op.name) if op is not ReduceOp.AVG else None
    else:
        name = _MPI_NAMES.get(op.name)
        if tensor.is_complex() and op in (ReduceOp.MIN, ReduceOp.MAX):
            name = None
    if name is None:
        kind = "complex tensors" if tensor.is_complex() else f"tensors of {dtype}"
        raise ValueError(f"{call} does not support {op} on {kind}")
    return getattr(library(), name)


@functools.cache
def _operation_on_halves(dtype: Any, name: str) -> Any:
    """See above."""
    combine: Callable[..., Tensor] = _functions[name]

    def reduce_words(one: Any, into: Any, kind: Any) -> None:
        if len(into):
            with no_grad():
                a = _functions["frombuffer"](one, dtype=dtype)
                b = _functions["frombuffer"](into, dtype=dtype)
                combine(a, b, out=b)

    return library().Op.Create(reduce_words, commute=True)
