"""PyTorch's file format before 1.6: several pickles one after another, then the bytes of the storages."""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any, BinaryIO

from .._core import UntypedStorage
from ..storage import TypedStorage
from .archive import swap_bytes
from .loading import MapLocation, described, restorer, tag_of, trusted_unpickler, with_advice
from .safe_unpickler import SafeUnpickler

_MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
_PROTOCOL_VERSION = 1001


def load_old(file: BinaryIO, map_location: MapLocation, pickle_module, weights_only: bool, arguments: dict) -> Any:
    """The object in a file of the old format."""
    data = file.read()
    if not data:
        raise EOFError("Ran out of input: the file is empty")
    head = SafeUnpickler(data, _no_storages)
    if with_advice(head) != _MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file? It is neither a zip archive nor PyTorch's old format.")
    version = with_advice(head)
    if version != _PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version if type(version) is int else type(version).__name__}")
    system = with_advice(head)
    storages = FollowingStorages(len(data), map_location)
    stream = io.BytesIO(data)
    stream.seek(head.position)
    reader = SafeUnpickler(data, storages.persistent_load, head.position)
    if weights_only:
        result = with_advice(reader)
    else:
        result = trusted_unpickler(stream, storages.persistent_load, pickle_module, arguments).load()
    keys = SafeUnpickler(data, _no_storages, reader.position if weights_only else stream.tell())
    wanted = with_advice(keys)
    little = not isinstance(system, dict) or system.get("little_endian") is not False
    storages.fill(memoryview(data)[keys.position :], wanted, swapped=little != (sys.byteorder == "little"))
    return result


def _no_storages(description: Any) -> Any:
    raise pickle.UnpicklingError("a storage where none belongs")


class FollowingStorages:
    """Storages whose bytes come after the pickle that describes them."""

    def __init__(self, limit: int, map_location: MapLocation):
        self._left = limit  # all storages together are no larger than the file
        self._restore = restorer(map_location)
        self._made: dict[str, TypedStorage] = {}

    def persistent_load(self, description: Any) -> Any:
        """The storage for a description, still without its values; a module's class for a module's."""
        if tag_of(description) == "module" and len(description) == 4:
            return description[1]  # PyTorch kept a module's source code beside its class
        dtype, key, location, count = described(description, 6)
        if description[5] is not None:
            raise pickle.UnpicklingError("views of storages, from PyTorch before 0.4, are not supported")
        if key not in self._made:
            self._left -= count * dtype.itemsize
            if self._left < 0:
                raise pickle.UnpicklingError(f"storage {key[:50]!r} is larger than the file")
            storage = self._restore(UntypedStorage(count * dtype.itemsize), location)
            self._made[key] = TypedStorage(wrap_storage=storage, dtype=dtype)
        return TypedStorage(wrap_storage=self._made[key].untyped(), dtype=dtype)

    def fill(self, data: memoryview, keys: Any, swapped: bool) -> None:
        """Copies the bytes to their storages."""
        if type(keys) is not list or any(type(key) is not str for key in keys) or set(keys) != self._made.keys():
            raise RuntimeError("the file's list of storages is not that of its tensors; it is damaged")
        for key in keys:
            storage, width = self._made[key].untyped(), self._made[key].dtype.itemsize
            count = int.from_bytes(data[:8], "little" if swapped == (sys.byteorder == "big") else "big")
            if len(data) < 8 or count * width != len(storage) or len(data) < 8 + len(storage):
                raise RuntimeError(f"storage has wrong byte size: the file is damaged or cut off (storage {key!r:.50})")
            filled = len(storage) > 0 and isinstance(storage, UntypedStorage)  # those of "meta" have no bytes
            if filled:
                memoryview(storage).cast("B")[:] = data[8 : 8 + len(storage)]
            if filled and swapped:
                swap_bytes(storage, width // (2 if self._made[key].dtype.is_complex else 1))
            data = data[8 + len(storage) :]
