"""Tensors on GPUs, from Python, in processes of their own: on a real GPU where there is one, else an emulated one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule
import emulated_gpu

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "cuda_programs").glob("*.py"))
REAL = chainrule.cuda.is_available()
EVERY = 1 if os.environ.get("CHAINRULE_ALL_CUDA_CASES") else 6  # the quick part: every sixth record


def on_cuda(*arguments: str, **more: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, **({} if REAL else emulated_gpu.environment()), **more, "PYTHONPATH": str(HERE)}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_programs(program: Path) -> None:
    """Each asserts what is to be seen; two GPUs are emulated for those that say so."""
    wants_two = "two GPUs" in program.read_text().splitlines()[0]
    if wants_two and REAL and chainrule.cuda.device_count() < 2:
        pytest.skip("needs two GPUs, and this machine has one")
    done = on_cuda("-W", "error", str(program), **({"EMULATED_GPUS": "2"} if wants_two else {}))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("what", ["ops float32", "ops int64", "ops bfloat16", "ops complex64", "layers", "optimisers"])
def test_values_are_those_of_the_cpu(what: str) -> None:
    parts = 1 if what == "optimisers" else EVERY
    done = on_cuda(str(HERE / "on_cuda_records.py"), f"0/{parts}", *what.split())
    last = done.stderr.splitlines()[-1:]  # the case in which the process ended, should it have done so
    assert done.returncode == 0, f"{last}\n{done.stderr[-2000:]}"
    assert [line for line in done.stdout.splitlines() if not line.endswith(" cases")] == []
