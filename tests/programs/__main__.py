"""python -m tests.programs --count 1000 --seed 0: new programs at both ends of the thresholds, and beside PyTorch."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time

import chainrule
from chainrule import _core

from .compare import difference
from .execute import Program, make_program, run
from .shrink import shrink
from .steps import accumulate, partial, second_order

PASSES = (accumulate, partial, second_order)


def ends(program):
    """The records with every threshold at its least, and with none of the clever ways."""
    records = []
    for name in ("least", "never"):
        _core.set_thresholds(name)
        records.append(run(chainrule, program))
    _core.set_thresholds("usual")
    return records


def laziness_shows(program: Program) -> str | None:
    return difference(*ends(program))


def differs_from_pytorch(program: Program) -> str | None:
    """Rounding is told from faults by a second run in double, where it vanishes."""
    _core.set_thresholds("usual")
    return beside_pytorch(program) and beside_pytorch(dataclasses.replace(program, double=True))


def beside_pytorch(program: Program) -> str | None:
    import torch

    ours, theirs = run(chainrule, program), run(torch, program)
    if any(t == "RuntimeError" != o for o, t in zip(ours.ends, theirs.ends, strict=True)):
        # PyTorch keeps more than its gradients need (a convolution's input where only the weight is constant), and so
        # refuses more passes after a write. Its hooks do not run then.
        for part in ("gradients", "diary", "ends"):
            setattr(theirs, part, getattr(ours, part))
    refused = zip(program.lines, ours.refused, theirs.refused, strict=True)
    if any(line[0] in PASSES and o is None and t == "RuntimeError" for line, o, t in refused):
        return None  # the same in the middle; what comes after it is another program
    return difference(ours, theirs, exact=False)


def verdict(seed: int, beside: bool) -> str | None:
    program = make_program(seed)
    for words, look in (("least and never", laziness_shows), ("chainrule and PyTorch", differs_from_pytorch)):
        if (look is laziness_shows or beside) and look(program):
            program = shrink(program, lambda p, look=look: bool(look(p)))
            return f"seed {seed}: {words} differ in {look(program)}\n{program}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pytorch", type=int, default=1, help="every so many programs also beside PyTorch; 0: none")
    options = parser.parse_args()
    began, failures = time.time(), 0
    for seed in range(options.seed, options.seed + options.count):
        found = verdict(seed, bool(options.pytorch) and seed % options.pytorch == 0)
        if found:
            failures += 1
            print(found, flush=True)
    print(f"{options.count - failures} passed, {failures} failed in {time.time() - began:.0f} s")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
