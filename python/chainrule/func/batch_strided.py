"""Strides inside vmap: each sample sees its own memory only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..error_words import at_call
from .batch_rules import Call, rule
from .batched import wrap


def _reach(sizes: Sequence[int], strides: Sequence[int], offset: int) -> int | None:
    """The end of what a tensor of this layout shows; None: it shows nothing."""
    if 0 in sizes:
        return None
    return offset + 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))


def _check_reach(value: Any, size: Sequence[int], stride: Sequence[int], offset: int) -> None:
    """The first sample stands for all: they lie one after another in the same layout."""
    start = value.storage_offset()
    own, wanted = _reach(value.shape[1:], value.stride()[1:], start), _reach(size, stride, offset)
    if wanted is None or (own is not None and wanted <= own and start <= offset):
        return
    call = f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of `tensor`."
    if own is None:
        raise at_call(
            RuntimeError,
            f"{call} `tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some "
            "storage. This is not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence "
            "of PyTorch view operations",
        )
    raise at_call(
        RuntimeError,
        f"{call} `result` can access some memory in range [{offset}, {wanted}], but `tensor` can only access some "
        f"memory in range [{start}, {own}]. This is not supported inside of vmap, please try to rewrite the "
        "`as_strided` call as a sequence of PyTorch view operations",
    )


@rule("as_strided")
def as_strided(call: Call, input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """The same layout for each sample, one sample's stride apart."""
    value = input._value
    if len(size) != len(stride):
        raise at_call(RuntimeError, "Tensor.as_strided(size, stride, ...): size and stride must have the same length!")
    offset = value.storage_offset() if storage_offset is None else storage_offset
    _check_reach(value, size, stride, offset)
    return wrap(value.as_strided((call.size, *size), (value.stride(0), *stride), offset), call.level)


@rule("new_empty_strided")
def new_empty_strided(call: Call, input: Any, size: Any, stride: Any, **options: Any) -> Any:
    """The samples one after another, each as long as a storage of one would be."""
    step = _reach(size, stride, 0) or 0
    return wrap(input._value.new_empty_strided((call.size, *size), (step, *stride), **options), call.level)
