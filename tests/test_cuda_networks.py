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


WITH_CUDNN = """
import chainrule as torch
from chainrule._core import _cuda
x, w = torch.ones(1, 4, 5, 5, device="cuda"), torch.ones(6, 4, 3, 3, device="cuda")

def kernels(**options):
    before = _cuda.compiler_counts()
    assert torch.nn.functional.conv2d(x, w, **options).shape[1] == 6
    return sum(_cuda.compiler_counts()[:2]) - sum(before[:2])  # compiled, and loaded from disk

assert torch.backends.cudnn.version() > 90000
assert kernels() == 0
with torch.backends.cudnn.flags(enabled=False):
    assert kernels() == 1
assert torch.backends.cudnn.enabled
"""

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


def run_script(script: str, libraries: Path) -> None:
    environment = {**os.environ, **emulated_gpu.environment(), "CHAINRULE_CUDA_LIBRARIES": str(libraries)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_cudnn_is_asked_first() -> None:
    """It does without a kernel of chainrule's; where it is switched off there is one."""
    run_script(WITH_CUDNN, emulated_gpu.folder())


def test_networks_run_without_libraries(tmp_path: Path) -> None:
    """Of cuDNN's absence one is told once; transforms are then the host's."""
    for name in set(emulated_gpu.LIBRARIES) - {"libcudnn.so.9", "libcufft.so.12"}:
        (tmp_path / name).symlink_to(emulated_gpu.folder() / name)
    run_script(WITHOUT_LIBRARIES, tmp_path)
