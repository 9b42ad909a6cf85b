"""What mpirun starts for each process of `chainrule launch`: the script, with its rank in the environment.

RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE are set as torchrun sets them, and each line that the script prints
begins with its rank.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

from .launchers import told


class PrefixedStream:
    """A text stream that puts a prefix before each line, and writes whole lines, so that those of ranks do not mix."""

    def __init__(self, stream: Any, prefix: str):
        self._stream, self._prefix, self._begun = stream, prefix, ""

    def write(self, text: str) -> int:
        """Writes the lines that are complete; the rest waits for its end."""
        *lines, self._begun = (self._begun + text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if lines:
            self._stream.write("".join(f"{self._prefix}{line}\n" for line in lines))
            self._stream.flush()
        return len(text)

    def writelines(self, lines: Sequence[str]) -> None:
        """Writes all of them."""
        self.write("".join(lines))

    def flush(self) -> None:
        """Nothing: complete lines are out, and half ones wait."""

    def finish(self) -> None:
        """Writes the last line, if it has no end."""
        if self._begun:
            self.write("\n")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def set_environment(environment: Any) -> None:
    """Tells the script its rank in the variables that torchrun sets, from those that MPI or Slurm sets."""
    environment.update(told(environment))
    environment.setdefault("MASTER_ADDR", "localhost")
    environment.setdefault("MASTER_PORT", "29500")


def main(arguments: Sequence[str]) -> int:
    """Runs the script in this process; gives its exit code."""
    set_environment(os.environ)
    folder = os.environ.pop("CHAINRULE_LAUNCH_FOLDER", "")
    _be_watched(folder)
    streams: list[PrefixedStream] = []
    if arguments[0] == "--no-prefix":
        arguments = arguments[1:]
    else:
        prefix = f"[rank {os.environ.get('RANK', '?')}] "
        streams = [PrefixedStream(sys.stdout, prefix), PrefixedStream(sys.stderr, prefix)]
        sys.stdout, sys.stderr = streams  # type: ignore[assignment]
    from ..command_line import run

    code: Any = 1
    try:
        code = run(arguments[0], arguments[1:])
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    finally:
        for stream in streams:
            stream.finish()
    failed = code not in (None, 0)
    if not failed:
        _leave_word(folder, "done", "")
    else:
        _leave_word(folder, "failed", str(code))
        _end_the_others(code)
    return int(failed) if not isinstance(code, int) else code


def watch_address(folder: str) -> str:
    """Where `chainrule launch` listens for its ranks: a name that is no file, since a file's may not be long."""
    return "\0" + folder[-100:]


def _be_watched(folder: str) -> None:
    """Waits until `chainrule launch`, if it runs on this machine, will notice the end of this process."""
    if os.path.isdir(folder):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door, contextlib.suppress(OSError):
            door.settimeout(10)
            door.connect(watch_address(folder))
            door.send(f"{os.environ.get('RANK', '0')} {os.getpid()}".encode())
            door.recv(16)


def _leave_word(folder: str, kind: str, text: str) -> None:
    """Tells `chainrule launch` something, if it runs on this machine: its folder is not on others."""
    if os.path.isdir(folder):
        with open(os.path.join(folder, f"{kind}.{os.environ.get('RANK', '0')}"), "w") as file:
            file.write(text)


def _end_the_others(code: Any) -> None:
    """A script that says it failed ends the job, also if others wait for it."""
    failure = sys.modules.get("chainrule.distributed.failure")
    if failure is not None and failure.is_in_company():
        print(f"chainrule: rank {os.environ.get('RANK')} ended with exit code {code}, so the job ends", file=sys.stderr)
        failure.abort(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
