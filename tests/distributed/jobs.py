"""Starts programs in several processes, for real, with mpirun."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chainrule.distributed.launch import find_mpirun

PROGRAMS = Path(__file__).parent / "programs"

needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or find_mpirun() is None,
    reason="mpi4py or mpirun is not installed: pip install mpi4py mpich",
)


def command_line(program: str | Path, ranks: int, *arguments: str, options: tuple[str, ...] = ()) -> list[str]:
    """`chainrule launch` of a program of the folder, or anywhere."""
    path = PROGRAMS / program if isinstance(program, str) else program
    started = [sys.executable, "-m", "chainrule", "launch", "-n", str(ranks), "--bind-to", "none", *options]
    return [*started, str(path), *arguments]


def environment(**variables: str) -> dict[str, str]:
    """This process's, without what a launcher around it may have set."""
    known = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
    return {**known, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}


def launch(
    program: str | Path,
    ranks: int,
    *arguments: str,
    options: tuple[str, ...] = (),
    timeout: float = 300,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Runs a program in several processes to its end."""
    line = command_line(program, ranks, *arguments, options=options)
    return subprocess.run(
        line, env=environment(**variables), capture_output=True, text=True, check=False, timeout=timeout
    )


def run_cases(program: str, ranks: int, **variables: str) -> None:
    """Runs all functions case_* of a program, and fails unless every one came to its end."""
    result = launch(program, ranks, **variables)
    assert result.returncode == 0, result.stdout + result.stderr
    names = [
        line.split("(")[0][4:] for line in (PROGRAMS / program).read_text().splitlines() if line[:9] == "def case_"
    ]
    assert len(names) > 2
    assert [name for name in names if f"[rank 0] done {name}\n" not in result.stdout] == []
