"""Indexing and ordering on a GPU, or an emulated one, give what the CPU gives, and none of it is done on the host."""

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
from beside_cpu import CASES

HERE = Path(__file__).parent
FUNCTIONS = list(dict.fromkeys(case.split()[0] for case in CASES))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_on_the_cpu(name: str) -> None:
    program = on_cuda_indexing if hasattr(on_cuda_indexing, name) else on_cuda_ordering
    environment = {} if chainrule.cuda.is_available() else emulated_gpu.environment()
    run = subprocess.run(
        [sys.executable, HERE / f"{program.__name__}.py", name],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
    )
    count = sum(case.split()[0] == name for case in CASES)
    assert run.stdout == f"{count} cases, 0 failed; on the host: []\n", run.stdout + run.stderr
