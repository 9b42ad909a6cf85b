"""A process that makes calls: `python -m fuzzing.child LIBRARY SEED PROGRESS CALLS WITHOUT`.

CALLS is a range FIRST:LAST, or @FILE with calls that were written down, pickled; those whose text matches the pattern
WITHOUT are left out. Before each call its number is written to the file PROGRESS, which the parent maps too: whatever
happens then, it was that call. See watching.py.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import mmap
import os
import pickle
import re
import resource
import struct
import sys
from collections.abc import Iterator
from typing import Any

from .arguments import Call
from .running import outcome

MEMORY = 1 << 30  # what a call may ask for beyond what is there
WASTE = 400 << 20  # more memory than this is too much for arguments and results of the sizes that are drawn


def main() -> None:
    library, seed, progress = importlib.import_module(sys.argv[1]), int(sys.argv[2]), Progress(sys.argv[3])
    calls = asked_for(seed, sys.argv[4])
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warm_up(library)
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # the sanitizer needs all addresses, and has its own limit
        limit = _pages(0) + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    progress.ready()
    left_out = re.compile(sys.argv[5])
    for number, call in calls:
        if sys.argv[5] and left_out.search(call.source):
            continue
        progress.begin(number)
        outcome(call, library)
        progress.end()


def asked_for(seed: int, text: str) -> Iterator[tuple[int, Call]]:
    if text.startswith("@"):
        with open(text[1:], "rb") as file:
            return enumerate(pickle.load(file))
    from .calls import call_of, targets  # walks all that is public: a second that calls of a file need not wait

    targets()
    first, last = map(int, text.split(":"))
    return ((number, call_of(seed, number)) for number in range(first, last))


def warm_up(library: Any) -> None:
    """What is loaded at first use is loaded before memory is limited."""
    x = library.ones(3, requires_grad=True)
    for _ in range(2):
        with contextlib.suppress(RuntimeError):
            (x * library.ones(2)).backward()
    library.nn.functional.softmax(x @ x * x, 0).sum().backward()
    str(x)


class Progress:
    """Two words that the parent reads: the call that runs, and how many have ended."""

    def __init__(self, path: str):
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), 32)
        self._count = 0
        self._high = 0

    def ready(self) -> None:
        """The limits are set: from here on memory is looked at."""
        self._high = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    def begin(self, number: int) -> None:
        struct.pack_into("q", self._map, 0, number)

    def end(self) -> None:
        self._count += 1
        high = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        if high > self._high + WASTE:
            os._exit(WASTED)
        self._high = max(high, self._high)
        struct.pack_into("q", self._map, 8, self._count)


WASTED = 97  # the exit status of a process that a call has blown up


def _pages(column: int) -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[column]) * resource.getpagesize()


if __name__ == "__main__":
    main()
