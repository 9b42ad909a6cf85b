"""Tensors of the device "meta": a shape, strides and a dtype, and no elements.

Models are built on it without the cost of their parameters: `with device("meta")`, then `to_empty` or
`load_state_dict(assign=True)`. An operation on such a tensor runs on zeros that nobody gets to see: shapes, dtypes and
errors are right, and its time is that of the CPU. A large one reserves addresses; it takes memory when it is written.
"""

from __future__ import annotations

import mmap
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from . import _core
from ._core import Tensor
from ._utils import _rebuild_meta_tensor_no_storage, _rebuild_parameter
from .error_words import at_call
from .nn.modules.conversion import read_to
from .nn.parameter import Parameter
from .overrides import DisableTorchFunctionSubclass
from .pytree import tree_map

__all__ = ["MetaTensor"]

DEVICE = _core.device("meta")
NO_DATA = "Cannot copy out of meta tensor; no data!"

_functions = _core.functions
_RESERVE_FROM = 1 << 16  # bytes; what is smaller is simply there
# No constant of Python 3.11's mmap. Elsewhere the system has its own idea of what memory costs that nobody touches.
_RESERVE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000} if sys.platform == "linux" else {}

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


class MetaTensor(Tensor):
    """What stands for a tensor of the device "meta". Made by every function that takes a device."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """`type(p)(data, requires_grad=True)`: packages that load weights put a parameter in the place of one without
        elements so."""
        return Parameter(*args, **options) if "requires_grad" in options else Tensor(*args, **options)

    @classmethod
    def __torch_function__(cls, func: Callable, types: Iterable, args: tuple = (), kwargs: dict | None = None) -> Any:
        name, options = func.__name__, dict(kwargs or {})
        if name in _REFUSED:
            _REFUSED[name](name)
        if name == "to":
            return _moved(*args, **options)
        if name not in _MIXING:
            _check_devices((*args, *options.values()))
        if name in _FILLERS:
            return _filled(*args)
        if name == "__getitem__" and any(index.dtype is _core.bool for index in _tensors(args[1:])):
            _refuse_unknown("indexing with a mask")
        elsewhere = _read_device(options)  # empty_like(x, device="cpu")
        if name in _LIKE and not elsewhere and (name.endswith("_like") or not _records(args[0])):
            return _like(args[0], options.pop("dtype", None) or _CASTS.get(name), **options)
        with DisableTorchFunctionSubclass():
            result = func(*args, **options)
        if name == "untyped_storage":
            return _core.UntypedStorage(len(result), device="meta")
        return result if elsewhere else tree_map(_as_meta, result)

    def data_ptr(self) -> int:
        """0: there is no memory."""
        return 0

    def __bool__(self) -> bool:
        _refuse_item("item")

    __int__ = __float__ = __index__ = __complex__ = __bool__  # type: ignore[assignment]

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raises: there is nothing to show."""
        raise at_call(
            TypeError,
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
        )

    def __array__(self, *args: Any) -> NoReturn:
        self.numpy()

    def __deepcopy__(self, memo: dict) -> Tensor:
        if id(self) not in memo:
            copy = memo[id(self)] = _empty(self.shape, self.stride(), self.dtype, self.requires_grad)
            copy.__dict__.update(self.__dict__)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> tuple:
        if isinstance(self, Parameter):
            return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())
        place = (self.dtype, tuple(self.shape), self.stride(), self.requires_grad)
        return _rebuild_meta_tensor_no_storage, place

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        text = super().__repr__(tensor_contents=tensor_contents)
        return "Parameter containing:\n" + text if isinstance(self, Parameter) else text


MetaTensor.__name__ = MetaTensor.__qualname__ = "Tensor"  # what it stands for, and what programs print

_core.set_meta_type(MetaTensor)

_grad: Any = Tensor.grad
_data: Any = Tensor.data
_PROPERTIES = {
    "device": property(lambda self: DEVICE),
    "is_meta": property(lambda self: True),
    "is_cpu": property(lambda self: False),
    "data": property(lambda self: self.detach(), _data.__set__),
    "grad": property(lambda self: _as_meta(_grad.__get__(self)), _grad.__set__, _grad.__delete__),
}
for _name, _property in _PROPERTIES.items():
    setattr(MetaTensor, _name, _property)


# ---- what they can't do


def _refuse_item(name: str) -> NoReturn:
    raise at_call(RuntimeError, "Tensor.item() cannot be called on meta tensors")


def _refuse_copy(name: str) -> NoReturn:
    raise at_call(NotImplementedError, NO_DATA)


def _refuse_unknown(name: str) -> NoReturn:
    raise at_call(
        NotImplementedError, f"{name}: the result depends on the elements, and tensors of the device 'meta' have none"
    )


_REFUSED: dict[str, Callable[[str], NoReturn]] = {
    **dict.fromkeys(("item", "is_nonzero", "allclose"), _refuse_item),
    **dict.fromkeys(("cpu", "tolist"), _refuse_copy),
    **dict.fromkeys(("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "equal"), _refuse_unknown),
}


def _tensors(values: Iterable) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _check_devices(arguments: tuple) -> None:
    """All in one place, but for numbers that are tensors of the CPU."""
    places = [t.device for t in _tensors(arguments) if isinstance(t, MetaTensor) or t.dim() > 0]
    for place in places:
        if place != places[0]:
            raise at_call(RuntimeError, f"Tensor on device {place} is not on the expected device {places[0]}!")


def _read_device(options: dict[str, Any]) -> bool:
    """Takes the device "meta" out of a function's options; whether they name another one."""
    device = options.get("device")
    if device is not None and _core.device(device) == DEVICE:
        del options["device"]
    return options.get("device") is not None


def _filled(tensor: Tensor, *source: Any) -> Tensor:
    if not isinstance(tensor, MetaTensor):
        raise at_call(NotImplementedError, NO_DATA)
    return tensor


# ---- making them


def _zeros(count: int, dtype: _core.dtype) -> Tensor:
    """Elements that cost nothing as long as nobody writes them."""
    size = count * dtype.itemsize
    if size < _RESERVE_FROM or not _RESERVE:
        return _functions["zeros"](count, dtype=dtype, device="cpu")
    return _functions["frombuffer"](mmap.mmap(-1, size, **_RESERVE), dtype=dtype)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides))[len(strides) - len(shape) :]


def _empty(shape: tuple, strides: tuple, dtype: _core.dtype, requires_grad: bool = False) -> Tensor:
    count = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    return _core.make_subclass(MetaTensor, _zeros(count, dtype).as_strided(shape, strides), requires_grad)


class MetaStorage:
    """What stands for a storage of the device "meta": load(map_location="meta") lays tensors over it."""

    def __init__(self, size: int):
        self._untyped = _zeros(size, _core.uint8).untyped_storage()

    def __len__(self) -> int:
        return len(self._untyped)

    def _tensor(self, dtype: _core.dtype, offset: int, size: tuple, stride: tuple) -> Tensor:
        return _core.make_subclass(MetaTensor, self._untyped._tensor(dtype, offset, size, stride), False)


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
        with DisableTorchFunctionSubclass():
            strides = _functions["empty_like"](tensor.detach(), memory_format=memory_format).stride()
    return _empty(tensor.shape, strides, dtype or tensor.dtype, requires_grad)


def _as_meta(value: Any) -> Any:
    """A plain tensor as one of this class, with its history; anything else as it is."""
    if not isinstance(value, Tensor) or isinstance(value, MetaTensor):
        return value
    return _core.view_as_subclass(MetaTensor, value)


def _moved(tensor: Tensor, *args: Any, **options: Any) -> Tensor:
    """tensor.to(...), where the tensor or its destination is here."""
    if "other" in options:  # as the method calls what a module's to() calls tensor
        options["tensor"] = options.pop("other")
    dtype, device, memory_format, copy = read_to(*args, **options)
    if _core.device(tensor.device if device is None else device) != DEVICE:
        raise at_call(NotImplementedError, NO_DATA)
    if isinstance(tensor, MetaTensor) and not copy and dtype in (None, tensor.dtype) and memory_format is None:
        return tensor
    with DisableTorchFunctionSubclass():
        if isinstance(tensor, MetaTensor) and _records(tensor):
            return _as_meta(tensor.to(dtype=dtype, copy=copy, memory_format=memory_format))
        return _like(tensor, dtype, memory_format)


def made(name: str, given: dict[str, Any]) -> Tensor:
    """What the function `name` gives where its device is "meta". The core calls it, with all arguments by name."""
    if name == "to":
        return _moved(given.pop("input"), **given)
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
