"""load(): what save() wrote, here or in PyTorch."""

from __future__ import annotations

import mmap as mmap_library
import os
import pickle
from collections.abc import Callable
from io import UnsupportedOperation
from types import ModuleType
from typing import Any, BinaryIO

from .. import _core
from .._core import UntypedStorage
from ..error_words import telling_the_line
from ..storage import TypedStorage
from ..user_warning import warn_user
from . import names, options
from .archive import ArchiveReader, swap_bytes
from .locations import MapLocation, restorer
from .safe_unpickler import SafeUnpickler, UnsupportedGlobal, names_in

_FAILED = "Weights only load failed. "
_UNSAFE = (
    "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary "
    "code execution. Do it only if you got the file from a trusted source."
)
_MORE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


@telling_the_line
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
    weights_only = _decided(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warn_user("pickle_load_args only works if `weights_only=False`.")
    mapped = options.load.mmap if mmap is None else bool(mmap)
    if isinstance(f, (str, os.PathLike)):
        if os.fspath(f).endswith(".safetensors"):
            return _load_safetensors(os.fspath(f), map_location)
        with open(f, "r+b" if mapped and _shares_the_file() else "rb") as file:
            return _load(file, map_location, pickle_module, weights_only, mapped, pickle_load_args)
    if mapped:
        raise ValueError("f must be a file path in order to use the mmap argument")
    _check_seekable(f)
    return _load(f, map_location, pickle_module, weights_only, False, pickle_load_args)


def _load_safetensors(path: str, map_location: MapLocation) -> Any:
    if map_location is not None and not isinstance(map_location, (str, bytes, _core.device)):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device string or torch.device "
            "instead."
        )
    try:
        from ..safetensors import load_file

        return load_file(path, device="cpu" if map_location is None else str(map_location))
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install safetensors with: "
            "pip install safetensors"
        ) from error


def _decided(weights_only: bool | None, pickle_module: ModuleType | None) -> bool:
    """What the caller says, and the environment."""
    safe, unsafe = (
        os.environ.get(name, "0").lower() in ("1", "y", "yes", "true")
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    )
    if safe and unsafe:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if safe:
        return True
    if weights_only is None and unsafe:
        warn_user(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False."
        )
        return False
    return pickle_module is None if weights_only is None else weights_only


def _shares_the_file() -> bool:
    return options.load.mmap_flags == mmap_library.MAP_SHARED


def _check_seekable(f: Any) -> None:
    try:
        f.seek(f.tell())
    except (UnsupportedOperation, AttributeError) as error:
        raise type(error)(
            f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer "
            "like io.BytesIO and try to load from it instead."
        ) from error


def _load(file, map_location, pickle_module, weights_only, mapped, pickle_load_args) -> Any:
    start = file.tell()
    head = file.read(4)
    if head != b"PK\3\4":
        from .old_format import load_old

        if mapped:
            raise RuntimeError(
                "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please "
                "torch.save your checkpoint with this option in order to use mmap."
            )
        file.seek(start)
        return load_old(file, map_location, pickle_module, weights_only, pickle_load_args)
    archive = ArchiveReader(file, mapped, mapped and _shares_the_file())
    if "constants.pkl" in archive:
        if weights_only:
            raise RuntimeError(
                f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {_UNSAFE}"
            )
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
            f"{_FAILED}This file can still be loaded, to do so you have two options, do those steps only if you trust "
            f"the source of the checkpoint. \n\t(1) {_UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` "
            f"please check the recommended steps in the following error message.\n\tWeightsUnpickler error: {error}"
            f"{_MORE}"
        ) from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(
            f"{_FAILED}{_UNSAFE}\nPlease file an issue with the following so that we can make `weights_only=True` "
            f"compatible with your use case: WeightsUnpickler error: \n\nThe file is damaged or holds more than data: "
            f"{error}{_MORE}"
        ) from error


def trusted_unpickler(file: Any, persistent_load: Callable, pickle_module, arguments: dict) -> Any:
    """Python's unpickler, with PyTorch's names standing for what is here."""
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
        self._skips = options.this_thread.skip_data or str(map_location) == "meta"
        self._read: dict[str, UntypedStorage] = {}

    def persistent_load(self, description: Any) -> Any:
        """The storage that a tuple ("storage", type, key, device, number of elements) describes."""
        dtype, key, location, count = described(description, 5)
        if key not in self._read:
            self._read[key] = self._restore(self._stored(key, count * dtype.itemsize, dtype), location)
        storage = self._read[key]
        if not count * dtype.itemsize <= len(storage) < (count + 1) * dtype.itemsize:
            raise pickle.UnpicklingError(f"storage {key!r} has {len(storage)} bytes, not {count} elements of {dtype}")
        return TypedStorage(wrap_storage=storage, dtype=dtype)

    def _stored(self, key: str, size: int, dtype: _core.dtype) -> UntypedStorage:
        if self._skips:
            self._archive.check_size(f"data/{key}", size)
            return UntypedStorage(size)
        storage = self._archive.storage(f"data/{key}", size)
        if self._archive.swapped:
            swap_bytes(storage, dtype.itemsize // (2 if dtype.is_complex else 1))
        return storage


def tag_of(description: Any) -> str | None:
    """The text that a description begins with."""
    first = next(iter(description), None) if type(description) is tuple else None
    return first if type(first) is str else None


def described(description: Any, length: int) -> tuple[_core.dtype, str, str, int]:
    """The dtype, key, device and number of elements in a storage's description."""
    if type(description) is not tuple:
        raise pickle.UnpicklingError(f"persistent_load id must be tuple or int, but got {type(description)}")
    if tag_of(description) != "storage":
        first = type(description[0]) if description else None
        raise pickle.UnpicklingError(f"Only persistent_load of storage is allowed, but got {first}")
    if len(description) < length:
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
    start = f.tell()
    head = f.read(4)
    f.seek(start)
    if head != b"PK\3\4":
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    archive = ArchiveReader(f)
    if "constants.pkl" in archive:
        raise ValueError("Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint")
    data = archive.read("data.pkl")
    try:
        found = names_in(data)
    except (ValueError, KeyError, IndexError) as error:
        raise pickle.UnpicklingError(f"the file's pickle is damaged: {error}") from error
    return allowed.refused(found)
