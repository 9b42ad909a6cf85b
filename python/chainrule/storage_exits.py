"""The ways by which a storage's bytes leave the process: to the CPU, to a file, to other processes."""

from __future__ import annotations

import struct
from typing import Any


def check_elements(storage: Any) -> None:
    """Raises where there are none (device "meta")."""
    if storage.device.type == "meta":
        raise NotImplementedError("Not available for 'meta' device type")


def on_cpu(storage: Any) -> Any:
    """The storage itself, unless it has no bytes."""
    if storage.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return storage


def check_sharing(storage: Any, function: str) -> None:
    """Raises where there is nothing to share."""
    if storage.device.type == "meta":
        raise RuntimeError(f"{function}: only available on CPU")


def _share_fd_cpu_(self: Any) -> Any:
    check_sharing(self, "_share_fd_")
    raise NotImplementedError("_share_fd_cpu_: tensors are moved to shared memory (share_memory_()), storages are not")


def _share_filename_cpu_(self: Any) -> Any:
    check_sharing(self, "_share_filename_")
    raise NotImplementedError("_share_filename_cpu_: shared memory has no name here; use share_memory_() of the tensor")


def _write_file(self: Any, file: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
    """Writes the number of elements, if that is wanted, and the bytes."""
    data = bytes(memoryview(on_cpu(self).untyped()))
    if save_size:
        file.write(struct.pack("=q", len(data) // element_size))
    file.write(data)


METHODS = (_share_fd_cpu_, _share_filename_cpu_, _write_file)
