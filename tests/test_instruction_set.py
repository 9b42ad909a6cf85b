"""The kernels' instruction set is the best that this machine has."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

V3 = {"avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
ASK = "from chainrule import _core; print(_core.instruction_set())"


def level_by_the_system() -> str:
    """What Linux says of the processor, where it is an x86-64; others have one level."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((set(line.split(":")[1].split()) for line in lines if line.startswith("flags")), set())
    return "v4" if flags >= V4 else "v3" if flags >= V3 else "v2"


def chosen(wish: str | None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "CHAINRULE_ISA"}
    if wish:
        environment["CHAINRULE_ISA"] = wish
    return subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_best_level_is_found() -> None:
    assert chosen(None) == (level_by_the_system() if platform.machine() == "x86_64" else "v2")


@pytest.mark.parametrize("wish", ["v2", "v3", "v4"])
def test_the_level_can_be_lowered_but_not_raised(wish: str) -> None:
    assert chosen(wish) == min(wish, chosen(None))
