"""Children at work, one after another: who dies, hangs or takes all memory is found with the call that did it."""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from .arguments import Call
from .child import MEMORY, WASTED

HANGS_AFTER = 10.0  # seconds in one call


@dataclass
class End:
    """How a child ended: "done", "time" is up, or a death, a hang, a waste of memory in the call of a number."""

    kind: str
    number: int
    done: int
    words: str  # what it left on stderr

    @property
    def is_finding(self) -> bool:
        return self.kind not in ("done", "time")


def watch(seed: int, first: int, last: int, until: float = float("inf"), without: str = "") -> End:
    """Makes the calls of these numbers in a child until they are done, something happens, or it is time to stop."""
    return _watched("chainrule", seed, f"{first}:{last}", until, without)


def watch_calls(calls: list[Call], library: str = "chainrule") -> End:
    """Makes calls that were written down."""
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump(calls, file)
        file.flush()
        return _watched(library, 0, f"@{file.name}", float("inf"), "")


def _watched(library: str, seed: int, calls: str, until: float, without: str) -> End:
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryFile("w+") as words:
        file.write(struct.pack("4q", -1, 0, 0, 0))
        file.flush()
        progress = mmap.mmap(file.fileno(), 32)
        child = subprocess.Popen(
            [sys.executable, "-m", "fuzzing.child", library, str(seed), file.name, calls, without],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words, env=_environment(), cwd=_room(),
        )  # fmt: skip
        kind = _followed(child, progress, until)
        words.seek(0)
        number, done, *_ = struct.unpack("4q", progress[:32])
        return End(kind, number, done, words.read()[-6000:])


def _followed(child: subprocess.Popen, progress: mmap.mmap, until: float) -> str:
    last, since = (-1, -1), time.monotonic()
    while True:
        try:
            status = child.wait(0.1)
            return "done" if status == 0 else _said(status)
        except subprocess.TimeoutExpired:
            now = struct.unpack("2q", progress[:16])
            if now != last:
                last, since = now, time.monotonic()
            hangs = time.monotonic() - since > (HANGS_AFTER if last[0] >= 0 else 10 * HANGS_AFTER)
            if hangs or time.monotonic() > until:
                child.send_signal(signal.SIGABRT if hangs else signal.SIGKILL)  # faulthandler says where it hangs
                try:
                    child.wait(5)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
                return "hang" if hangs else "time"


def _said(status: int) -> str:
    if status == WASTED:
        return "memory"
    return signal.Signals(-status).name if status < 0 else f"exit {status}"


def _room() -> str:
    """The folder of the tests, from which the package is found."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _environment() -> dict[str, str]:
    threads = {name: "2" for name in ("OMP_NUM_THREADS", "CHAINRULE_NUM_THREADS") if name not in os.environ}
    # The sanitizer's own limit, where the child cannot limit addresses: filling more takes it as long as a hang.
    sanitizer = {"ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:max_allocation_size_mb={MEMORY >> 20}"}
    return {**os.environ, **threads, **sanitizer, "PYTHONMALLOC": os.environ.get("PYTHONMALLOC", "default")}
