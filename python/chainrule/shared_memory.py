"""Tensors whose elements other processes see: share_memory_(), and how such a tensor goes to another process.

The elements lie in a file without a name. A forked process has it mapped already; to any other process, multiprocessing
hands the open file over with the tensor. A tensor that is not shared is copied.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any
from weakref import WeakValueDictionary

from . import _core
from ._core import Tensor, UntypedStorage
from .nn.parameter import Parameter
from .pickling import bits_of, with_bits


class SharedBytes(mmap.mmap):
    """The mapped bytes of a file; it is closed with them."""

    file: int

    def __new__(cls, file: int, size: int) -> SharedBytes:
        memory = super().__new__(cls, file, max(size, 1))
        memory.file = file
        return memory

    def __del__(self) -> None:
        os.close(self.file)


_living: WeakValueDictionary[int, SharedBytes] = WeakValueDictionary()  # by the address of their first byte


def _nameless_file(size: int) -> int:
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("chainrule")
    else:
        with tempfile.TemporaryFile() as kept:
            file = os.dup(kept.fileno())
    os.truncate(file, max(size, 1))
    return file


def _laid_over(memory: SharedBytes, dtype: _core.dtype, offset: int, size: tuple, stride: tuple) -> Tensor:
    storage = _core.functions["frombuffer"](memory, dtype=_core.uint8).untyped_storage()
    _living[storage.data_ptr()] = memory
    return storage._tensor(dtype, offset, size, stride)


def memory_of(storage: UntypedStorage) -> SharedBytes | None:
    """The shared memory that a storage shows."""
    return _living.get(storage.data_ptr())


def share(tensor: Tensor) -> None:
    """Moves a tensor's elements to memory that other processes can see."""
    if tensor.is_meta:
        raise RuntimeError("_share_fd_: only available on CPU")
    storage = tensor.untyped_storage()
    if memory_of(storage) is not None:
        return
    if storage._references() > 2:  # the tensor and `storage` itself
        raise RuntimeError(
            "share_memory_: other tensors show the same memory, and would be left behind. Share a tensor before views "
            "of it are taken, or share a clone() of it."
        )
    memory = SharedBytes(_nameless_file(len(storage)), len(storage))
    memory[: len(storage)] = bytes(storage)
    moved = _laid_over(memory, tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
    tensor.data = with_bits(moved, bits_of(tensor))


# ---- to other processes


def _rebuilt(kind: type, file: Any, size: int, layout: tuple, requires_grad: bool, bits: Any = None) -> Tensor:
    tensor = with_bits(_laid_over(SharedBytes(file.detach(), size), *layout), bits)
    return _core.make_subclass(kind, tensor, requires_grad) if kind is not Tensor or requires_grad else tensor


def _reduced(tensor: Tensor) -> Any:
    memory = memory_of(tensor.untyped_storage())
    if memory is None:
        return tensor.__reduce_ex__(pickle.DEFAULT_PROTOCOL)
    layout = (tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride())
    place = (type(tensor), DupFd(memory.file), len(memory), layout, tensor.requires_grad)
    return _rebuilt, (*place, bits_of(tensor))


ForkingPickler.register(Tensor, _reduced)
ForkingPickler.register(Parameter, _reduced)
