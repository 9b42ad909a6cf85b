"""Tensor._make_wrapper_subclass: tensors without elements, whose class says what operations on them give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call

__all__ = ["Wrapped", "dispatches", "make_wrapper", "parts_of"]

_POLICIES = ("strides", "sizes")


class Wrapped(_core.SparseParts):
    """What such a tensor says of itself beside its shape and its dtype."""

    def __init__(self, strides: tuple[int, ...], offset: int, layout: Any, device: Any) -> None:
        self.strides, self.offset, self.layout, self.device = strides, offset, layout, device


def parts_of(x: Tensor) -> Wrapped | None:
    """The Wrapped of a tensor; None for one that has elements, or places and values."""
    parts = _core.sparse_parts(x)
    return parts if isinstance(parts, Wrapped) else None


def dispatches(x: Any) -> bool:
    """Whether an object is a tensor whose class has a say."""
    return isinstance(x, Tensor) and hasattr(type(x), "__torch_dispatch__")


def _sizes(name: str, position: int, given: Any) -> tuple[int, ...]:
    if not isinstance(given, (tuple, list)) or not all(hasattr(n, "__index__") for n in given):
        raise at_call(
            TypeError,
            f"_make_wrapper_subclass(): argument '{name}' (position {position}) must be tuple of ints, not "
            f"{type(given).__name__}",
        )
    return tuple(int(n) for n in given)


def _contiguous(size: tuple[int, ...], memory_format: Any) -> tuple[int, ...]:
    layout = {} if memory_format in (None, _core.preserve_format) else {"memory_format": memory_format}
    return _core.functions["empty"](size, device="meta", **layout).stride()


def _refuse_dispatch(policy: str | None, device: bool, layout: bool) -> None:
    if policy is not None and policy not in _POLICIES:
        raise at_call(ValueError, f"Unknown sizes_strides_policy: {policy}; expected 'strides' or 'sizes'")
    asked = {"dispatch_sizes_strides_policy": policy, "dispatch_device": device, "dispatch_layout": layout}
    for name, value in asked.items():
        if value:
            raise at_call(
                NotImplementedError,
                f"_make_wrapper_subclass: {name} is not supported; chainrule answers questions about size, strides, "
                "device and layout itself, by what it was given here",
            )


def make_wrapper(
    cls: type,
    size: Sequence[int],
    strides: Sequence[int] | None = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = _core.strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    _extra_dispatch_keys: Any = None,
    storage_size: int | None = None,
) -> Tensor:
    """A tensor of the class that has no elements."""
    if not isinstance(cls, type):
        raise at_call(TypeError, f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise at_call(
            TypeError,
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            "class inherits from Tensor.",
        )
    if not hasattr(cls, "__torch_dispatch__"):
        raise at_call(TypeError, f"{cls.__name__} must define __torch_dispatch__")
    shape = _sizes("size", 2, size)
    _refuse_dispatch(dispatch_sizes_strides_policy, dispatch_device, dispatch_layout)
    if _extra_dispatch_keys is not None:
        raise at_call(NotImplementedError, "_make_wrapper_subclass: _extra_dispatch_keys; chainrule has no dispatcher")
    if storage_offset is not None and strides is None:
        raise at_call(RuntimeError, "setting storage offset without stride not supported")
    steps = _contiguous(shape, memory_format) if strides is None else _sizes("strides", 3, strides)
    if len(steps) != len(shape):
        raise at_call(
            RuntimeError,
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})",
        )
    parts = Wrapped(steps, int(storage_offset or 0), layout, _core.device("cpu" if device is None else device))
    tensor = _core.sparse_tensor(parts, shape, _core.get_default_dtype() if dtype is None else dtype)
    return _core.make_subclass(cls, tensor, bool(requires_grad))
