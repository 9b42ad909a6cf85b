"""Indexing, ordering and linear algebra on a GPU, or an emulated one, give what the CPU gives; little is the host's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule
import emulated_gpu
import on_cuda_indexing
import on_cuda_ordering
import on_cuda_solvers
from beside_cpu import CASES

HERE = Path(__file__).parent
PROGRAMS = (on_cuda_indexing, on_cuda_ordering, on_cuda_solvers)
FUNCTIONS = list(dict.fromkeys(case.split()[0] for case in CASES))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_on_the_cpu(name: str) -> None:
    program = next(p for p in PROGRAMS if hasattr(p, name))
    environment = {} if chainrule.cuda.is_available() else emulated_gpu.environment()
    run = subprocess.run(
        [sys.executable, HERE / f"{program.__name__}.py", name],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
    )
    on_host = ["LapackKernels::run"] if name == "on_the_host" else []
    count = sum(case.split()[0] == name for case in CASES)
    assert run.stdout == f"{count} cases, 0 failed; on the host: {on_host}\n", run.stdout + run.stderr


ERRORS = """
import chainrule as torch

x = torch.arange(12.0).reshape(3, 4).cuda()
bad = torch.tensor([0, 7]).cuda()

def told(f):
    try:
        result = f().cpu()  # which waits
    except (IndexError, RuntimeError) as e:
        assert x.sum().item() == 66  # the GPU goes on
        return f"{type(e).__name__}: {str(e).splitlines()[0].strip()}".removesuffix(" to select")
    return result

calls = {
    "index": lambda: x[bad],
    "index of two": lambda: x[bad, bad],
    "put": lambda: x.clone().index_put_((bad,), x[:2], accumulate=True),
    "gather": lambda: x.gather(0, bad.reshape(1, 2)),
    "scatter": lambda: x.scatter(0, bad.reshape(1, 2), 1.0),
    "scatter_add": lambda: x.scatter_add(1, bad.reshape(1, 2), x),
    "take": lambda: x.take(bad + 8),
    "select": lambda: x.index_select(1, bad),
    "sorter": lambda: torch.searchsorted(x[0], x[0], sorter=torch.tensor([0, 1, 2, 9]).cuda()),
    "bags": lambda: torch.nn.functional.embedding_bag(bad.reshape(1, 2), x),
    "shrunk": lambda: torch.nn.functional.embedding(bad, x.clone(), max_norm=1.0),
    "nothing": lambda: x[:0][bad],
    "nothing gathered": lambda: x[:0].gather(0, bad.reshape(1, 2)),
    "repeats": lambda: torch.repeat_interleave(torch.tensor([1, -1]).cuda()),
    "mask": lambda: x.masked_scatter(x > 2, x[0]),
}
for name, f in calls.items():
    print(name, "->", told(f))
"""

TOLD = """
index -> IndexError: index 7 is out of bounds for dimension with size 3
index of two -> IndexError: index 7 is out of bounds for dimension with size 3
put -> IndexError: index 7 is out of bounds for dimension with size 3
gather -> IndexError: index 7 is out of bounds for dimension with size 3
scatter -> IndexError: index 7 is out of bounds for dimension with size 3
scatter_add -> IndexError: index 7 is out of bounds for dimension with size 4
take -> IndexError: index 15 is out of bounds for dimension with size 12
select -> IndexError: index 7 is out of bounds for dimension with size 4
sorter -> IndexError: index 9 is out of bounds for dimension with size 4
bags -> IndexError: index 7 is out of bounds for dimension with size 3
shrunk -> IndexError: index 7 is out of bounds for dimension with size 3
nothing -> IndexError: index is out of bounds for dimension with size 0: dimension 0 of shape [0, 4] has no element
nothing gathered -> RuntimeError: index 0 is out of bounds for dimension 0 with size 0
repeats -> RuntimeError: repeats can not be negative
mask -> RuntimeError: Number of elements of source < number of ones in mask (4 and 9)
"""


def test_wrong_indices_are_told_and_harm_nothing() -> None:
    environment = {} if chainrule.cuda.is_available() else emulated_gpu.environment()
    run = subprocess.run(
        [sys.executable, "-c", ERRORS], env={**os.environ, **environment}, capture_output=True, text=True, timeout=900
    )
    assert run.stdout == TOLD.lstrip(), run.stdout + run.stderr
