"""How files are written and read where the caller does not say: torch.utils.serialization.config and what sets it."""

from __future__ import annotations

import threading
from enum import Enum
from mmap import MAP_PRIVATE, MAP_SHARED
from typing import Any


class LoadEndianness(Enum):
    """The byte order of numbers in a file that does not name its own."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class load:  # noqa: N801
    """For torch.load."""

    mmap: bool = False
    endianness: LoadEndianness | None = None
    mmap_flags: int | None = MAP_PRIVATE
    calculate_storage_offsets: bool = False


class save:  # noqa: N801
    """For torch.save."""

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order that set_default_load_endianness() has set.

    >>> torch.serialization.get_default_load_endianness() is None
    True
    """
    return load.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Sets the byte order of files that do not name their own; None: little.

    >>> torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.LITTLE)
    >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    load.endianness = endianness


def get_crc32_options() -> bool:
    """Whether save() writes checksums.

    >>> torch.serialization.get_crc32_options()
    True
    """
    return save.compute_crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Sets whether save() calculates checksums of records; load() reads files without, other programs may warn.

    >>> torch.serialization.set_crc32_options(True)
    """
    save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """Whether load(mmap=True) gives tensors of their own (mmap.MAP_PRIVATE) or the file's (mmap.MAP_SHARED).

    >>> import mmap
    >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return load.mmap_flags


class set_default_mmap_options:  # noqa: N801
    """Sets whether load(mmap=True) gives tensors of their own (mmap.MAP_PRIVATE) or the file's (mmap.MAP_SHARED).

    As a function for good, in a with statement for its block.

    >>> import mmap
    >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int):
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self.prev = load.mmap_flags
        load.mmap_flags = flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        load.mmap_flags = self.prev


class _ThisThread(threading.local):
    skip_data: bool = False


this_thread = _ThisThread()


class skip_data:  # noqa: N801
    """Inside, save() leaves room for the elements of tensors and load() does not read them.

    >>> import io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False):
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before = this_thread.skip_data
        this_thread.skip_data = True

    def __exit__(self, *exception: Any) -> None:
        this_thread.skip_data = self._before
