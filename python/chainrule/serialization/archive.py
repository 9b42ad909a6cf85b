"""PyTorch's checkpoint archive: a zip file of uncompressed records, aligned so that they can be mapped into memory."""

from __future__ import annotations

import mmap
import sys
import zipfile
import zlib
from typing import Any, BinaryIO

from .. import _core
from .._core import UntypedStorage

_ALIGNMENT = 64
_LOCAL_HEADER = 30  # bytes, before the name
_ZIP64_EXTRA = 20  # bytes that zipfile puts before the rest of the extra field, for a large record
_LARGE = 1 << 30
_FAILED = "PytorchStreamReader failed"


class ArchiveWriter:
    """Writes records one after another."""

    def __init__(self, file: BinaryIO, name: str):
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._name = name

    def write(self, name: str, data: Any) -> None:
        """Adds a record; its bytes begin at a multiple of 64."""
        view = memoryview(data).cast("B")
        record = zipfile.ZipInfo(f"{self._name}/{name}")  # dated 1980: equal contents give equal files
        record.extra = self._padding(record.filename, len(view))
        record.file_size = len(view)
        with self._zip.open(record, "w", force_zip64=len(view) > _LARGE) as file:
            file.write(view)

    def _padding(self, name: str, size: int) -> bytes:
        start = self._zip.start_dir + _LOCAL_HEADER + len(name.encode()) + (_ZIP64_EXTRA if size > _LARGE else 0)
        length = -(start + 4) % _ALIGNMENT
        return b"FB" + length.to_bytes(2, "little") + b"Z" * length

    def close(self) -> None:
        """Writes the directory."""
        self._zip.close()


class ArchiveReader:
    """Reads records of an archive that may be damaged or hostile: no offset or length in it is trusted."""

    def __init__(self, file: BinaryIO, mapped: bool = False):
        self._file = file
        self._size = file.seek(0, 2)
        file.seek(0)
        try:
            entries = zipfile.ZipFile(file).infolist()
        except Exception as error:  # zipfile raises whatever the damage leads to
            raise RuntimeError(
                f"{_FAILED} reading zip archive: {error}. The file is damaged or was not written by save()."
            ) from error
        self._name = entries[0].filename.partition("/")[0] if entries else ""
        self._entries = {entry.filename: entry for entry in entries}
        self._checked = any(entry.CRC for entry in entries)  # PyTorch can be told to leave all checksums out
        self._refuse_overlaps(entries)
        self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if mapped else None
        self.swapped = self.text("byteorder", sys.byteorder) != sys.byteorder

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

    def storage(self, name: str) -> UntypedStorage:
        """A record as a storage; where the file is mapped, the storage shows the file's pages (a copy once written)."""
        start, size = self._place(name)
        if self._map is not None and size and start % _ALIGNMENT == 0 and not self.swapped:
            part = memoryview(self._map)[start : start + size]
            return _core.functions["frombuffer"](part, dtype=_core.uint8).untyped_storage()
        result = UntypedStorage(size)
        if size:
            view = memoryview(result).cast("B")
            _fill(view, self._file)
            self._check(name, view)
        return result

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
            raise RuntimeError(f"{_FAILED} reading file {name}: its header is not where the directory says")
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


def _fill(view: memoryview, file: BinaryIO) -> None:
    """Reads as many bytes as the view has."""
    done = 0
    while done < len(view):
        data = file.read(min(len(view) - done, 1 << 24))
        if not data:
            raise RuntimeError(f"{_FAILED}: the file ended after {done} of {len(view)} bytes of a record")
        view[done : done + len(data)] = data
        done += len(data)


def swap_bytes(storage: UntypedStorage, width: int) -> None:
    """Turns the bytes of each number around, for a file from a machine of the other byte order."""
    old = bytes(memoryview(storage)) if len(storage) else b""
    new = bytearray(old)
    for i in range(width):
        new[i::width] = old[width - 1 - i :: width]
    if old:
        memoryview(storage).cast("B")[:] = new
