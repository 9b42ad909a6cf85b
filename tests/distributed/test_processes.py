"""Collectives, and training by them, in 2 and 4 processes that mpirun starts."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jobs import environment, launch, needs_mpi, run_cases

from chainrule.distributed.launch import find_mpirun, implementation

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "distributed.py"


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_collectives(ranks: int) -> None:
    run_cases("collectives.py", ranks)


@needs_mpi
def test_handles_and_memory() -> None:
    run_cases("handles.py", 2)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_training(ranks: int) -> None:
    run_cases("training.py", ranks)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_reductions(ranks: int) -> None:
    run_cases("reductions.py", ranks)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_bytes_sent(ranks: int) -> None:
    """Each process sends the ring's 2 (N - 1)/N bytes for each byte of gradients, and hardly a message more."""
    result = launch(BENCHMARK, ranks, "bytes", **tcp_settings())
    assert result.returncode == 0, result.stderr
    found = re.findall(r"processes, (\w+): ([\d. ]+) bytes sent", result.stdout)
    assert [name for name, _ in found] == ["all_reduce", "step"], result.stdout
    for _, numbers in found:
        each = [float(number) for number in numbers.split()]
        assert len(each) == ranks
        assert max(each) < 1.03 * (2 - 2 / ranks), result.stdout
        assert min(each) >= 0.999 * (2 - 2 / ranks), result.stdout


def tcp_settings() -> dict[str, str]:
    """What makes MPI use sockets, whose bytes can be counted."""
    specification = importlib.util.spec_from_file_location("benchmark", BENCHMARK)
    assert specification is not None
    assert specification.loader is not None
    benchmark = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(benchmark)
    return benchmark.TCP[implementation(find_mpirun() or "")]


@needs_mpi
def test_meeting() -> None:
    result = launch("meeting.py", 2)
    assert result.returncode == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == ["[rank 0] met again", "[rank 1] met again"]
    [notice] = result.stderr.splitlines()
    assert notice.startswith('[rank 0] chainrule: init_process_group("cpu:gloo,cuda:nccl") runs on MPI (')


def run(*line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, env=environment(), capture_output=True, text=True, check=False, timeout=120)


@needs_mpi
def test_plain_mpirun_and_one_process() -> None:
    """mpirun without `chainrule launch`, and a script that nobody launched."""
    program = "import chainrule as t, chainrule.distributed as d; d.init_process_group('mpi'); x = t.ones(2); "
    # One write, so that the lines of two processes stay whole.
    program += "d.all_reduce(x); print(f'{d.get_world_size()} {x.tolist()}\\n', end='', flush=True)"
    alone = run(sys.executable, "-c", program)
    assert (alone.stdout, alone.stderr) == ("1 [1.0, 1.0]\n", "")
    mpirun = find_mpirun()
    assert mpirun is not None
    root = ["--allow-run-as-root"] if implementation(mpirun) == "openmpi" and os.geteuid() == 0 else []
    both = run(mpirun, *root, "-n", "2", sys.executable, "-c", program)
    assert both.stdout.split() == ["2", "[2.0,", "2.0]"] * 2, both.stderr
    refused = run(sys.executable, "-c", program.replace("'mpi'", "'mpi', world_size=4, rank=0"))
    assert "ValueError: init_process_group: there should be 4 processes" in refused.stderr
    assert "chainrule launch -n 4" in refused.stderr


def test_nothing_is_loaded_before_it_is_used() -> None:
    program = """
import sys, chainrule as torch, chainrule.nn, chainrule.optim
print([m for m in sys.modules if m.startswith(("chainrule.distributed", "mpi4py", "chainrule.nn.parallel"))])
torch.distributed.is_available(), torch.distributed.is_initialized(), torch.nn.DataParallel
print([m for m in sys.modules if m.startswith("mpi4py")])
"""
    assert run(sys.executable, "-c", program).stdout == "[]\n[]\n"
