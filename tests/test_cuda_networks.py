"""What convolutional and recurrent networks are made of gives on a GPU what it gives on the CPU."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import emulated_gpu

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


WITHOUT_LIBRARIES = """
import warnings
import chainrule as torch
x, w = torch.ones(1, 2, 4, 4, device="cuda"), torch.ones(3, 2, 3, 3, device="cuda")
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for _ in range(2):
        y = torch.nn.functional.conv2d(x, w)
assert (y.cpu() == 18).all()
assert [str(t.message).split(":")[0] for t in told] == ["cuDNN is missing"], told
assert "pip install chainrule[cuda]" in str(told[0].message)
assert torch.fft.fft(torch.ones(4, device="cuda")).cpu().real.tolist() == [4, 0, 0, 0]
assert torch.backends.cudnn.version() is None
"""


def test_networks_run_without_libraries(tmp_path: Path) -> None:
    """Of cuDNN's absence one is told once; transforms are then the host's."""
    for name in set(emulated_gpu.LIBRARIES) - {"libcudnn.so.9", "libcufft.so.12"}:
        (tmp_path / name).symlink_to(emulated_gpu.folder() / name)
    environment = {**os.environ, **emulated_gpu.environment(), "CHAINRULE_CUDA_LIBRARIES": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", WITHOUT_LIBRARIES], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
