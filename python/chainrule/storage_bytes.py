"""The bytes behind tensors: the methods of UntypedStorage, and the methods of Tensor that show its storage."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import _core
from ._core import Tensor, UntypedStorage
from .error_words import at_call
from .user_warning import warn_user

if TYPE_CHECKING:
    from .storage import TypedStorage

SHARED_MEMORY = "a storage stays where it is; call share_memory_() of the tensor that shows it"
NO_DATA = "Cannot copy out of meta tensor; no data!"
NO_RESIZE = "a storage's size is fixed while tensors show it; make a new tensor and copy what is needed"


def storage_is_shared(storage: UntypedStorage) -> bool:
    if storage.device.type == "cuda":  # as PyTorch says
        return True
    module = sys.modules.get("chainrule.shared_memory")  # before somebody shares, nothing is shared
    return module is not None and module.memory_of(storage) is not None


def bytes_of(storage: UntypedStorage) -> Tensor:
    if storage._is_meta:
        raise NotImplementedError("Not available for 'meta' device type")
    return storage._tensor(_core.uint8, 0, (len(storage),), (1,))


def swap_bytes(data: Tensor, dtype) -> None:
    item = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
    data.copy_(data.reshape(-1, item).flip(1).reshape(-1))


def elements(buffer, byte_order: str, count: int, offset: int, dtype) -> Tensor:
    orders = {"native": sys.byteorder, "little": "little", "big": "big"}
    if byte_order not in orders:
        raise at_call(ValueError, f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    result = _core.functions["frombuffer"](bytes(buffer), dtype=dtype, count=count, offset=offset).clone()
    if orders[byte_order] != sys.byteorder:
        swap_bytes(bytes_of(result.untyped_storage()), dtype)
    return result


def file_elements(filename, shared: bool, count: int, dtype) -> Tensor:
    from .interop import from_file

    return from_file(filename, shared, count, dtype=dtype)


def moved(storage: UntypedStorage, device) -> UntypedStorage:
    there = bytes_of(storage).to(device)
    return storage if there.device == storage.device else there.untyped_storage()


def refuse_device(name: str) -> AssertionError:
    return AssertionError(f"Torch not compiled with {name} enabled: chainrule runs on the CPU")


_Base = UntypedStorage if TYPE_CHECKING else object  # the members move to UntypedStorage, so they may count on its own


class _Untyped(_Base):
    """Methods of UntypedStorage that need no speed; attached to the type below."""

    is_hpu = False
    is_sparse = False
    is_sparse_csr = False
    filename = None

    @property
    def is_cuda(self) -> bool:
        """Whether the bytes are in the memory of a GPU."""
        return self.device.type == "cuda"

    def __getitem__(self, index):
        if isinstance(index, slice) and self.is_cuda:
            if index.step not in (None, 1):
                raise RuntimeError("Trying to slice with a step, but only a step of 1 is supported")
            return bytes_of(self)[index].clone().untyped_storage()
        if isinstance(index, slice) and not self._is_meta:
            part = memoryview(self)[index]
            if not part.contiguous:
                raise at_call(RuntimeError, "Trying to slice with a step, but only a step of 1 is supported")
            return _core.functions["frombuffer"](part, dtype=_core.uint8).untyped_storage() if part else type(self)(0)
        return bytes_of(self)[index].item()

    def __setitem__(self, index, value) -> None:
        if not self._is_meta:
            bytes_of(self)[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        rows = "...\n" if self._is_meta else "".join(f" {byte}\n" for byte in self.tolist())
        return f"{rows}[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo: dict):
        copies = memo.setdefault("chainrule storages", {})
        key = self._cdata
        if key not in copies:
            copies[key] = self.clone()
        return copies[key]

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self)

    def tolist(self) -> list[int]:
        """The bytes as integers."""
        return bytes_of(self).tolist()

    def clone(self):
        """A copy of the bytes."""
        if self._is_meta:
            return UntypedStorage(len(self), device="meta")
        if not len(self):
            return UntypedStorage(0, device=self.device)
        return bytes_of(self).clone().untyped_storage() if self.is_cuda else UntypedStorage(memoryview(self))

    def fill_(self, value: int):
        """Sets every byte."""
        if not self._is_meta:
            bytes_of(self).fill_(value)
        return self

    def copy_(self, source, non_blocking: bool | None = None):
        """Takes over the bytes of another storage of the same size."""
        source = source.untyped()
        if len(source) != len(self):
            raise at_call(
                RuntimeError, f"size does not match, self was {len(self)} bytes but src was {len(source)} bytes"
            )
        if source._is_meta and not self._is_meta:
            raise NotImplementedError(NO_DATA)
        if not self._is_meta:
            bytes_of(self).copy_(bytes_of(source))
        return self

    def element_size(self) -> int:
        """1: a byte."""
        return 1

    def untyped(self):
        """The storage itself."""
        return self

    def cpu(self):
        """The bytes on the CPU; the storage itself if it is there."""
        if self._is_meta:
            raise NotImplementedError(NO_DATA)
        return moved(self, "cpu") if self.is_cuda else self

    def cuda(self, device=None, non_blocking=False):
        """The bytes on a GPU, the current one if None; the storage itself if it is there."""
        return self.to(device="cuda" if device is None else device, non_blocking=non_blocking)

    def to(self, *, device, non_blocking=False):
        """The bytes on a device; the storage itself if it is there."""
        if _core.device(device).type == "cuda" and not _core._cuda.device_count()[0]:
            raise refuse_device("CUDA")
        return moved(self, device)

    def get_device(self) -> int:
        """The number of the GPU; -1 stands for the CPU."""
        index = self.device.index
        return -1 if index is None or not self.is_cuda else index

    def is_pinned(self, device="cuda") -> bool:
        """Whether the bytes are in pinned memory, from which a GPU copies by itself."""
        return self.device.type == "cpu" and _core._cuda.is_pinned(self.data_ptr())

    def pin_memory(self, device="cuda"):
        """A copy in pinned memory; the storage itself if it is there."""
        return self if self.is_pinned() else bytes_of(self).pin_memory().untyped_storage()

    def is_shared(self) -> bool:
        """Whether other processes may see the bytes."""
        return storage_is_shared(self)

    def share_memory_(self):
        """Raises unless the bytes are shared: tensors are moved to shared memory, storages are not."""
        if self._is_meta:
            raise at_call(RuntimeError, "_share_fd_: only available on CPU")
        if not storage_is_shared(self):
            raise at_call(RuntimeError, SHARED_MEMORY)
        return self

    def _share_fd_cpu_(self):
        return self.share_memory_()

    _share_filename_cpu_ = _share_fd_cpu_

    def _write_file(self, file, is_real_file: bool, save_size: bool, element_size: int) -> None:
        """The number of elements, if wanted, then the bytes."""
        if self._is_meta:
            raise NotImplementedError(NO_DATA)
        if save_size:
            file.write((len(self) // element_size).to_bytes(8, sys.byteorder))
        file.write(memoryview(self.cpu()))

    def resize_(self, size: int):
        """Keeps the size it has; any other raises, but on the device "meta"."""
        if self._is_meta:
            self._resize_meta(size)
        elif size != len(self):
            raise at_call(RuntimeError, f"Trying to resize a storage of {len(self)} bytes to {size}: {NO_RESIZE}")
        return self

    def type(self, dtype=None, non_blocking: bool = False) -> str:
        """The name of the type."""
        if dtype is not None:
            raise at_call(
                ValueError, "an UntypedStorage has no dtype to convert; use TypedStorage(wrap_storage=..., dtype=...)"
            )
        return "torch.storage.UntypedStorage"

    @staticmethod
    def from_buffer(buffer, byte_order: str = "native", count: int = -1, offset: int = 0, *, dtype) -> UntypedStorage:
        """A copy of the bytes of `buffer` as elements of `dtype`, in this machine's byte order."""
        return elements(buffer, byte_order, count, offset, dtype).untyped_storage()

    @staticmethod
    def from_file(filename, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """A file's first bytes, read when they are used; what is written goes to the file if it is `shared`."""
        return file_elements(filename, shared, nbytes, _core.uint8).untyped_storage()

    def byteswap(self, dtype) -> None:
        """Turns the bytes of every element of `dtype` around."""
        swap_bytes(bytes_of(self), dtype)

    def __reduce_ex__(self, protocol):
        import pickle

        here = self.cpu()
        data = pickle.PickleBuffer(here) if protocol >= 5 else bytes(memoryview(here))
        return restored_storage, (data, str(self.device)) if self.is_cuda else (data,)


for _name, _member in vars(_Untyped).items():
    if _name not in ("__module__", "__dict__", "__weakref__", "__doc__"):
        setattr(UntypedStorage, _name, _member)


def restored_storage(data, device: str | None = None) -> UntypedStorage:
    """What a pickled storage becomes: its bytes again. Writable memory that came beside the pickle is not copied."""
    if device is not None:
        return UntypedStorage(data, device=device)
    if not len(memoryview(data)):
        return UntypedStorage(0)
    if isinstance(data, memoryview) and not data.readonly:
        return _core.functions["frombuffer"](data, dtype=_core.uint8).untyped_storage()
    return UntypedStorage(data)


restored_storage.__module__ = "chainrule.storage"  # as pickles name it


# ---- methods of Tensor


def storage(self: Tensor) -> TypedStorage:
    """The tensor's storage with its dtype; PyTorch advises untyped_storage() instead.

    Shape and dtype: Any tensor. The result is a TypedStorage.
    Derivative: none, the result is no tensor

    >>> torch.tensor([1., 2.]).storage().size()
    2
    """
    warn_user(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()"
    )
    return _typed_storage(self)


def _typed_storage(self: Tensor) -> TypedStorage:
    from .storage import TypedStorage

    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)


def storage_type(self: Tensor) -> type:
    """The class of storages with the tensor's dtype.

    Shape and dtype: Any tensor. The result is a class.
    Derivative: none, the result is no tensor

    >>> torch.ones(2).storage_type() is torch.FloatStorage
    True
    """
    from .compat import storages
    from .storage import NAMES

    return getattr(storages, NAMES[self.dtype])


def share_memory_(self: Tensor) -> Tensor:
    """Moves the elements to memory that other processes see, if they are forked later or get the tensor.

    Shape and dtype: Any tensor. The result is the tensor itself.
    Derivative: none, the elements stay what they are

    >>> torch.ones(2).share_memory_()
    tensor([1., 1.])
    """
    from .shared_memory import share

    if not self.is_cuda:
        share(self)
    return self


def is_shared(self: Tensor) -> bool:
    """Whether other processes may see the elements.

    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool

    >>> torch.ones(2).is_shared(), torch.ones(2).share_memory_().is_shared()
    (False, True)
    """
    return storage_is_shared(self.untyped_storage())


METHODS = (storage, _typed_storage, storage_type, share_memory_, is_shared)
