"""Writing a file so that a crash loses nothing: to a temporary file beside it, which then takes its place."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def replaced_file(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A new file to write to, which becomes `path` at the end of the block; after an error `path` is as it was."""
    target = os.path.realpath(os.fspath(path))  # a link stays a link
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {os.path.dirname(os.fspath(path)) or folder} does not exist.")
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe is written to, not replaced
        with open(target, "wb") as file:
            yield file
        return
    temporary = os.path.join(folder, f".{os.path.basename(target)[:200]}.{secrets.token_hex(4)}.tmp")
    try:
        with open(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), "w+b") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
