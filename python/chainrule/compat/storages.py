"""FloatStorage and its kin: PyTorch's older classes of storages, one for each dtype."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor, UntypedStorage
from ..storage import TypedStorage
from ..storage_bytes import _typed_storage, elements, file_elements


class _LegacyStorageMeta(type):
    dtype: _core.dtype
    on_gpu = False

    def __instancecheck__(cls, instance: object) -> bool:
        is_one = isinstance(instance, TypedStorage)
        return is_one and instance.dtype == cls.dtype and instance.is_cuda == cls.on_gpu


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """Makes a TypedStorage of the class's dtype; its own instances there are none."""

    def __new__(cls, *args: Any, wrap_storage: UntypedStorage | None = None, **options: Any):
        of_tensor = bool(args) and isinstance(args[0], Tensor)
        if of_tensor or options or len(args) + (wrap_storage is not None) > 1:
            raise (TypeError if of_tensor else RuntimeError)(
                f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n"
                " * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
            )
        device = "cuda" if cls.on_gpu and wrap_storage is None else None
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, device=device)

    @classmethod
    def from_buffer(cls, buffer, byte_order: str = "native", count: int = -1, offset: int = 0) -> TypedStorage:
        """A copy of the bytes of `buffer` as elements, in this machine's byte order."""
        return _typed_storage(elements(buffer, byte_order, count, offset, cls.dtype))

    @classmethod
    def from_file(cls, filename, shared: bool, size: int) -> TypedStorage:
        """A file's first elements, read when they are used; what is written goes to the file if it is `shared`."""
        return _typed_storage(file_elements(filename, shared, size, cls.dtype))


class DoubleStorage(_LegacyStorage):
    """Makes a TypedStorage of float64: of a number of elements, or of a sequence of them.

    >>> torch.DoubleStorage([1, 2]).tolist()
    [1.0, 2.0]
    """

    dtype = _core.float64
    __module__ = "chainrule"


class FloatStorage(_LegacyStorage):
    """Makes a TypedStorage of float32: of a number of elements, or of a sequence of them.

    >>> torch.FloatStorage([1, 2]).tolist()
    [1.0, 2.0]
    """

    dtype = _core.float32
    __module__ = "chainrule"


class HalfStorage(_LegacyStorage):
    """Makes a TypedStorage of float16: of a number of elements, or of a sequence of them.

    >>> torch.HalfStorage([1, 2]).tolist()
    [1.0, 2.0]
    """

    dtype = _core.float16
    __module__ = "chainrule"


class BFloat16Storage(_LegacyStorage):
    """Makes a TypedStorage of bfloat16: of a number of elements, or of a sequence of them.

    >>> torch.BFloat16Storage([1, 2]).tolist()
    [1.0, 2.0]
    """

    dtype = _core.bfloat16
    __module__ = "chainrule"


class LongStorage(_LegacyStorage):
    """Makes a TypedStorage of int64: of a number of elements, or of a sequence of them.

    >>> torch.LongStorage([1, 2]).tolist()
    [1, 2]
    """

    dtype = _core.int64
    __module__ = "chainrule"


class IntStorage(_LegacyStorage):
    """Makes a TypedStorage of int32: of a number of elements, or of a sequence of them.

    >>> torch.IntStorage([1, 2]).tolist()
    [1, 2]
    """

    dtype = _core.int32
    __module__ = "chainrule"


class ShortStorage(_LegacyStorage):
    """Makes a TypedStorage of int16: of a number of elements, or of a sequence of them.

    >>> torch.ShortStorage([1, 2]).tolist()
    [1, 2]
    """

    dtype = _core.int16
    __module__ = "chainrule"


class CharStorage(_LegacyStorage):
    """Makes a TypedStorage of int8: of a number of elements, or of a sequence of them.

    >>> torch.CharStorage([1, 2]).tolist()
    [1, 2]
    """

    dtype = _core.int8
    __module__ = "chainrule"


class ByteStorage(_LegacyStorage):
    """Makes a TypedStorage of uint8: of a number of elements, or of a sequence of them.

    >>> torch.ByteStorage([1, 2]).tolist()
    [1, 2]
    """

    dtype = _core.uint8
    __module__ = "chainrule"


class BoolStorage(_LegacyStorage):
    """Makes a TypedStorage of bool: of a number of elements, or of a sequence of them.

    >>> torch.BoolStorage([True, False]).tolist()
    [True, False]
    """

    dtype = _core.bool
    __module__ = "chainrule"


class ComplexDoubleStorage(_LegacyStorage):
    """Makes a TypedStorage of complex128: of a number of elements, or of a sequence of them.

    >>> torch.ComplexDoubleStorage([1 + 2j]).tolist()
    [(1+2j)]
    """

    dtype = _core.complex128
    __module__ = "chainrule"


class ComplexFloatStorage(_LegacyStorage):
    """Makes a TypedStorage of complex64: of a number of elements, or of a sequence of them.

    >>> torch.ComplexFloatStorage([1 + 2j]).tolist()
    [(1+2j)]
    """

    dtype = _core.complex64
    __module__ = "chainrule"


Storage = FloatStorage
