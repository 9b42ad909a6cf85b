"""Random numbers on a GPU, real or emulated, are PyTorch's: on_cuda_random.py has the checks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "on_cuda_random.py"


@pytest.mark.parametrize(("checks", "multiprocessors"), [([], 4), (["geometry", "permutations"], 132)])
def test_numbers_are_pytorchs(checks: list[str], multiprocessors: int) -> None:
    environment = {**os.environ, "EMULATED_GPU_MULTIPROCESSORS": str(multiprocessors)}
    done = subprocess.run([sys.executable, PROGRAM, *checks], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
