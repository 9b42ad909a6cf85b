"""What several operations refuse, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from .._core import Tensor, dtype

_SPOKEN = {
    "torch.bool": "Bool",
    "torch.uint8": "Byte",
    "torch.uint16": "UInt16",
    "torch.uint32": "UInt32",
    "torch.uint64": "UInt64",
    "torch.int8": "Char",
    "torch.int16": "Short",
    "torch.int32": "Int",
    "torch.int64": "Long",
    "torch.float16": "Half",
    "torch.bfloat16": "BFloat16",
    "torch.float32": "Float",
    "torch.float64": "Double",
    "torch.complex32": "ComplexHalf",
    "torch.complex64": "ComplexFloat",
    "torch.complex128": "ComplexDouble",
}


def spoken(kind: dtype) -> str:
    """The dtype as PyTorch's messages call it: Float, Long, ComplexDouble."""
    name = repr(kind)
    return _SPOKEN.get(name) or name.removeprefix("torch.").capitalize()  # Float8_e5m2


def is_integral(kind: dtype) -> bool:
    """Whether it is an integer dtype or bool."""
    return not (kind.is_floating_point or kind.is_complex)


def wrap_dim(dim: int, ndim: int) -> int:
    """The dimension counted from the front."""
    size = max(ndim, 1)
    if not -size <= dim < size:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})")
    return dim % size


def wrap_dims(dims: Sequence[int], ndim: int) -> list[int]:
    """Dimensions counted from the front, each given once."""
    wrapped = [wrap_dim(dim, ndim) for dim in dims]
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def refuse_dtype(name: str, kind: dtype) -> NoReturn:
    """Raises as PyTorch's kernels do for a dtype that they are not made for."""
    raise NotImplementedError(f"\"{name}\" not implemented for '{spoken(kind)}'")


def check_same_dtype(a: Tensor, b: Tensor) -> None:
    """For kernels of PyTorch's that promote nothing."""
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected scalar type {spoken(a.dtype)} but found {spoken(b.dtype)}; convert one of them with .to()"
        )


def along(size: int, dim: int, start: int | None, stop: int | None) -> tuple:
    """An index that slices one dimension of `size`."""
    return (slice(None),) * dim + (slice(start, stop),) + (slice(None),) * (size - dim - 1)
