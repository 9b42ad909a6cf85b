"""load(): what save() wrote, here or in PyTorch."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO

from .. import _core
from .._core import UntypedStorage
from ..storage import TypedStorage
from . import names
from .archive import ArchiveReader, swap_bytes
from .safe_unpickler import SafeUnpickler, UnsupportedGlobal, names_in

MapLocation = Callable | _core.device | str | dict[str, str] | None

_FAILED = "Weights only load failed. "
_RUNS_CODE = (
    "load(weights_only=False) runs the program that the file's pickle is: it imports what the file names and calls it. "
    "Only do so with files whose author you trust."
)


def load(
    f: str | os.PathLike | BinaryIO,
    map_location: MapLocation = None,
    pickle_module: ModuleType | None = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads an object that save() wrote, here or in PyTorch.

    The file is read by a reader that knows tensors, containers, numbers and texts; nothing in a file can make it
    import a name or run code. A class of your own is let in by serialization.add_safe_globals().

    Args:
        f: a name, or a file opened for reading bytes.
        map_location: where storages go that were on another device: "cpu", a dict from device to device, or a
            function of the storage and its device's name.
        pickle_module: with weights_only=False, the module whose Unpickler is used.
        weights_only: False runs the file's pickle, which can do anything at all, and warns of it.
        mmap: whether the file's pages are shown instead of read, so that only what is used is loaded; no checksums
            are compared then.
        pickle_load_args: for the Unpickler, with weights_only=False.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"step": 3, "weight": torch.tensor([1., 2.])}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'step': 3, 'weight': tensor([1., 2.])}
    """
    weights_only = True if weights_only is None else weights_only
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args.keys() - {"encoding"}:
        raise TypeError(f"load() got unexpected arguments: {', '.join(sorted(pickle_load_args))}")
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _load(file, map_location, pickle_module, weights_only, bool(mmap), pickle_load_args)
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if not all(hasattr(f, name) for name in ("read", "seek", "tell")):
        raise AttributeError(
            "You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like "
            f"io.BytesIO and try to load from it instead; got {type(f).__name__}"
        )
    return _load(f, map_location, pickle_module, weights_only, False, pickle_load_args)


def _load(file, map_location, pickle_module, weights_only, mapped, pickle_load_args) -> Any:
    start = file.tell()
    head = file.read(4)
    if head != b"PK\3\4":
        from .old_format import load_old

        if mapped:
            raise RuntimeError("mmap can only be used with files saved with `torch.save` in the zip format")
        file.seek(start)
        return load_old(file, map_location, pickle_module, weights_only, pickle_load_args)
    archive = ArchiveReader(file, mapped)
    if "constants.pkl" in archive:
        raise RuntimeError("Cannot load a TorchScript archive: it holds a program, which chainrule does not run")
    storages = ArchiveStorages(archive, map_location)
    return unpickled(archive.read("data.pkl"), storages.persistent_load, pickle_module, weights_only, pickle_load_args)


def unpickled(data: bytes, persistent_load: Callable, pickle_module, weights_only: bool, arguments: dict) -> Any:
    """The object in a pickle, by the safe reader or by Python's."""
    if not weights_only:
        import io

        return trusted_unpickler(io.BytesIO(data), persistent_load, pickle_module, arguments).load()
    return with_advice(SafeUnpickler(data, persistent_load))


def with_advice(reader: SafeUnpickler) -> Any:
    """The reader's next object, or an error that says what can be done."""
    try:
        return reader.load()
    except UnsupportedGlobal as error:
        raise pickle.UnpicklingError(
            f"{_FAILED}{error} Or, only if you trust the source of the file: load(..., weights_only=False), which "
            "can execute any code that it contains."
        ) from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(f"{_FAILED}The file is damaged or holds more than data: {error}") from error


def trusted_unpickler(file: Any, persistent_load: Callable, pickle_module, arguments: dict) -> Any:
    """Python's unpickler, with PyTorch's names standing for what is here; warns of what it does."""
    warnings.warn(_RUNS_CODE, stacklevel=5)

    base: Any = (pickle_module or pickle).Unpickler

    class Unpickler(base):
        def persistent_load(self, pid: Any) -> Any:
            return persistent_load(pid)

        def find_class(self, module: str, name: str) -> Any:
            if module.partition(".")[0] == "torch":
                return names.object_of(module, name)
            return super().find_class(module, name)

    return Unpickler(file, **{"encoding": "utf-8", **arguments})


# ---- storages


class ArchiveStorages:
    """The storages of an archive, each read when it is asked for first."""

    def __init__(self, archive: ArchiveReader, map_location: MapLocation):
        self._archive = archive
        self._restore = restorer(map_location)
        self._read: dict[str, UntypedStorage] = {}

    def persistent_load(self, description: Any) -> Any:
        """The storage that a tuple ("storage", type, key, device, number of elements) describes."""
        dtype, key, location, count = described(description, 5)
        if key not in self._read:
            storage = self._archive.storage(f"data/{key}")
            if self._archive.swapped:
                swap_bytes(storage, dtype.itemsize // (2 if dtype.is_complex else 1))
            self._read[key] = self._restore(storage, location)
        storage = self._read[key]
        if not count * dtype.itemsize <= len(storage) < (count + 1) * dtype.itemsize:
            raise pickle.UnpicklingError(f"storage {key!r} has {len(storage)} bytes, not {count} elements of {dtype}")
        return TypedStorage(wrap_storage=storage, dtype=dtype)


def tag_of(description: Any) -> str | None:
    """The text that a description begins with."""
    first = next(iter(description), None) if type(description) is tuple else None
    return first if type(first) is str else None


def described(description: Any, length: int) -> tuple[_core.dtype, str, str, int]:
    """The dtype, key, device and number of elements in a storage's description."""
    if type(description) is not tuple or len(description) < length or tag_of(description) != "storage":
        raise pickle.UnpicklingError("a persistent id does not describe a storage")
    kind, key, location, count = description[1:5]
    if kind is UntypedStorage:
        dtype = _core.uint8
    elif isinstance(kind, names.StorageType):
        dtype = kind.dtype
    else:
        raise pickle.UnpicklingError("a storage's type is none that chainrule has")
    if type(key) is not str or type(location) is not str or type(count) is not int or count < 0:
        raise pickle.UnpicklingError("a storage's description has values of wrong types")
    return dtype, key, location, count


def restorer(map_location: MapLocation) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """What puts a storage where map_location says."""
    if map_location is None:
        return _default_restore
    if isinstance(map_location, dict):
        return lambda storage, location: _default_restore(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        place = os.fsdecode(map_location)
        return lambda storage, location: _default_restore(storage, place)
    if isinstance(map_location, _core.device):
        return lambda storage, location: _default_restore(storage, str(map_location))

    def restore(storage: UntypedStorage, location: str) -> UntypedStorage:
        result = map_location(storage, location)
        if isinstance(result, TypedStorage):
            return result.untyped()
        return _default_restore(storage, location) if result is None else result

    return restore


def _default_restore(storage: UntypedStorage, location: Any) -> Any:
    kind = str(location).partition(":")[0]
    if kind == "cpu":
        return storage
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    if kind == "meta":
        return UntypedStorage(len(storage), device="meta")
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {str(location)[:50]}); "
        "chainrule runs on the CPU: map_location='cpu' puts everything there"
    )


# ---- looking into a file without loading it


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike | BinaryIO) -> list[str]:
    """The names in a file that load() would refuse; nothing of the file is run.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
    []
    """
    from . import allowed

    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    data = ArchiveReader(f).read("data.pkl")
    try:
        found = names_in(data)
    except (ValueError, KeyError, IndexError) as error:
        raise pickle.UnpicklingError(f"the file's pickle is damaged: {error}") from error
    return sorted(name for name in found if name not in allowed.NAMES and name not in allowed._user)
