"""Writing PyTorch's file format before 1.6, for those who have nothing newer to read it with."""

from __future__ import annotations

import inspect
import pickle
import sys
from typing import Any

from .._core import UntypedStorage
from ..nn.modules.module import Module
from ..user_warning import warn_user
from .old_format import MAGIC_NUMBER, PROTOCOL_VERSION
from .saving import Pickler

_SYSTEM = {
    "protocol_version": PROTOCOL_VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


class OldPickler(Pickler):
    """Describes storages in one value more, and puts the source code of modules beside their classes."""

    def __init__(self, file: Any, protocol: int):
        super().__init__(file, protocol)
        self.widths: dict[str, int] = {}
        self._classes: set[type] = set()

    def persistent_id(self, obj: Any) -> tuple | None:
        """The description of a storage or of a module's class, in PyTorch's form."""
        if isinstance(obj, type) and issubclass(obj, Module):
            if obj in self._classes:
                return None
            self._classes.add(obj)
            return "module", obj, *_source_of(obj)
        described = super().persistent_id(obj)
        if described is None:
            return None
        self.widths[described[2]] = 1 if isinstance(obj, UntypedStorage) else obj.dtype.itemsize
        return *described, None


def _source_of(kind: type) -> tuple[str | None, str | None]:
    try:
        return inspect.getsourcefile(kind), inspect.getsource(kind)
    except (OSError, TypeError):
        warn_user(
            f"Couldn't retrieve source code for container of type {kind.__name__}. It won't be checked for "
            "correctness upon loading."
        )
        return None, None


def write_old(obj: Any, file: Any, protocol: int) -> None:
    """Writes an object: a few pickles, the object's own, the keys of its storages and then their bytes."""
    for value in (MAGIC_NUMBER, PROTOCOL_VERSION, _SYSTEM):
        file.write(pickle.dumps(value, protocol=protocol))
    pickler = OldPickler(file, protocol)
    pickler.dump(obj)
    keys = sorted(pickler.storages)
    file.write(pickle.dumps(keys, protocol=protocol))
    for key in keys:
        storage = pickler.storages[key]
        file.write((len(storage) // pickler.widths[key]).to_bytes(8, sys.byteorder))
        if len(storage):
            file.write(memoryview(storage.cpu()).cast("B"))
