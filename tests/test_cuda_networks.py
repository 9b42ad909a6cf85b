"""What convolutional and recurrent networks are made of gives on a GPU what it gives on the CPU."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "on_cuda"
PROGRAMS = ("images", "recurrent", "convolutions", "transforms")


def checks() -> list[tuple[str, str]]:
    """The functions of each program that take nothing."""
    found = []
    for program in PROGRAMS:
        tree = ast.parse((HERE / f"{program}.py").read_text())
        found += [(program, f.name) for f in tree.body if isinstance(f, ast.FunctionDef) and not f.args.args]
    return found


@pytest.mark.parametrize(("program", "check"), checks())
def test_gpu_gives_what_the_cpu_gives(program: str, check: str) -> None:
    done = subprocess.run([sys.executable, HERE / f"{program}.py", check], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
