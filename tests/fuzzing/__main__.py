"""python -m fuzzing [--seconds 60] [--seed N] [--calls N] [--replay NUMBER]: calls with hostile arguments.

Each call is drawn from the seed and its number alone. What ends the interpreter, hangs, or takes memory without end is
cut down to the calls that are needed and shown as a program. With --mode differential the same calls, with friendly
arguments, are made in PyTorch too, and values and gradients are compared. The exit status is that something was found.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time

from .calls import call_of
from .cutting import cut, program
from .watching import End, watch, watch_calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--calls", type=int, default=sys.maxsize)
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--mode", choices=("calls", "differential"), default="calls")
    parser.add_argument("--without", default="", help="an expression: calls whose text matches it are left out")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="only this call of the seed")
    options = parser.parse_args()
    seed = random.randrange(1 << 20) if options.seed is None else options.seed
    if options.mode == "differential":
        from .differential import compare

        return compare(
            seed,
            options.seconds,
            options.first if options.replay is None else options.replay,
            options.calls if options.replay is None else 1,
        )
    if options.replay is not None:
        return _report(seed, watch(seed, options.replay, options.replay + 1))
    return fuzz(seed, options.seconds, options.first, options.calls, options.without)


def fuzz(seed: int, seconds: float, first: int, calls: int, without: str) -> int:
    """Makes calls for so long; returns 1 if something was found. A function is found once, and left out then."""
    start, done, found = time.monotonic(), 0, 0
    last = min(first + calls, 1 << 39)
    print(f"fuzzing with seed {seed}", flush=True)
    while first < last and time.monotonic() < start + seconds:
        end = watch(seed, first, last, until=start + seconds, without=without)
        done += end.done
        found += _report(seed, end)
        first = end.number + 1
        if end.is_finding:
            target = re.escape(f"lambda: {call_of(seed, end.number).target}(")
            without = f"{without}|{target}" if without else target
    rate = done / max(time.monotonic() - start, 1e-9)
    print(f"{done:,} calls, {rate:,.0f} a second, {found} findings (seed {seed})")
    return int(found > 0)


def _report(seed: int, end: End) -> int:
    """Shows what was found; what PyTorch takes as long or as much memory for does not count."""
    if not end.is_finding:
        return 0
    print(f"\n==== {end.kind} in call {end.number} (seed {seed})", flush=True)
    calls, ended = cut(seed, end)
    if not calls:
        print(f"It did not happen again.\n{program([call_of(seed, end.number)])}\n{end.words}", flush=True)
        return int(end.kind not in ("hang", "memory"))  # a machine with other work may pause, too
    if end.kind in ("hang", "memory") and watch_calls(calls, "torch").kind in ("hang", "memory"):
        print(f"So it does in PyTorch: {calls[-1].source}", flush=True)
        return 0
    print(f"{program(calls)}\n{ended.words}", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
