"""PyTorch's file format before 1.6: several pickles one after another, then the bytes of the storages."""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any, BinaryIO

from .._core import UntypedStorage
from ..storage import TypedStorage
from .archive import fill, swap_bytes
from .loading import described, tag_of, trusted_unpickler, with_advice
from .locations import MapLocation, restorer
from .safe_unpickler import SafeUnpickler

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def load_old(file: BinaryIO, map_location: MapLocation, pickle_module, weights_only: bool, arguments: dict) -> Any:
    """The object in a file of the old format; the file is at its end afterwards, where another one may begin."""
    start, data = file.tell(), _rest_of(file)
    if not data:
        raise EOFError("Ran out of input: the file is empty")
    if data[257:262] == b"ustar" and weights_only:
        raise RuntimeError(
            "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. Re-running `torch.load` with "
            "`weights_only` set to `False` does not help either: chainrule does not read it."
        )
    head = SafeUnpickler(data, _no_storages)
    if with_advice(head) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file? It is neither a zip archive nor PyTorch's old format.")
    version = with_advice(head)
    if version != PROTOCOL_VERSION:
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
    after = storages.fill(memoryview(data), keys.position, wanted, swapped=little != (sys.byteorder == "little"))
    file.seek(start + after)
    return result


def _rest_of(file: Any) -> bytes:
    """All that follows in a file."""
    if not hasattr(file, "readinto"):
        return file.read()
    start = file.tell()
    file.seek(0, 2)
    data = bytearray(max(file.tell() - start, 0))
    file.seek(start)
    fill(memoryview(data), file)
    return bytes(data)


def _no_storages(description: Any) -> Any:
    raise pickle.UnpicklingError("a storage where none belongs")


class FollowingStorages:
    """Storages whose bytes come after the pickle that describes them."""

    def __init__(self, limit: int, map_location: MapLocation):
        self._left = limit  # all storages together are no larger than the file
        self._restore = restorer(map_location)
        self._made: dict[str, TypedStorage] = {}
        self._views: dict[tuple[int, str], UntypedStorage] = {}

    def persistent_load(self, description: Any) -> Any:
        """The storage for a description, still without its values; a module's class for a module's."""
        if tag_of(description) == "module" and len(description) == 4:
            return description[1]  # PyTorch kept a module's source code beside its class
        dtype, key, location, count = described(description, 6)
        if key not in self._made:
            self._left -= count * dtype.itemsize
            if self._left < 0:
                raise pickle.UnpicklingError(f"storage {key[:50]!r} is larger than the file")
            storage = self._restore(UntypedStorage(count * dtype.itemsize), location)
            self._made[key] = TypedStorage(wrap_storage=storage, dtype=dtype)
        whole = self._made[key].untyped()
        return TypedStorage(wrap_storage=self._part(whole, description[5], dtype.itemsize), dtype=dtype)

    def _part(self, storage: Any, view: Any, width: int) -> Any:
        """What PyTorch before 0.4 wrote of a slice of a storage: its key, its beginning and its length."""
        if view is None:
            return storage
        if type(view) is not tuple or len(view) != 3 or any(type(n) is not int or n < 0 for n in view[1:]):
            raise pickle.UnpicklingError("the view of a storage is not described by a key and two numbers")
        key, first, count = view
        if type(key) is not str or (first + count) * width > len(storage):
            raise pickle.UnpicklingError("the view of a storage reaches beyond it")
        return self._views.setdefault((id(storage), key), storage[first * width : (first + count) * width])

    def fill(self, data: memoryview, position: int, keys: Any, swapped: bool) -> int:
        """Copies the bytes from there on to their storages; gives where they end."""
        if type(keys) is not list or any(type(key) is not str for key in keys) or set(keys) != self._made.keys():
            raise RuntimeError("the file's list of storages is not that of its tensors; it is damaged")
        data = data[position:]
        for key in keys:
            storage, width = self._made[key].untyped(), self._made[key].dtype.itemsize
            count = int.from_bytes(data[:8], "little" if swapped == (sys.byteorder == "big") else "big")
            if len(data) < 8 or count * width != len(storage) or len(data) < 8 + len(storage):
                raise RuntimeError(f"storage has wrong byte size: the file is damaged or cut off (storage {key!r:.50})")
            filled = len(storage) > 0 and isinstance(storage, UntypedStorage)  # those of "meta" have no bytes
            if filled:
                storage.copy_(UntypedStorage(data[8 : 8 + len(storage)]))
            if filled and swapped:
                swap_bytes(storage, width // (2 if self._made[key].dtype.is_complex else 1))
            data = data[8 + len(storage) :]
            position += 8 + len(storage)
        return position
