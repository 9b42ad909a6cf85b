"""Times workloads on chainrule and on PyTorch, turn about in one process, checking that they agree.

Each library has one thread, or as many as `--threads` says.
"""

import json
import math
import os
import pathlib
import sys
import time
import timeit
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


def take_threads(arguments: list[str]) -> int:
    """Takes `--threads N` out of the arguments of the command; 1 where it is not given."""
    if "--threads" not in arguments:
        return 1
    place = arguments.index("--threads")
    count = int(arguments[place + 1])
    del arguments[place : place + 2]
    return count


THREADS = take_threads(sys.argv)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)  # before the libraries are loaded

RESULTS = pathlib.Path(__file__).parent / "results"
ROUND_SECONDS = 0.02  # long enough for the clock, short enough to fit between two disturbances
REST_SECONDS = 0.05  # until the other library's threads have given up waiting for work: they hold a core meanwhile


@dataclass(frozen=True)
class Workload:
    """A statement to time, in the names that `names(torch_like)` makes from either library."""

    name: str
    bar: float  # the highest ratio of times that will do
    names: Callable[[Any], dict[str, Any]]
    statement: str
    result: str  # an expression to compare, evaluated after the statement
    rounds: int = 40


@dataclass(frozen=True)
class Row:
    """One line of the tables. Times are the minimum over the rounds, the least disturbed one."""

    name: str
    ours: float
    theirs: float | None  # None: PyTorch has nothing to compare with, and the bar is on `ours` itself
    bar: float
    unit: str = "s"
    rounds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """What the bar is compared with."""
        return self.ours if self.theirs is None else self.ours / self.theirs

    @property
    def meets_bar(self) -> bool:
        return self.score <= self.bar


def libraries():
    """(chainrule, torch), both on THREADS threads."""
    import torch

    import chainrule

    for library in (chainrule, torch):
        library.set_num_threads(THREADS)
    return chainrule, torch


def ramp(torch, *shape):
    """The same numbers from both libraries, between -3 and 3 and not in a simple pattern."""
    count = math.prod(shape)
    return ((torch.arange(count, dtype=torch.float32) % 1009 - 504) / 168).reshape(shape)


def plain(value):
    """Nested lists of numbers as one flat list."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [number for item in value for number in plain(item)] if isinstance(value, list | tuple) else [value]


def check_agreement(workload, ours, theirs):
    ours, theirs = plain(ours), plain(theirs)
    close = len(ours) == len(theirs) and all(
        math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in zip(ours, theirs, strict=True)
    )
    if not close:
        raise AssertionError(f"{workload.name}: chainrule gives {ours[:5]}, PyTorch {theirs[:5]}")


def compare(workload: Workload, pair: tuple[Any, Any] | None = None) -> Row:
    """Runs the workload on both libraries, one round each in turn; the collector stays on, as it is for users.

    Time is the processor's: it leaves out what other programs take and counts any thread that a library starts. With
    more threads than one it is the clock's, for which the machine has to be quiet; more rounds find such a moment.
    """
    clock = time.process_time if THREADS == 1 else time.perf_counter
    timers, results = [], []
    pair = pair or libraries()
    for library in pair:
        names = workload.names(library)
        exec(workload.statement, names)
        results.append(eval(workload.result, names))
        timers.append(timeit.Timer(workload.statement, "import gc; gc.enable()", clock, names))
    check_agreement(workload, *results)
    counts = [repeats(timer) for timer in timers]
    rounds = [[], []]
    for _ in range(workload.rounds if THREADS == 1 else 3 * workload.rounds):
        for timer, count, times in zip(timers, counts, rounds, strict=True):
            if THREADS > 1:
                time.sleep(REST_SECONDS)
                timer.timeit(1)  # its own are awake then
            times.append(timer.timeit(count) / count)
    ours, theirs = rounds
    return Row(
        workload.name, min(ours), min(theirs), workload.bar, rounds={pair[0].__name__: ours, pair[1].__name__: theirs}
    )


def repeats(timer):
    """How often to run a statement for one round."""
    count = 1
    while (seconds := timer.timeit(count)) < ROUND_SECONDS / 4:
        count *= 4
    return max(1, round(count * ROUND_SECONDS / seconds))


def show(amount, unit):
    """A time or a size in the unit that reads best."""
    if unit == "MB":
        return f"{amount:.1f} MB"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if amount >= scale:
            return f"{amount / scale:.3g} {name}"
    return f"{amount * 1e9:.2g} ns"


def show_ratio(ratio):
    return f"1/{1 / ratio:.0f}" if ratio < 0.2 else f"{ratio:.2f}"


def report(subject: str, rows: list[Row], other: str = "PyTorch"):
    """Prints the rows and keeps them, every round included, in results/<subject>.json."""
    for row in rows:
        theirs = "" if row.theirs is None else f"{other} {show(row.theirs, row.unit)}  ratio {show_ratio(row.score)}"
        bar = show(row.bar, row.unit) if row.theirs is None else show_ratio(row.bar)
        verdict = "ok" if row.meets_bar else "MISSED"
        print(f"{row.name:66} {show(row.ours, row.unit):>9}  {theirs}  bar {bar}  {verdict}", flush=True)
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps([asdict(row) for row in rows], indent=1)
    threads = "" if THREADS == 1 else f"_{THREADS}_threads"
    (RESULTS / f"{subject}{threads}.json").write_text(text + "\n")


def load(subject: str) -> list[Row]:
    return [Row(**row) for row in json.loads((RESULTS / f"{subject}.json").read_text())]


def main(subject: str, workloads: list[Workload]):
    """What a file of workloads runs; an argument picks those whose name contains it, and keeps no results."""
    picked = [w for w in workloads if all(word in w.name for word in sys.argv[1:])]
    rows = [compare(workload) for workload in picked]
    report(subject if picked == workloads else "picked", rows)
