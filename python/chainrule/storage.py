"""torch.storage: storages with a dtype, PyTorch's older view of the memory behind tensors."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

from . import _core
from ._core import Tensor, UntypedStorage
from .error_words import at_call
from .storage_bytes import _typed_storage, restored_storage  # noqa: F401  (pickles name it here)


class TypedStorage:
    """A storage together with a dtype: PyTorch's older view of the memory behind a tensor.

    Args:
        args: the number of elements, or a sequence of them.
        wrap_storage: an UntypedStorage to look at.
        dtype: of the elements; the default dtype if None.

    >>> torch.tensor([1., 2.]).storage().tolist()
    [1.0, 2.0]
    """

    is_sparse = False

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype=None, device=None):
        meta = device is not None and _core.device(device).type == "meta"
        if not meta:
            _core.check_device(device)
        self.dtype = _core.get_default_dtype() if dtype is None else dtype
        if wrap_storage is not None:
            if args:
                raise at_call(
                    RuntimeError, f"expected no positional arguments together with wrap_storage, but got {len(args)}"
                )
            self._untyped_storage = wrap_storage
        elif meta:
            count = 0 if not args else index(args[0]) if hasattr(args[0], "__index__") else len(args[0])
            self._untyped_storage = UntypedStorage(count * self.dtype.itemsize, device="meta")
        elif len(args) == 1 and not hasattr(args[0], "__index__"):
            self._untyped_storage = _core.functions["tensor"](
                args[0] if isinstance(args[0], str) else list(args[0]),
                dtype=self.dtype,  # text is refused there
                device=device,
            ).untyped_storage()
        else:
            size = index(args[0] if args else 0) * self.dtype.itemsize
            self._untyped_storage = UntypedStorage(size, device=device)

    def _tensor(self) -> Tensor:
        if self._untyped_storage._is_meta:
            raise NotImplementedError("Not available for 'meta' device type")
        return self._untyped_storage._tensor(self.dtype, 0, (len(self),), (1,))

    def __len__(self) -> int:
        return len(self._untyped_storage) // self.dtype.itemsize

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise at_call(RuntimeError, "slices are only supported in UntypedStorage.__getitem__")
        return self._tensor()[index].item()

    def __setitem__(self, index, value) -> None:
        if not self._untyped_storage._is_meta:
            self._tensor()[index] = value

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def __repr__(self) -> str:
        rows = "...\n" if self._untyped_storage._is_meta else "".join(f" {value}\n" for value in self.tolist()) or " \n"
        return f"{rows}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        from copy import deepcopy

        return TypedStorage(wrap_storage=deepcopy(self._untyped_storage, memo), dtype=self.dtype)

    def size(self) -> int:
        """The number of elements."""
        return len(self)

    def nbytes(self) -> int:
        """The number of bytes."""
        return len(self._untyped_storage)

    def element_size(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._untyped_storage.data_ptr()

    def untyped(self) -> UntypedStorage:
        """The bytes."""
        return self._untyped_storage

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return self._tensor().tolist()

    def clone(self) -> TypedStorage:
        """A copy."""
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def fill_(self, value) -> TypedStorage:
        """Sets every element."""
        if not self._untyped_storage._is_meta:
            self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking: bool | None = None) -> TypedStorage:
        """Takes over the elements of another storage, converted."""
        if self._untyped_storage._is_meta or source._untyped_storage._is_meta:
            self._untyped_storage.copy_(source._untyped_storage)
        else:
            self._tensor().copy_(source._tensor())
        return self

    def cpu(self) -> TypedStorage:
        """The storage on the CPU; itself if it is there."""
        return self._over(self._untyped_storage.cpu())

    def cuda(self, device=None, non_blocking: bool = False) -> TypedStorage:
        """The storage on a GPU, the current one if None; itself if it is there."""
        return self._over(self._untyped_storage.cuda(device))

    def to(self, *, device, non_blocking: bool = False) -> TypedStorage:
        """The storage on a device; itself if it is there."""
        return self._over(self._untyped_storage.to(device=device))

    def _over(self, untyped: UntypedStorage) -> TypedStorage:
        same = untyped is self._untyped_storage
        return self if same else TypedStorage(wrap_storage=untyped, dtype=self.dtype)

    def _share_fd_cpu_(self):
        return self._untyped_storage._share_fd_cpu_()

    _share_filename_cpu_ = _share_fd_cpu_

    def _write_file(self, *args) -> None:
        self._untyped_storage._write_file(*args)

    def resize_(self, size: int) -> None:
        """Keeps the number of elements; any other raises, but on the device "meta"."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def resizable(self) -> bool:
        """Whether the bytes are chainrule's own."""
        return self._untyped_storage.resizable()

    def pickle_storage_type(self) -> str:
        """The name of the class of storages with this dtype."""
        return NAMES.get(self.dtype, "TypedStorage")

    def type(self, dtype=None, non_blocking: bool = False) -> str:
        """The name of the class of storages with this dtype; TypedStorage.double() and its kin convert."""
        if dtype is not None:
            raise at_call(
                ValueError, "a storage is converted by the method of the wanted type's name: storage.double()"
            )
        return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"

    def get_device(self) -> int:
        """The number of the GPU; -1 stands for the CPU."""
        return self._untyped_storage.get_device()

    def is_pinned(self, device="cuda") -> bool:
        """Whether the elements are in pinned memory, from which a GPU copies by itself."""
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self, device="cuda") -> TypedStorage:
        """A copy in pinned memory; the storage itself if it is there."""
        return self._over(self._untyped_storage.pin_memory(device))

    def is_shared(self) -> bool:
        """Whether other processes may see the elements."""
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Raises unless the elements are shared: tensors are moved to shared memory, storages are not."""
        self._untyped_storage.share_memory_()
        return self

    @property
    def device(self) -> _core.device:
        """Where the elements live."""
        return self._untyped_storage.device

    @property
    def is_cuda(self) -> bool:
        """Whether the elements are in the memory of a GPU."""
        return self._untyped_storage.is_cuda


def _conversion(method: str, dtype):
    def convert(self: TypedStorage) -> TypedStorage:
        return self if self.dtype == dtype else _typed_storage(self._tensor().to(dtype))

    convert.__name__, convert.__qualname__ = method, f"TypedStorage.{method}"
    convert.__doc__ = f"A storage with the elements as {dtype}."
    return convert


# The dtypes of which PyTorch has a class of storages: FloatStorage and its kin, in compat/storages.py.
_PREFIXES = {
    "Double": _core.float64,
    "Float": _core.float32,
    "Half": _core.float16,
    "BFloat16": _core.bfloat16,
    "Long": _core.int64,
    "Int": _core.int32,
    "Short": _core.int16,
    "Char": _core.int8,
    "Byte": _core.uint8,
    "Bool": _core.bool,
    "ComplexDouble": _core.complex128,
    "ComplexFloat": _core.complex64,
}
NAMES = {dtype: f"{prefix}Storage" for prefix, dtype in _PREFIXES.items()}
for _prefix, _dtype in _PREFIXES.items():
    _method = _prefix.lower().replace("complex", "complex_")
    setattr(TypedStorage, _method, _conversion(_method, _dtype))


def is_storage(obj: Any) -> bool:
    """Whether `obj` is a storage.

    >>> torch.is_storage(torch.ones(2).untyped_storage())
    True
    """
    return isinstance(obj, (UntypedStorage, TypedStorage))
