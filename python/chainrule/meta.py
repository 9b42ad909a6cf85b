"""Tensors of the device "meta": a shape, strides and a dtype, and no elements.

Models are built on it without the cost of their parameters: `with device("meta")`, then `to_empty` or
`load_state_dict(assign=True)`. A call with such a tensor comes here (Note [Meta tensors]). Most run on zeros that
nobody gets to see: shapes, dtypes, histories and errors are right; what is not elementwise takes the CPU's time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from . import _core
from ._core import Tensor
from .error_words import at_call
from .nn.modules.conversion import read_to

__all__: list[str] = []

DEVICE = _core.device("meta")
NO_DATA = "Cannot copy out of meta tensor; no data!"

_functions = _core.functions

# They fill a tensor and read nothing of it: without elements they have nothing to do.
_FILLERS = frozenset(
    f"{name}_"
    for name in (
        *("fill", "zero", "copy", "uniform", "normal", "random", "bernoulli", "exponential", "log_normal"),
        *("cauchy", "geometric", "fill_diagonal"),
    )
)
# What they give has the layout of what they are given. Where no history is recorded, nothing need be calculated, and a
# model that is larger than the memory changes its dtype.
_CASTS = {"bfloat16": _core.bfloat16, "double": _core.float64, "float": _core.float32, "half": _core.float16}
_LIKE = frozenset((*_CASTS, "clone", "empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like"))
# Indices may stand on the CPU, and a tensor is filled from anywhere.
_MIXING = frozenset(("__getitem__", "__setitem__", "index_put_", "copy_"))
# A layer whose weight is here takes matrices of the CPU. PyTorch gives memory as it was found; here nobody sees any.
_PRODUCTS = frozenset(("matmul", "__matmul__", "mm", "bmm", "addmm", "baddbmm", "linear"))


def called(function: Callable, args: tuple, options: dict[str, Any]) -> Any:
    """What a function gives that has such a tensor among its arguments. The core calls it."""
    name = function.__name__
    if name == "repeat_interleave" and _is_meta(_repeats(*args, **options)):
        return _repeated(*args, **options)
    if name in _REFUSED:
        _REFUSED[name](name)
    if name == "to":
        return _moved(*args, **options)
    if name not in _MIXING and not (name in _PRODUCTS and _may_mix(args)):
        out = options.get("out")
        _check_devices((*args, *options.values()), out if isinstance(out, Tensor) else None)
    if name in _FILLERS:
        return _filled(*args)
    if name == "__setitem__":
        _filled(args[0])
    if name == "multinomial":  # no distribution to draw from
        return _empty(*_drawn(*args, **options), _core.int64)
    if name == "__getitem__" and any(index.dtype is _core.bool for index in _tensors(args[1:])):
        _refuse_unknown("indexing with a mask")
    if _read_device(options):  # empty_like(x, device="cpu")
        return function(*(_stand_in(a) if _is_meta(a) else a for a in args), **options)
    if name in _LIKE and (name.endswith("_like") or not _records(args[0])):
        return _like(args[0], options.pop("dtype", None) or _CASTS.get(name), **options)
    return _core.call_on_meta(function, args, options)


def _is_meta(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_meta


def _stand_in(tensor: Tensor) -> Tensor:
    """A tensor of that layout on the CPU."""
    return _functions["empty_strided"](tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype)


# ---- what they can't do


def _refuse_item(name: str) -> NoReturn:
    raise at_call(RuntimeError, "Tensor.item() cannot be called on meta tensors")


def _refuse_copy(name: str) -> NoReturn:
    raise at_call(NotImplementedError, NO_DATA)


def _refuse_unknown(name: str) -> NoReturn:
    raise at_call(
        NotImplementedError, f"{name}: the result depends on the elements, and tensors of the device 'meta' have none"
    )


_UNKNOWN = (
    *("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "equal", "bincount", "histogram"),
    "histogramdd",
)
_REFUSED: dict[str, Callable[[str], NoReturn]] = {
    **dict.fromkeys(("item", "is_nonzero", "allclose"), _refuse_item),
    **dict.fromkeys(("cpu", "tolist"), _refuse_copy),
    **dict.fromkeys(_UNKNOWN, _refuse_unknown),
}


def _tensors(values: Iterable) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _may_mix(factors: tuple) -> bool:
    """Whether they are matrices, and no gradient would have to come back to the CPU."""
    return all(t.dim() > 1 and (t.is_meta or not t.requires_grad) for t in _tensors(factors[:2]))


def _check_devices(arguments: tuple, out: Any) -> None:
    """All in one place, but for numbers that are tensors of the CPU."""
    places = [t.device for t in _tensors(arguments) if t.is_meta or t.dim() > 0]
    for place in places:
        if place != places[0] and out is not None and not out.is_meta:
            raise at_call(
                RuntimeError,
                "Attempting to copy from device meta to device cpu, but cross-device copies are not allowed!",
            )
        if place != places[0]:
            raise at_call(RuntimeError, f"Tensor on device {place} is not on the expected device {places[0]}!")


def _read_device(options: dict[str, Any]) -> bool:
    """Takes the device "meta" out of a function's options; whether they name another one."""
    device = options.get("device")
    if device is not None and _core.device(device) == DEVICE:
        del options["device"]
    return options.get("device") is not None


def _filled(tensor: Tensor, *source: Any) -> Tensor:
    if not tensor.is_meta:
        raise at_call(NotImplementedError, NO_DATA)
    return tensor


# ---- making them


def _repeats(input: Tensor, repeats: Any = None, *args: Any, **options: Any) -> Any:
    return input if repeats is None else repeats


def _repeated(input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """As often as nobody knows, but for the sum."""
    if output_size is None:
        raise at_call(RuntimeError, "cannot repeat_interleave a meta tensor without output_size")
    if repeats is None:
        return _empty((output_size,), (1,), _core.int64)
    index = _functions["zeros"](output_size, dtype=_core.int64, device=DEVICE)
    return input.flatten().index_select(0, index) if dim is None else input.index_select(dim, index)


def _drawn(input: Tensor, num_samples: int, *args: Any, **options: Any) -> tuple[tuple, tuple]:
    shape = (*input.shape[:-1], num_samples)
    return shape, _contiguous(shape)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides))[len(strides) - len(shape) :]


def _empty(shape: tuple, strides: tuple, dtype: _core.dtype, requires_grad: bool = False) -> Tensor:
    return _core.empty_meta(tuple(shape), strides, dtype).requires_grad_(requires_grad)


def _records(tensor: Tensor) -> bool:
    return tensor.requires_grad and _core.is_grad_enabled()


def _like(
    tensor: Tensor,
    dtype: _core.dtype | None = None,
    memory_format: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of the same layout and without history. (There is one layout, and nothing to pin.)"""
    strides, asked = tensor.stride(), memory_format not in (None, _core.preserve_format)
    if asked or not tensor.is_contiguous():
        shown = (tensor.detach(),)
        strides = _core.call_on_meta(_functions["empty_like"], shown, {"memory_format": memory_format}).stride()
    return _empty(tensor.shape, strides, dtype or tensor.dtype, requires_grad)


def _moved(tensor: Tensor, *args: Any, **options: Any) -> Tensor:
    """tensor.to(...), where the tensor or its destination is here."""
    if "other" in options:  # as the method calls what a module's to() calls tensor
        options["tensor"] = options.pop("other")
    dtype, device, memory_format, copy = read_to(*args, **options)
    if _core.device(tensor.device if device is None else device) != DEVICE:
        raise at_call(NotImplementedError, NO_DATA)
    if tensor.is_meta and not copy and dtype in (None, tensor.dtype) and memory_format is None:
        return tensor
    if tensor.is_meta and _records(tensor):
        options = {"dtype": dtype, "copy": copy, "memory_format": memory_format}
        return _core.call_on_meta(Tensor.to, (tensor,), options)
    return _like(tensor, dtype, memory_format)


def made(name: str, given: dict[str, Any]) -> Tensor:
    """What the function `name` gives where its device is "meta". The core calls it, with all arguments by name."""
    if name == "to":
        return _moved(given.pop("input"), **given)
    with _core.device("cpu"):
        return _made(name, given)


def _made(name: str, given: dict[str, Any]) -> Tensor:
    given["device"] = "cpu"
    requires_grad = bool(given.get("requires_grad"))
    method = name.startswith("new_")
    function = getattr(given.pop("input"), name) if method else _functions[name]
    if "size" not in given or "physical_layout" in given or given.get("memory_format") is not None:
        like = function(**given)  # its memory is let go at once
        return _empty(like.shape, like.stride(), like.dtype, requires_grad)
    size = given["size"]
    shape = (size,) if isinstance(size, int) else tuple(size)
    strides = given.get("stride") or _contiguous(shape)
    without = {"size": (0,), "stride": (1,)}
    dtype = function(**{argument: without.get(argument, value) for argument, value in given.items()}).dtype
    return _empty(shape, tuple(strides), dtype, requires_grad)
