"""Where calls go that have a tensor of a class with a __torch_dispatch__ among their arguments."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..ops.aten_calls import as_aten
from ..ops.checks import spoken
from ..ops.overloads import aten
from .parts import Wrapped, dispatches, parts_of

__all__ = ["attribute", "called", "dispatch", "tensors_in"]


def tensors_in(values: Any) -> Iterator[Tensor]:
    """The tensors among arguments, also those in lists."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


# ---- what a tensor says of itself


def _own(x: Tensor) -> Wrapped:
    parts = parts_of(x)
    if parts is None:
        raise NotImplementedError  # it has elements: asked of the core
    return parts


def _stride(input: Tensor, dim: int | None = None) -> Any:
    strides = _own(input).strides
    return strides if dim is None else strides[dim]


def _is_contiguous(input: Tensor, *, memory_format: Any = _core.contiguous_format) -> bool:
    alike = _core.functions["empty_strided"](tuple(input.shape), _own(input).strides, device="meta")
    return alike.is_contiguous(memory_format=memory_format)


def _no_storage(input: Tensor, *args: Any, **options: Any) -> NoReturn:
    raise at_call(RuntimeError, "The tensor has a non-zero number of elements, but its data is not allocated yet.")


def _no_array(input: Tensor, *args: Any, **options: Any) -> NoReturn:
    raise at_call(RuntimeError, ".numpy() is not supported for tensor subclasses.")


def _no_list(input: Tensor) -> NoReturn:
    raise at_call(RuntimeError, f".tolist() is not supported for tensor subclasses, got {type(input).__name__}")


def _type(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    if dtype is not None:
        return input.to(dtype)
    return f"torch.{spoken(input.dtype)}Tensor"


_ANSWERS: dict[str, Callable] = {
    "stride": _stride,
    "storage_offset": lambda input: _own(input).offset,
    "is_contiguous": _is_contiguous,
    "data_ptr": lambda input: 0,
    "const_data_ptr": lambda input: 0,
    "untyped_storage": _no_storage,
    "storage": _no_storage,
    "numpy": _no_array,
    "__array__": _no_array,
    "_mark_numpy": _no_array,
    "tolist": _no_list,
    "type": _type,
    "is_set_to": lambda input, tensor: input is tensor,
    "_is_view": lambda input: False,
}


def attribute(name: str, x: Tensor) -> Any:
    """A property of a tensor without elements. The core calls it."""
    parts = parts_of(x)
    if parts is None:  # it has elements
        return _core.functions["alias"](x)
    simple = {
        "device": lambda: parts.device,
        "is_cpu": lambda: parts.device.type == "cpu",
        "is_cuda": lambda: parts.device.type == "cuda",
        "is_meta": lambda: parts.device.type == "meta",
        "layout": lambda: parts.layout,
        "is_sparse": lambda: parts.layout is _core.sparse_coo,
        "is_sparse_csr": lambda: parts.layout is _core.sparse_csr,
        "nbytes": lambda: x.numel() * x.element_size(),
        "data": x.detach,
        "T": lambda: x.permute(list(reversed(range(x.dim())))),
        "mT": lambda: x.transpose(-2, -1),
        "mH": lambda: x.transpose(-2, -1).conj(),
        "H": lambda: x.t().conj(),
        "real": lambda: called(_core.functions["real"], (x,), {}),
        "imag": lambda: called(_core.functions["imag"], (x,), {}),
    }
    return simple[name]()


# ---- calls


class _Below(threading.local):
    asked: tuple[Any, ...] = ()  # what a class has been asked about, on this thread


_below = _Below()


def _item(run: Callable, x: Tensor) -> Any:
    if x.numel() != 1:
        raise at_call(RuntimeError, f"a Tensor with {x.numel()} elements cannot be converted to Scalar")
    return run(aten._local_scalar_dense.default, x)


def _is_nonzero(run: Callable, x: Tensor) -> bool:
    if x.numel() != 1:
        kind = "more than one value" if x.numel() else "no values"
        raise at_call(RuntimeError, f"Boolean value of Tensor with {kind} is ambiguous")
    return bool(run(aten._local_scalar_dense.default, x))


_PARTS: dict[str, Callable] = {"item": _item, "is_nonzero": _is_nonzero}


def called(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What a function gives that has such a tensor among its arguments. The core calls it."""
    name = function.__name__
    if args and name in _ANSWERS and (parts_of(args[0]) is not None or name in ("numpy", "tolist")):
        return _ANSWERS[name](*args, **options)
    if name in _PARTS:
        return _PARTS[name](_run, *args, **options)
    return as_aten(function, args, options, _run, asked=lambda *args, **options: _answered(function, args, options))


def _answered(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What is no operation, asked of the elements; without them there is no answer."""
    if any(parts_of(x) is not None for x in tensors_in((*args, *options.values()))):
        raise at_call(NotImplementedError, f"{function.__name__}: not for classes with a __torch_dispatch__")
    return function(*(x.as_subclass(Tensor) if dispatches(x) else x for x in args), **options)


def _run(op: Callable, *args: Any, **options: Any) -> Any:
    """One operation of aten, with its history."""
    tensors = [*tensors_in((*args, *options.values()))]
    if not any(dispatches(t) for t in tensors):
        return op(*args, **options)
    if _core.is_grad_enabled() and any(t.requires_grad for t in tensors):
        from .record import recorded

        return recorded(op, args, options)
    result = dispatch(op, args, options)
    if _writes(op) and isinstance(result, Tensor):
        _core.increment_version(result)
    return result


def _writes(op: Any) -> bool:
    name = op.overloadpacket.__name__
    return name.endswith("_") and not name.startswith("__")


def dispatch(op: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What the classes of the arguments say: a subclass is asked before its base, otherwise the first one."""
    kinds: list[Any] = []
    for x in tensors_in((*args, *options.values())):
        kind = type(x)
        if dispatches(x) and kind not in kinds:
            at = next((i for i, other in enumerate(kinds) if issubclass(kind, other)), len(kinds))
            kinds.insert(at, kind)
    with _below_autograd():
        for kind in kinds:
            result = kind.__torch_dispatch__(op, tuple(kinds), args, options)
            if result is not NotImplemented:
                return result
    listed = "".join(f"\n\n  - tensor subclass {kind}" for kind in kinds)
    raise at_call(
        TypeError,
        f"Multiple dispatch failed for 'torch._ops.{op}'; all __torch_dispatch__ handlers returned NotImplemented:"
        + listed,
    )


@contextlib.contextmanager
def _below_autograd() -> Iterator[None]:
    """A block in which nothing is recorded: PyTorch asks these classes below autograd."""
    before = _core.is_grad_enabled()
    _core.set_grad_enabled(False)
    try:
        yield
    finally:
        _core.set_grad_enabled(before)
