"""Tensor(2, 3), FloatTensor([1., 2.]), LongTensor(array): PyTorch's old constructors."""

from __future__ import annotations

from typing import Any

from . import _core
from ._core import Tensor


def construct(cls: type, *args: Any, dtype: _core.dtype | None = None, device: Any = None, **kwargs: Any) -> Tensor:
    """A tensor of the given sizes, or with the given data; a subclass's instance where asked."""
    if kwargs:
        raise TypeError(f"new() received an invalid combination of arguments - got {next(iter(kwargs))}=...")
    if device is not None:
        _core.device(device)
    data = _data(args, dtype)
    return data if cls is Tensor else _core.make_subclass(cls, data, False)


def _data(args: tuple, dtype: _core.dtype | None) -> Tensor:
    functions = _core.functions
    wanted = _core.get_default_dtype() if dtype is None else dtype
    if not args:
        return functions["empty"](0, dtype=wanted)
    if all(isinstance(a, int) for a in args):
        return functions["empty"](*args, dtype=wanted)
    if len(args) != 1:
        raise TypeError(f"new() received an invalid combination of arguments - got {len(args)} values")
    (data,) = args
    if isinstance(data, _core.Size):
        return functions["empty"](data, dtype=wanted)
    if isinstance(data, Tensor):
        if dtype is not None and data.dtype is not dtype:
            raise TypeError(f"expected a tensor of dtype {dtype} (got {data.dtype}); convert it with .to({dtype})")
        return data.detach()
    if isinstance(data, (float, complex)):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return functions["tensor"](_truncated(data) if not wanted.is_floating_point else data, dtype=wanted)


def _truncated(data: Any) -> Any:
    """LongTensor([1.5]) drops the fraction."""
    if isinstance(data, (list, tuple)):
        return [_truncated(item) for item in data]
    return int(data) if isinstance(data, float) else data


class _LegacyType(type):
    """The class of FloatTensor and its kin: calling one makes a plain Tensor, and instances are told by their dtype."""

    dtype: _core.dtype
    is_cuda = False
    layout = _core.strided

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return construct(Tensor, *args, dtype=cls.dtype, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def _legacy(name: str, dtype: _core.dtype) -> _LegacyType:
    return _LegacyType(name, (), {"dtype": dtype})


BoolTensor = _legacy("BoolTensor", _core.bool)
ByteTensor = _legacy("ByteTensor", _core.uint8)
CharTensor = _legacy("CharTensor", _core.int8)
ShortTensor = _legacy("ShortTensor", _core.int16)
IntTensor = _legacy("IntTensor", _core.int32)
LongTensor = _legacy("LongTensor", _core.int64)
HalfTensor = _legacy("HalfTensor", _core.float16)
BFloat16Tensor = _legacy("BFloat16Tensor", _core.bfloat16)
FloatTensor = _legacy("FloatTensor", _core.float32)
DoubleTensor = _legacy("DoubleTensor", _core.float64)


def set_default_tensor_type(t: Any) -> None:
    """PyTorch's older set_default_dtype: takes DoubleTensor, or its name."""
    if isinstance(t, str):
        t = globals().get(t.removeprefix("torch."))
    dtype = getattr(t, "dtype", None)
    if not isinstance(t, _LegacyType) or dtype is None or not dtype.is_floating_point:
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    _core.set_default_dtype(dtype)
