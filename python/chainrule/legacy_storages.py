"""FloatStorage and its kin: the old classes of storages. What they make is a TypedStorage of their dtype."""

from __future__ import annotations

from typing import Any

from . import _core
from .storage import TypedStorage


class _OfDtype(type):
    """A storage is an instance of the class that has its dtype."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype == vars(cls).get("dtype")


def _storage_class(name: str, dtype: _core.dtype) -> type:
    def make(cls: type, *args: Any, wrap_storage: Any = None) -> TypedStorage:
        if len(args) > 1:
            raise RuntimeError(
                f"{name}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
                " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)\nToo many positional arguments"
            )
        if args and isinstance(args[0], str):
            raise TypeError("new(): invalid data type 'str'")
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=dtype)

    members = {"__new__": make, "dtype": dtype, "__doc__": f"A storage of {dtype}: TypedStorage(dtype={dtype})."}
    return _OfDtype(name, (TypedStorage,), members)


BoolStorage = _storage_class("BoolStorage", _core.bool)
ByteStorage = _storage_class("ByteStorage", _core.uint8)
CharStorage = _storage_class("CharStorage", _core.int8)
ShortStorage = _storage_class("ShortStorage", _core.int16)
IntStorage = _storage_class("IntStorage", _core.int32)
LongStorage = _storage_class("LongStorage", _core.int64)
HalfStorage = _storage_class("HalfStorage", _core.float16)
BFloat16Storage = _storage_class("BFloat16Storage", _core.bfloat16)
FloatStorage = _storage_class("FloatStorage", _core.float32)
DoubleStorage = _storage_class("DoubleStorage", _core.float64)
ComplexFloatStorage = _storage_class("ComplexFloatStorage", _core.complex64)
ComplexDoubleStorage = _storage_class("ComplexDoubleStorage", _core.complex128)
