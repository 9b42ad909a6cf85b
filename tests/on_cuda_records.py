"""CUDA beside the CPU: the same values, to the last digits, and results on the device.

A program for tests/test_cuda.py, in a process with a GPU or an emulated one. Its arguments are the part of the cases,
every fourth one for `0/4`, then those of on_guarded.py: `0/4 ops float32`. It prints what went wrong, a line a case;
the name of the last case is the last line on stderr, should the process end there.
"""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any

import chainrule
from on_guarded import Run, cases
from oracle import TOLERANCES, name_of, outcome

# What draws numbers draws others on a GPU, as in PyTorch: only the kind of the results can be compared.
RANDOM = re.compile(r"drop(?!_last)|rrelu|RReLU|[Ff]ractional|rand|bernoulli|multinomial|poisson\(|gumbel|normal\(")
# Which of equal elements is chosen, and the order of sorted=False, is a GPU's own, as in PyTorch; values are compared
# sorted here, and on_cuda_ordering.py tries where the indices lead.
CHOOSING = re.compile(r"topk\(|kthvalue\(|mode\(")
HALVES = {chainrule.float16: 2.0**-10, chainrule.bfloat16: 2.0**-7}
SCALE = 10.0  # sums in another order, functions that are within two units in the last place


def differs(a: Any, b: Any, random: bool) -> str | None:
    if not isinstance(a, chainrule.Tensor) or not isinstance(b, chainrule.Tensor):
        return None if a == b or random else f"{a} instead of {b}"
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}, {tuple(a.shape)} instead of {b.dtype}, {tuple(b.shape)}"
    if random:
        return None
    a, b = (t.detach().cpu().resolve_conj().resolve_neg() for t in (a, b))
    relative, absolute = (SCALE * t for t in TOLERANCES.get(name_of(b.dtype), (0.0, 0.0)))
    if b.dtype in HALVES and b.isfinite().any():  # a bias is added to a product that was rounded, as in PyTorch there
        absolute = max(absolute, HALVES[b.dtype] * b[b.isfinite()].abs().max().item())
    if a.isclose(b, relative, absolute, equal_nan=True).all():
        return None
    return f"{a.flatten()[:6].tolist()} instead of {b.flatten()[:6].tolist()}"


def on_gpu(run: Run) -> list:
    """What came out, when the GPU is done: what its kernels met is raised here at the latest."""
    results = run("cuda")
    chainrule.cuda.synchronize()
    return results


def complaint(name: str, run: Run) -> str | None:
    (there, error), (here, expected) = outcome(on_gpu, run), outcome(run, "cpu")
    if error or expected:
        return None if type(error) is type(expected) else f"{error!r} instead of {expected!r}"
    if any(isinstance(t, chainrule.Tensor) and t.device.type != "cuda" for t in there):
        return "a result is not on the device"
    if len(there) != len(here):
        return f"{len(there)} results instead of {len(here)}"
    random = bool(RANDOM.search(name))
    if CHOOSING.search(name) and not here[0].is_floating_point():
        there, here = ([results[0].sort().values] for results in (there, here))
    return next(filter(None, (differs(a, b, random) for a, b in zip(there, here, strict=True))), None)


def main(part: str, *what: str) -> None:
    warnings.simplefilter("ignore")
    which, parts = map(int, part.split("/"))
    mine = list(cases(*what))[which::parts]
    for name, run in mine:
        print(name, file=sys.stderr, flush=True)
        if wrong := complaint(name, run):
            print(f"{name}: {wrong}", flush=True)
    print(f"{len(mine)} cases")


if __name__ == "__main__":
    main(*sys.argv[1:])
