"""PyTorch's checkpoint archive: a zip file of uncompressed records, aligned so that they can be mapped into memory."""

from __future__ import annotations

import mmap
import sys
import zipfile
import zlib
from typing import Any, BinaryIO

from .. import _core
from .._core import UntypedStorage
from . import options

_ALIGNMENT = 64  # of records that can be shown as tensors
_LOCAL_HEADER = 30  # bytes, before the name
_ZIP64_EXTRA = 20  # bytes that zipfile puts before the rest of the extra field, for a large record
_LARGE = 1 << 30
_FAILED = "PytorchStreamReader failed"
_CORRUPTED = (
    "This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint "
    "file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the "
    "file was modified after saving."
)


class _OnlyWritten:
    """A file of which no more is asked than that it takes bytes: it may be a socket."""

    def __init__(self, file: Any):
        self.write, self.flush = file.write, file.flush


class ArchiveWriter:
    """Writes records one after another.

    Args:
        file: where to.
        name: of the folder that they are in.
        alignment: their bytes begin at multiples of it.
        checksums: whether they get one.
    """

    def __init__(self, file: BinaryIO, name: str, alignment: int = _ALIGNMENT, checksums: bool = True):
        self._zip = zipfile.ZipFile(_OnlyWritten(file), "w", zipfile.ZIP_STORED, allowZip64=True)  # type: ignore[call-overload]
        self._name, self._alignment, self._checksums = name, alignment, checksums

    def write(self, name: str, data: Any) -> None:
        """Adds a record."""
        view = memoryview(data).cast("B")
        record = zipfile.ZipInfo(f"{self._name}/{name}")  # dated 1980: equal contents give equal files
        record.extra = self._padding(record.filename, len(view))
        record.file_size = len(view)
        with self._zip.open(record, "w", force_zip64=len(view) > _LARGE) as file:
            file.write(view)
            if not self._checksums:
                file._crc = 0  # type: ignore[attr-defined]

    def _padding(self, name: str, size: int) -> bytes:
        start = self._zip.start_dir + _LOCAL_HEADER + len(name.encode()) + (_ZIP64_EXTRA if size > _LARGE else 0)
        length = -(start + 4) % self._alignment
        return b"FB" + length.to_bytes(2, "little") + b"Z" * length

    def close(self) -> None:
        """Writes the directory."""
        self._zip.close()


class ArchiveReader:
    """Reads records of an archive that may be damaged or hostile: no offset or length in it is trusted."""

    def __init__(self, file: BinaryIO, mapped: bool = False, shared: bool = False):
        self._file = file
        file.seek(0, 2)
        self._size = file.tell()
        file.seek(0)
        try:
            entries = zipfile.ZipFile(file).infolist()
        except Exception as error:  # zipfile raises whatever the damage leads to
            raise RuntimeError(
                f"{_FAILED} reading zip archive: failed finding central directory. {_CORRUPTED} ({error})"
            ) from error
        self._name = entries[0].filename.partition("/")[0] if entries else ""
        self._entries = {entry.filename: entry for entry in entries}
        self._checked = any(entry.CRC for entry in entries)  # PyTorch can be told to leave all checksums out
        self._refuse_overlaps(entries)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        self._map = mmap.mmap(file.fileno(), 0, access=access) if mapped else None
        for name in (".format_version", ".storage_alignment"):  # read only to find out that they are whole
            self.text(name, "")
        self.byte_order = self.text("byteorder", "") or None
        if self.byte_order not in (None, "little", "big"):
            raise ValueError(f"Unknown endianness type: {self.byte_order[:20]}")
        self.swapped = (self.byte_order or _assumed_byte_order()) != sys.byteorder

    def _refuse_overlaps(self, entries: list[zipfile.ZipInfo]) -> None:
        if len(self._entries) != len(entries):
            raise RuntimeError(f"{_FAILED} reading zip archive: two records have the same name")
        end = 0
        for entry in sorted(entries, key=lambda entry: entry.header_offset):
            if entry.header_offset < end:
                raise RuntimeError(f"{_FAILED} reading zip archive: record {entry.filename!r} overlaps another one")
            end = entry.header_offset + _LOCAL_HEADER + entry.file_size

    def __contains__(self, name: str) -> bool:
        return f"{self._name}/{name}" in self._entries

    def text(self, name: str, default: str) -> str:
        """A short record as text."""
        return self.read(name).decode("ascii", "replace").strip() if name in self else default

    def read(self, name: str) -> bytes:
        """A record's bytes."""
        _, size = self._place(name)
        data = self._file.read(size)
        self._check(name, data)
        return data

    def storage(self, name: str, expected: int) -> UntypedStorage:
        """A record of so many bytes as a storage; where the file is mapped, the storage shows the file's pages."""
        start, size = self.check_size(name, expected)
        if self._map is not None and size and start % _ALIGNMENT == 0 and not self.swapped:
            part = memoryview(self._map)[start : start + size]
            return _core.functions["frombuffer"](part, dtype=_core.uint8).untyped_storage()
        result = UntypedStorage(size)
        if size:
            view = memoryview(result).cast("B")
            fill(view, self._file)
            self._check(name, view)
        return result

    def check_size(self, name: str, expected: int) -> tuple[int, int]:
        """Where a record is and how long; raises if it does not have so many bytes."""
        start, size = self._place(name)
        if size != expected:
            raise RuntimeError(
                f"record size ({size} bytes) does not match expected size ({expected} bytes = {expected} elements * 1 "
                f"bytes/element) for dtype Byte: record {name}"
            )
        return start, size

    def _place(self, name: str) -> tuple[int, int]:
        """Where a record's bytes begin, and how many they are; the file is at the beginning afterwards."""
        entry = self._entries.get(f"{self._name}/{name}")
        if entry is None:
            raise RuntimeError(f"{_FAILED} locating file {name}: file not found in archive")
        size = entry.file_size
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != size or entry.flag_bits & 1:
            raise RuntimeError(f"{_FAILED} reading file {name}: it is compressed or encrypted, or its sizes disagree")
        self._file.seek(entry.header_offset)
        header = self._file.read(_LOCAL_HEADER)
        if len(header) != _LOCAL_HEADER or not header.startswith(b"PK\3\4"):
            raise RuntimeError(f"{_FAILED} reading file {name}: invalid header or archive is corrupted. {_CORRUPTED}")
        lengths = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
        if self._file.read(lengths[0]) != entry.orig_filename.encode():
            raise RuntimeError(f"{_FAILED} reading file {name}: the header at its place has another name")
        start = entry.header_offset + _LOCAL_HEADER + sum(lengths)
        if start + size > self._size:
            raise RuntimeError(
                f"{_FAILED} reading file {name}: {size} bytes at {start} reach beyond the file's {self._size}"
            )
        self._file.seek(start)
        return start, size

    def _check(self, name: str, data: Any) -> None:
        if self._checked and zlib.crc32(data) != self._entries[f"{self._name}/{name}"].CRC:
            raise RuntimeError(f"{_FAILED} reading file {name}: the checksum does not agree; the file is damaged")


def _assumed_byte_order() -> str:
    """That of a file which does not say it."""
    if options.load.endianness is options.LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if options.load.endianness is options.LoadEndianness.BIG else "little"


def fill(view: memoryview, file: Any) -> None:
    """Reads as many bytes as the view has, right into it where the file can do so."""
    done, read_into = 0, getattr(file, "readinto", None)
    while done < len(view):
        part = view[done : done + (1 << 24)]
        if read_into is not None:
            count = read_into(part)
        else:
            data = file.read(len(part))
            count = len(data)
            part[:count] = data
        if not count:
            raise RuntimeError(f"{_FAILED}: the file ended after {done} of {len(view)} bytes of a record")
        done += count


def swap_bytes(storage: UntypedStorage, width: int) -> None:
    """Turns the bytes of each number around, for a file from a machine of the other byte order."""
    old = bytes(memoryview(storage)) if len(storage) else b""
    new = bytearray(old)
    for i in range(width):
        new[i::width] = old[width - 1 - i :: width]
    if old:
        memoryview(storage).cast("B")[:] = new
